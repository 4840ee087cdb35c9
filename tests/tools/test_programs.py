# SPDX-License-Identifier: MIT
"""Programs of processes: what `cc` makes runs, on this machine's Linux with process_runner.c in the kernel's place. Its threads are
Linux' own, so that locks are tried by processors that run at once."""

from __future__ import annotations

import functools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts import apt
from amalgam.artifacts.cpio import Archive, pack_folder, read_names
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import MACHINES, USUAL
from amalgam.build import programs
from amalgam.system.program import examine_program, loaded_part

ROOT = paths.ROOT
QUIET = lambda _text: None  # noqa: E731
Done = subprocess.CompletedProcess


def cc(*words: object) -> Done:
    return subprocess.run([ROOT / "amalgam", "cc", *map(str, words)], capture_output=True, text=True, check=False)


def made(folder: Path, text: str, *words: str) -> Path:
    """A program from C text."""
    (folder / "main.c").write_text(text, encoding="utf-8")
    done = cc("-Wall", "-Wextra", "-Werror", "-O2", *words, folder / "main.c", "-o", folder / "program")
    assert done.returncode == 0, done.stderr
    return folder / "program"


def test_hello_prints_its_arguments_and_its_environment(process: Callable[..., Done]) -> None:
    done = process(programs.make_program("hello", QUIET), "hello", "two words", "", "--", "LANG=C", "EMPTY=", memory=64)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "hello: domain 7, 3 arguments",
        "argv[0] = hello",
        "argv[1] = two words",
        "argv[2] = ",
        "environment: LANG=C",
        "environment: EMPTY=",
        "pi is about 3.141593",
    ]


@pytest.mark.parametrize(("threads", "rounds"), [(1, 1000), (4, 20000), (63, 300)])
def test_threads_count_right(process: Callable[..., Done], threads: int, rounds: int) -> None:
    program = programs.make_program("threads", QUIET)
    done = process(program, "threads", str(threads), str(rounds), memory=2048, threads=threads + 1)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["threads: right"]), done


def test_as_many_threads_on_a_core_as_there_are(process: Callable[..., Done]) -> None:
    assert (
        "affinity: core 0: 4 threads, 0 of them elsewhere\naffinity: right\n"
        in process(programs.make_program("affinity", QUIET), "affinity", threads=5).stdout
    )


@pytest.mark.parametrize("threads", [1, 2, 5, 32])
def test_threads_that_wait_for_a_place_begin_first_come_first_served(process: Callable[..., Done], threads: int) -> None:
    done = process(programs.make_program("queued", QUIET), "queued", memory=4096, threads=threads)
    assert (done.returncode, done.stdout) == (0, f"queued: {threads} places: right\n")


def test_memory_by_the_page(process: Callable[..., Done]) -> None:
    done = process(programs.make_program("maps", QUIET), "maps", threads=2)
    assert (done.returncode, "maps: right" in done.stdout) == (0, True), done


@pytest.mark.parametrize("what", ["taken", "sealed", "overflow"])
def test_what_a_thread_has_no_more_it_faults_on(process: Callable[..., Done], what: str) -> None:
    assert process(programs.make_program("maps", QUIET), "maps", what, threads=2).returncode == -11


def test_the_check_of_threads_would_notice(process: Callable[..., Done], tmp_path: Path) -> None:
    """The same program with a mutex that locks nothing."""
    text = programs.source_of("threads").read_text(encoding="utf-8")
    text = text.replace(
        "#define MOST", "#define pthread_mutex_lock(m) ((void)(m))\n#define pthread_mutex_unlock(m) ((void)(m))\n#define MOST"
    )
    text = text.replace("counter++;", "{ unsigned long old = counter; sched_yield(); counter = old + 1; }").replace("consume()", "0")
    text = text.replace("pthread_create(&producer, NULL, produce, NULL)", "pthread_create(&producer, NULL, count, NULL)")
    (tmp_path / "main.c").write_text(text, encoding="utf-8")
    assert cc("-w", tmp_path / "main.c", "-o", tmp_path / "program").returncode == 0
    done = process(tmp_path / "program", "threads", "4", "2000", threads=5)
    assert "threads: WRONG" in done.stdout


def test_cpp_with_containers_one_initialization_and_destructors(process: Callable[..., Done]) -> None:
    done = process(programs.make_program("shapes", QUIET), "shapes", threads=4)
    assert (done.returncode, done.stdout) == (0, "shapes: areas 25 4 16 49, smallest 4, static 1\nshapes: right\n"), done


THROWS = """
#include <vector>
#include <new>
#include <cstdlib>
struct Base { Base() { hook(); } void hook() { call(); } virtual void call() = 0; };
struct Own : Base { void call() override {} };
int main(int argc, char **argv)
{
    std::vector<int> numbers(3);
    volatile std::size_t more = std::size_t(1) << 40;
    char *volatile got;
    switch (std::atoi(argv[1])) {
    case 0: got = new (std::nothrow) char[more]; return got ? 1 : 0;
    case 1: return numbers.at(argc + 5);
    case 2: got = new char[more]; return 1;
    default: Own own; return 0;
    }
}
"""


def test_cpp_stops_where_it_would_throw(process: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "main.cc").write_text(THROWS, encoding="utf-8")
    done = cc("-Wall", "-Wextra", "-O1", tmp_path / "main.cc", "-o", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    assert [process(tmp_path / "program", "program", str(what)).returncode for what in range(4)] == [0, -4, -4, -4]


# What needs libstdc++, with the words of the compiler, and what the command says is missing.
LACKS = {
    ("int main() { throw 1; }", ""): "exceptions of C++",
    ("int main() { try { throw 1; } catch (int n) { return n; } }", "-fexceptions"): "exceptions of C++",
    ('#include <stdexcept>\nvoid f() { throw std::logic_error(""); }\nint main() { f(); }', "-fexceptions"): "exceptions of C++",
    (
        "struct A { virtual ~A() {} }; struct B : A {}; int f(A *a) { return dynamic_cast<B *>(a) != nullptr; } int main() {}",
        "",
    ): "types at run time",
    ("#include <map>\nint main() { std::map<int, int> m; return m[1]; }", ""): "of libstdc++, of which a process has the headers only",
    ("#include <iostream>\nint main() { std::cout << 1; }", ""): "<iostream> needs the library of C++ (libstdc++)",
    ("#include <thread>\nint main() { }", ""): "<thread> needs the library of C++ (libstdc++)",
}


@pytest.mark.parametrize(("text", "word"), LACKS)
def test_what_cpp_lacks_is_named_when_it_is_built(tmp_path: Path, text: str, word: str) -> None:
    (tmp_path / "main.cc").write_text(text, encoding="utf-8")
    done = cc(*filter(None, [word]), tmp_path / "main.cc", "-o", tmp_path / "program")
    assert done.returncode == 1 and LACKS[text, word] in done.stderr, done.stderr


HEADERS = (
    "algorithm any array atomic bit bitset cmath compare concepts coroutine cstdlib deque exception forward_list functional "
    "initializer_list iosfwd iterator limits list memory new numbers numeric optional queue random ratio span stack string "
    "string_view tuple type_traits typeindex utility valarray variant vector"
)
FREESTANDING = """
static_assert(std::is_same_v<std::common_type_t<int, long>, long> && std::popcount(0xffu) == 8);
static std::atomic<int> count;
static constexpr std::array<int, 3> numbers{1, 2, 3};
int main()
{
    auto add = [](std::span<const int> s) { for (int n : s) count.fetch_add(n); };
    add(numbers);
    std::optional<std::variant<int, std::string>> text{std::string("text")};
    return count != 6 || std::get<std::string>(*text) != "text" || std::hash<std::string>{}("a") == std::hash<std::string>{}("b");
}
"""


def test_headers_of_cpp_20_need_no_library(process: Callable[..., Done], tmp_path: Path) -> None:
    text = "".join(f"#include <{name}>\n" for name in HEADERS.split())
    (tmp_path / "main.cc").write_text(text + FREESTANDING, encoding="utf-8")
    done = cc("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", tmp_path / "main.cc", "-o", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    assert process(tmp_path / "program", "program").returncode == 0


# Of others, as they are: Microsoft's GSL, and a map with open addressing (Tessil).
LIBRARIES = """
#include <cstdio>
#include <gsl/span>
#include <string>
#include <tsl/robin_map.h>
int main()
{
    tsl::robin_map<std::string, int> squares;
    int all[100], sum = 0;
    for (int i = 0; i < 100; i++)
        squares["square of " + std::to_string(i)] = all[i] = i * i;
    for (int n : gsl::span<int>(all).last(2))
        sum += n;
    squares.erase("square of 7");
    std::printf("%zu %d %d %d\\n", squares.size(), sum, squares.at("square of 99"), squares.count("square of 7") != 0);
    return 0;
}
"""


def test_header_only_libraries_of_others_run_unchanged(process: Callable[..., Done], tmp_path: Path) -> None:
    try:
        packages = [apt.unpacked(paths.CACHE, name, QUIET) for name in ("libmsgsl-dev", "robin-map-dev")]
    except ArtifactError as error:
        pytest.skip(f"apt gives no packages: {error}")
    (tmp_path / "main.cc").write_text(LIBRARIES, encoding="utf-8")
    folders = [f"-I{package}/usr/include" for package in packages]
    done = cc("-O2", *folders, tmp_path / "main.cc", "-o", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    done = process(tmp_path / "program", "program")
    assert (done.returncode, done.stdout) == (0, "99 19405 9801 0\n"), done


@pytest.mark.skipif(not shutil.which("rustc"), reason="rustc is not installed: it is large, and only this example needs it")
def test_rust_without_its_standard_library(process: Callable[..., Done], tmp_path: Path) -> None:
    made = cc("-O2", programs.source_of("greet"), "-o", tmp_path / "program")
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "greet")
    assert (done.returncode, done.stdout) == (0, "greet: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55], 1.618\n"), done
    done = process(tmp_path / "program", "greet", "more")
    assert done.returncode == -4 and "index out of bounds: the len is 10 but the index is 20" in done.stdout, done


def test_a_compiler_that_is_not_there_is_named_with_its_package(tmp_path: Path) -> None:
    (tmp_path / "main.cc").write_text("int main() {}", encoding="utf-8")
    (tmp_path / "main.rs").write_text("", encoding="utf-8")
    if not shutil.which("riscv64-linux-gnu-g++"):
        done = cc("--machine", "riscv64", tmp_path / "main.cc", "-o", tmp_path / "program")
        assert done.returncode == 1 and "next: sudo apt install g++-riscv64-linux-gnu" in done.stderr
    done = cc("--machine", "riscv32", tmp_path / "main.cc", "-o", tmp_path / "program")
    assert done.returncode == 2 and "there is no C++ for RISC-V with 32 bits" in done.stderr
    done = cc("--machine", "riscv64", tmp_path / "main.rs", "-o", tmp_path / "program")
    assert done.returncode == 2 and "next: leave out --machine" in done.stderr
    done = cc("-c", tmp_path / "main.rs", "-o", tmp_path / "main.o")
    assert done.returncode == 2 and "next: leave out -c" in done.stderr


def test_files_by_stdio_read_and_readdir(process: Callable[..., Done], tmp_path: Path) -> None:
    """What is packed is what is read, in the archive's order; and an archive of cpio(1) is read as well."""
    tree = tmp_path / "tree"
    (tree / "etc/deep").mkdir(parents=True)
    (tree / "empty").mkdir()
    for name, text in {"etc/lines": "one\ntwo\nthree\n", "etc/deep/nothing": "", "etc/deep/text": "no newline"}.items():
        (tree / name).write_text(text, encoding="utf-8")
    ours, cpio = tmp_path / "ours", tmp_path / "cpio"
    ours.write_bytes(pack_folder(tree))
    listed = "\n".join(f"./{name}" for name in read_names(ours.read_bytes()))
    cpio.write_bytes(
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, input=listed.encode(), capture_output=True, check=True).stdout
    )
    sums = {
        text: functools.reduce(lambda total, byte: (total * 31 + byte) % (1 << 32), text.encode(), 0)
        for text in ("one\ntwo\nthree\n", "no newline")
    }
    for archive in (ours, cpio):
        done = process(programs.make_program("files", QUIET), "files", "/", "etc/../etc//./lines", "none", files=archive)
        told = [
            "/:",
            "/empty:",
            "/etc:",
            "/etc/deep:",
            '/etc/deep/nothing: 0 bytes, 0 lines, sum 00000000, last ""',
            f'/etc/deep/text: 10 bytes, 1 lines, sum {sums["no newline"]:08x}, last "no newline"',
            f'/etc/lines: 14 bytes, 3 lines, sum {sums["one" + chr(10) + "two" + chr(10) + "three" + chr(10)]:08x}, last "three"',
            "/dev:",
            f'etc/../etc//./lines: 14 bytes, 3 lines, sum {sums["one" + chr(10) + "two" + chr(10) + "three" + chr(10)]:08x}, last "three"',
            "none: No such file or directory",
        ]
        assert done.stdout.splitlines() == [f"files: {line}" for line in told], done


FILES = """
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define MUST(what) do if (!(what)) { printf("line %d: %d\\n", __LINE__, errno); wrong = 1; } while (0)
#define FAILS(call, error) MUST((errno = 0, (call)) == -1 && errno == error)
int main(void)
{
    static char text[2000];
    struct stat s;
    int wrong = 0, file = open("a", O_RDONLY), n = 0;
    MUST(file == 3 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 10 && s.st_nlink == 1);
    MUST(read(file, text, 4) == 4 && !memcmp(text, "0123", 4) && lseek(file, 0, SEEK_CUR) == 4);
    MUST(lseek(file, -3, SEEK_END) == 7 && read(file, text, 100) == 3 && !memcmp(text, "789", 3) && read(file, text, 1) == 0);
    MUST(lseek(file, 1000, SEEK_SET) == 1000 && read(file, text, 1) == 0);
    FAILS(lseek(file, -1, SEEK_SET), EINVAL);
    FAILS(lseek(file, 0, 7), EINVAL);
    FAILS(lseek(1, 0, SEEK_SET), ESPIPE);
    FAILS(write(file, "x", 1), EBADF);
    FAILS(ftruncate(file, 1), EINVAL);
    MUST(close(file) == 0);
    FAILS(close(file), EBADF);
    FAILS(read(file, text, 1), EBADF);
    FAILS(read(-1, text, 1), EBADF);
    FAILS(read(99, text, 1), EBADF);
    FAILS(open("a", O_RDONLY | O_CREAT | O_EXCL), EEXIST);
    FAILS(open("a", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("a/", O_RDONLY), ENOTDIR);
    FAILS(open("a/.", O_RDONLY), ENOTDIR);
    FAILS(access("/a/", R_OK), ENOTDIR);
    MUST(!access("folder/.", R_OK) && !access("/", R_OK | W_OK));
    FAILS(open("none", O_RDONLY), ENOENT);
    FAILS(open("", O_RDONLY), ENOENT);
    FAILS(open("folder", O_WRONLY), EISDIR);
    FAILS(open("link", O_RDONLY | O_NOFOLLOW), ELOOP);
    FAILS(open("device", O_RDONLY), ENXIO);
    memset(text, 'x', sizeof text - 1);
    FAILS(open(text, O_RDONLY), ENAMETOOLONG);
    file = open("folder", O_RDONLY);
    FAILS(read(file, text, 1), EISDIR);
    close(file);
    FAILS(access("a", X_OK), EACCES);
    MUST(access("a", R_OK | W_OK) == 0 && !opendir("a") && errno == ENOTDIR && !opendir("none") && errno == ENOENT);
    MUST(isatty(0) && !isatty(7) && stat("/../folder/.", &s) == 0 && S_ISDIR(s.st_mode));
    DIR *d = opendir("/");
    while (readdir(d))
        n++;
    rewinddir(d);
    MUST(n == 7 && !strcmp(readdir(d)->d_name, ".") && !strcmp(readdir(d)->d_name, "..") && !strcmp(readdir(d)->d_name, "a"));
    MUST(closedir(d) == 0);
    for (n = 0; open("a", O_RDONLY) >= 0; n++)
        ;
    MUST(n == 61 && errno == EMFILE && !fopen("a", "r") && read(0, text, 1) == 0);
    for (int i = 3; i < 64; i++)
        close(i);
    FILE *stream = fopen("a", "r");
    MUST(stream && fseek(stream, 5, SEEK_SET) == 0 && fgetc(stream) == '5' && ftell(stream) == 6 && fclose(stream) == 0);
    MUST(write(1, "written\\n", 8) == 8);
    return wrong;
}
"""

CHANGED = r"""
#define MUST(what) do if (!(what)) { printf("line %d: %d\n", __LINE__, errno); wrong = 1; } while (0)
#define FAILS(call, error) MUST((errno = 0, (call)) == -1 && errno == error)
int main(void)
{
    static char text[10000], big[9000];
    struct stat s;
    int wrong = 0;
    FILE *f = fopen("a", "r+");
    MUST(f && fseek(f, 2, SEEK_SET) == 0 && fputs("xy", f) >= 0 && fclose(f) == 0);
    int file = open("link", O_RDWR | O_APPEND);
    MUST(file == 3 && write(file, "end", 3) == 3 && lseek(file, 0, SEEK_CUR) == 13 && pread(file, text, 100, 0) == 13);
    MUST(!memcmp(text, "01xy456789end", 13) && ftruncate(file, 5) == 0 && fstat(file, &s) == 0 && s.st_size == 5);
    int again = dup(file), moved = fcntl(file, F_DUPFD, 40);
    MUST(again == 4 && moved == 40 && lseek(again, 1, SEEK_SET) == 1 && read(moved, text, 1) == 1 && *text == '1');
    MUST((fcntl(moved, F_GETFL) & (O_ACCMODE | O_APPEND)) == (O_RDWR | O_APPEND) && fcntl(moved, F_SETFL, 0) == 0);
    MUST(lseek(file, 0, SEEK_CUR) == 2 && write(again, "Q", 1) == 1 && pread(file, text, 9, 0) == 5 && !memcmp(text, "01Qy4", 5));
    MUST(dup2(1, 4) == 4 && write(4, "by dup2\n", 8) == 8 && close(4) == 0 && dup2(moved, moved) == moved);
    FAILS(dup2(file, 64), EBADF);
    FAILS(dup(50), EBADF);
    MUST(unlink("a") == 0 && pread(moved, text, 9, 0) == 5 && fstat(file, &s) == 0 && s.st_nlink == 0);
    MUST(close(file) == 0 && close(moved) == 0);
    FAILS(open("link", O_RDONLY), ENOENT);

    MUST(mkdir("new", 0777) == 0 && stat("new", &s) == 0 && (s.st_mode & 07777) == 0755 && s.st_nlink == 2);
    FAILS(mkdir("new/", 0755), EEXIST);
    file = open("new/big", O_CREAT | O_EXCL | O_RDWR, 0666);
    memset(big, 'b', sizeof big);
    MUST(pwrite(file, big, sizeof big, 1ll << 33) == sizeof big && fstat(file, &s) == 0 && s.st_blocks <= 32);
    MUST(s.st_size == (1ll << 33) + (long long)sizeof big && (s.st_mode & 0777) == 0644 && s.st_mtim.tv_sec >= 0);
    MUST(pread(file, text, sizeof text, (1ll << 33) - 10) == sizeof big + 10 && !text[9] && text[10] == 'b' && text[9009] == 'b');
    close(file);
    MUST(rename("new", "folder/moved") == 0 && access("folder/moved/big", F_OK) == 0);
    FAILS(rename("folder", "folder/moved/below"), EINVAL);
    FAILS(rmdir("folder/moved"), ENOTEMPTY);
    MUST(chdir("folder/moved") == 0 && getcwd(text, sizeof text) && !strcmp(text, "/folder/moved"));
    MUST(symlink("../../folder/moved/big", "s") == 0 && readlink("s", text, 100) == 22 && lstat("s", &s) == 0 && S_ISLNK(s.st_mode));
    MUST(realpath("s", text) && !strcmp(text, "/folder/moved/big") && link("s", "hard") == 0 && lstat("hard", &s) == 0 && s.st_nlink == 2);
    MUST(truncate("s", 3) == 0 && stat("big", &s) == 0 && s.st_size == 3 && chmod("big", 0) == 0 && access("big", R_OK) == 0);
    struct timespec times[2] = { { 5, 6 }, { 0, UTIME_OMIT } };
    struct timespec before = (stat("big", &s), s.st_mtim);
    MUST(utimensat(AT_FDCWD, "big", times, 0) == 0 && stat("big", &s) == 0 && s.st_atim.tv_sec == 5 && s.st_atim.tv_nsec == 6);
    MUST(s.st_mtim.tv_sec == before.tv_sec && s.st_mtim.tv_nsec == before.tv_nsec && (s.st_mode & 0777) == 0);
    file = open("..", O_RDONLY | O_DIRECTORY);
    MUST(openat(file, "moved/big", O_WRONLY) == 4 && fstatat(4, "x", &s, 0) == -1 && errno == ENOTDIR && close(4) == 0);
    MUST(mkdirat(file, "at", 0700) == 0 && unlinkat(file, "at", AT_REMOVEDIR) == 0 && fchdir(file) == 0 && chdir("moved") == 0);
    close(file);
    MUST(remove("s") == 0 && remove("hard") == 0 && remove("big") == 0 && remove("../moved") == 0 && errno != EISDIR);
    FAILS(open("x", O_CREAT | O_WRONLY, 0644), ENOENT);
    MUST(!getcwd(text, sizeof text) && errno == ENOENT && chdir("/") == 0);

    struct dirent **list;
    f = fopen("c", "wx");
    MUST(f && fprintf(f, "%d\n", 7) == 2 && fclose(f) == 0 && !fopen("c", "wx") && errno == EEXIST);
    int n = scandir("/", &list, NULL, alphasort);
    MUST(n == 7 && !strcmp(list[2]->d_name, "c") && !strcmp(list[6]->d_name, "link") && list[6]->d_type == DT_LNK);
    struct iovec piece[2] = { { "in ", 3 }, { "pieces\n", 7 } };
    MUST(writev(1, piece, 2) == 10 && umask(077) == 022);
    return wrong;
}
"""


def archive_of_all_kinds(folder: Path) -> Path:
    archive = Archive()
    archive.file("a", b"0123456789")
    archive.directory("folder")
    archive.link("link", "a")
    archive.character_device("device", 7, 7)
    (folder / "archive").write_bytes(archive.bytes())
    return folder / "archive"


def test_files_are_posix(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(made(tmp_path, FILES), "program", files=archive_of_all_kinds(tmp_path))
    assert (done.returncode, done.stdout) == (0, "written\n"), done


def test_files_and_folders_are_changed_while_the_program_runs(process: Callable[..., Done], tmp_path: Path) -> None:
    headers = ["dirent", "errno", "fcntl", "stdio", "stdlib", "string", "sys/stat", "sys/uio", "unistd"]
    program = made(tmp_path, "".join(f"#include <{name}.h>\n" for name in headers) + CHANGED)
    done = process(program, "program", files=archive_of_all_kinds(tmp_path))
    assert (done.returncode, done.stdout) == (0, "by dup2\nin pieces\n"), done


FULL = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    static char text[1000];
    int file = open("fill", O_CREAT | O_RDWR, 0600);
    ssize_t n;
    size_t all = 0;
    while ((n = write(file, text, sizeof text)) > 0)
        all += (size_t)n;
    int error = errno, kept = lseek(file, 0, SEEK_END) == (off_t)all;
    ftruncate(file, 0);
    printf("%d %d %d\\n", all > 50000 && all < 256 * 1024, error == ENOSPC, kept);
    printf("%d %d\\n", open("more", O_CREAT | O_RDWR, 0600), write(file, text, 1000) == 1000);
}
"""


def test_files_end_where_the_memory_does(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(made(tmp_path, FULL), "program", memory=256)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["1 1 1", "4 1"]), done


def test_without_files_there_is_none(process: Callable[..., Done]) -> None:
    done = process(programs.make_program("files", QUIET), "files", "/", "/etc/passwd")
    assert done.stdout == "files: /:\nfiles: /dev:\nfiles: /etc/passwd: No such file or directory\n"


def test_an_archive_that_is_cut_off_ends_there(process: Callable[..., Done], tmp_path: Path) -> None:
    archive = Archive()
    for name in ("first", "second"):
        archive.file(name, b"text\n")
    whole, seen = archive.bytes(), set()
    for size in range(0, 300, 3):
        (tmp_path / "archive").write_bytes(whole[:size] or b"?")
        done = process(programs.make_program("files", QUIET), "files", "/", files=tmp_path / "archive")
        assert done.returncode == 0, (size, done)
        seen.add(done.stdout.count("5 bytes"))
    assert seen == {0, 1, 2}


WAITING = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *wait(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t t[4];
    pthread_mutex_lock(&m);
    for (int i = 0; i < 4; i++)
        printf("%d ", pthread_create(&t[i], NULL, wait, NULL) == EAGAIN);
    pthread_mutex_unlock(&m);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\\n", pthread_create(&t[2], NULL, wait, NULL));
    pthread_join(t[2], NULL);
}
"""


def test_a_process_has_no_more_threads_than_it_was_given(process: Callable[..., Done], tmp_path: Path) -> None:
    assert process(made(tmp_path, WAITING), "program", threads=3).stdout == "0 0 1 1 0\n"


START = """
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>
static char *volatile place = "relocated";
static _Thread_local int begun = 41;
static _Thread_local _Alignas(128) int aligned;
static int constructed;
__attribute__((constructor(200))) static void second(void) { constructed = constructed * 10 + 2; }
__attribute__((constructor(101))) static void first(void) { constructed = constructed * 10 + 1; }
__attribute__((destructor)) static void last(void) { puts("destructor"); }
static void at_exit(void) { puts("atexit"); }
int main(void)
{
    atexit(at_exit);
    begun++;
    printf("%s %d %d %d\\n", place, begun, constructed, (int)((size_t)&aligned % 128));
    errno = 0;
    size_t got = 0;
    while (malloc(1000))
        got++;
    printf("%d %s\\n", got > 20, errno == ENOMEM ? "ENOMEM" : "?");
    printf("no newline");
    return 7;
}
"""


def test_start_and_end_of_a_program(process: Callable[..., Done], tmp_path: Path) -> None:
    done = process(made(tmp_path, START), "program", memory=128)
    assert done.stdout.splitlines() == ["relocated 42 12 0", "1 ENOMEM", "no newlineatexit", "destructor"]
    assert done.returncode == 7


THREADS = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define MUST(what) do { if (!(what)) { printf("line %d: %s\\n", __LINE__, #what); exit(1); } } while (0)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;
static _Thread_local int own = 5;
static struct timespec in_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static void *wait_for_all(void *unused)
{
    (void)unused;
    MUST(own++ == 5);
    pthread_mutex_lock(&m);
    ready++;
    while (ready < 100)
        pthread_cond_wait(&c, &m);
    woken++;
    pthread_mutex_unlock(&m);
    return NULL;
}
static void *leave(void *number)
{
    if (number)
        pthread_exit(number);
    return NULL;
}
static void *hold(void *unused)
{
    struct timespec t = in_ms(20);
    (void)unused;
    MUST(pthread_mutex_trylock(&m) == EBUSY);
    MUST(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT);
    return NULL;
}
int main(void)
{
    pthread_t t[8];
    struct timespec soon = in_ms(20), past = { 0, 0 }, wrong = { 0, 1000000000 };
    pthread_mutex_lock(&m);
    MUST(pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT);
    MUST(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT);
    MUST(pthread_cond_timedwait(&c, &m, &wrong) == EINVAL);
    MUST(pthread_cond_destroy(&c) == 0);
    MUST(pthread_mutex_destroy(&m) == EBUSY);
    MUST(!pthread_create(&t[0], NULL, hold, NULL) && !pthread_join(t[0], NULL));
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 8; i++)
        MUST(!pthread_create(&t[i], NULL, wait_for_all, NULL));
    for (int seen = 0; seen < 8; sched_yield()) {
        pthread_mutex_lock(&m);
        seen = ready;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    MUST(pthread_cond_destroy(&c) == EBUSY);
    ready = 100;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 8; i++)
        MUST(!pthread_join(t[i], NULL));
    MUST(woken == 8 && own == 5);
    MUST(pthread_join(pthread_self(), NULL) == EDEADLK);

    pthread_mutexattr_t kind;
    pthread_mutex_t recursive, strict;
    pthread_mutexattr_init(&kind);
    MUST(pthread_mutexattr_settype(&kind, 9) == EINVAL);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    MUST(!pthread_mutex_lock(&recursive) && !pthread_mutex_trylock(&recursive));
    MUST(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive) && pthread_mutex_unlock(&recursive) == EPERM);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&strict, &kind);
    MUST(pthread_mutex_unlock(&strict) == EPERM);
    MUST(!pthread_mutex_lock(&strict) && pthread_mutex_lock(&strict) == EDEADLK && !pthread_mutex_unlock(&strict));

    /* 300 threads one after the other, detached and joined: their memory is used again. */
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    MUST(pthread_attr_setstacksize(&attr, 100) == EINVAL);
    MUST(!pthread_attr_setstacksize(&attr, 32768) && !pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
    for (size_t i = 0; i < 300; i++) {
        void *result = NULL;
        int error = pthread_create(&t[0], NULL, leave, (void *)i);
        MUST(!error && !pthread_join(t[0], &result) && result == (void *)i);
        while ((error = pthread_create(&t[0], i % 2 ? &attr : NULL, leave, NULL)) == EAGAIN)
            sched_yield();
        MUST(!error);
        if (i % 2 == 0)
            MUST(!pthread_detach(t[0]));
        else
            MUST(pthread_detach(t[0]) == EINVAL || 1);
        struct timespec pause = { 0, 200000 };
        nanosleep(&pause, NULL);
    }
    puts("right");
    pthread_exit(NULL); /* the last one */
}
"""


def test_posix_threads_keep_their_contract(process: Callable[..., Done], tmp_path: Path) -> None:
    text = THREADS.replace("        else\n            MUST(pthread_detach(t[0]) == EINVAL || 1);\n", "")
    done = process(made(tmp_path, text, "-pthread"), "program", memory=1024, threads=10)
    assert (done.returncode, done.stdout) == (0, "right\n"), done


def test_a_joined_thread_has_left_its_place(process: Callable[..., Done], tmp_path: Path) -> None:
    text = """
#include <pthread.h>
#include <stdio.h>
static void *leave(void *unused) { return unused; }
int main(void)
{
    int failed = 0;
    for (int i = 0; i < 3000; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, leave, NULL))
            failed++;
        else
            pthread_join(t, NULL);
    }
    printf("%d\\n", failed);
}
"""
    assert process(made(tmp_path, text), "program", threads=2).stdout == "0\n"


def test_lines_of_threads_do_not_mix(process: Callable[..., Done], tmp_path: Path) -> None:
    text = """
#include <pthread.h>
#include <stdio.h>
static void *print(void *name)
{
    for (int i = 0; i < 200; i++)
        printf("%s%s%s%s\\n", (char *)name, (char *)name, (char *)name, (char *)name);
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, print, "abcdefgh");
    print("12345678");
    pthread_join(t, NULL);
}
"""
    lines = process(made(tmp_path, text), "program", threads=2).stdout.splitlines()
    assert sorted(set(lines)) == ["12345678" * 4, "abcdefgh" * 4]
    assert len(lines) == 400


def test_a_free_mutex_is_taken_without_a_call(process: Callable[..., Done], tmp_path: Path) -> None:
    """process_runner.c counts the calls: its own field 0x100."""
    text = """
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdio.h>
int main(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int64_t before = amalgam_info(0x100);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    printf("%d\\n", (int)(amalgam_info(0x100) - before - 1));
}
"""
    assert process(made(tmp_path, text), "program").stdout == "0\n"


def test_abort_is_a_fault(process: Callable[..., Done]) -> None:
    done = process(programs.make_program("fault", QUIET), "fault", "abort")
    assert (done.returncode, done.stdout) == (-4, "fault: abort\n")  # SIGILL


@pytest.mark.parametrize("what", ["null", "text", "jump", "privileged"])
def test_the_faults_of_the_example_are_faults(process: Callable[..., Done], what: str) -> None:
    assert process(programs.make_program("fault", QUIET), "fault", what).returncode == -11


# --- cc ---------------------------------------------------------------------------------------------------------------------------


def test_cc_builds_several_files_and_assembly(process: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/part.h").write_text("int part(void);\nint assembly(void);\n", encoding="utf-8")
    (tmp_path / "part.c").write_text('#include "part.h"\nint part(void) { return NUMBER; }\n', encoding="utf-8")
    (tmp_path / "assembly.S").write_text(".globl assembly\nassembly: mov $NUMBER, %eax; ret\n", encoding="utf-8")
    (tmp_path / "main.c").write_text(
        '#include <math.h>\n#include <part.h>\n#include <stdio.h>\nint main(int c, char **v) { (void)v; printf("%d %d %.3f\\n", part(), assembly(), sqrt(c)); }\n',
        encoding="utf-8",
    )
    done = cc("-DNUMBER=42", f"-I{tmp_path}/include", "-O2", "-c", tmp_path / "part.c", "-o", tmp_path / "part.o")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    words = ["-DNUMBER=43", "-I", tmp_path / "include", tmp_path / "main.c", tmp_path / "part.o", tmp_path / "assembly.S", "-lm"]
    done = cc(*words, "-o", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    assert process(tmp_path / "program", "program", "x", "y", "z").stdout == "42 43 2.000\n"
    assert examine_program(tmp_path / "program").wrong == ""


def test_cc_shows_the_compilers_errors_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n", encoding="utf-8")
    done = cc(tmp_path / "wrong.c", "-o", tmp_path / "wrong")
    assert done.returncode == 1 and not (tmp_path / "wrong").exists()
    assert (
        f"{tmp_path}/wrong.c:1:25: error:" in done.stderr
        and "nothing" in done.stderr
        and "amalgam" not in done.stderr.replace(str(ROOT), "")
    )


@pytest.mark.parametrize(("option", "says"), [("-no-pie", "linked to a fixed address"), ("-Wl,-N", "")])
def test_cc_refuses_to_leave_what_the_kernel_would_refuse(tmp_path: Path, option: str, says: str) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    done = cc(option, tmp_path / "main.c", "-o", tmp_path / "program")
    if says:
        assert done.returncode == 1 and says in done.stderr and not (tmp_path / "program").exists()
    else:
        assert done.returncode or examine_program(tmp_path / "program").wrong == ""


def test_cc_takes_away_no_output_that_is_no_file(tmp_path: Path) -> None:
    """`-o /dev/null` names a device."""
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_bytes(b"")
    os.mkfifo(other)
    for output in (file, other):
        programs.discard(output)
    assert not file.exists() and other.exists()


def test_cc_says_how_it_is_used() -> None:
    done = cc()
    assert done.returncode == 2 and "no file to compile" in done.stderr
    assert "./amalgam cc hello.c -o hello" in cc("--help").stdout


def test_a_process_is_no_linux_program(tmp_path: Path) -> None:
    text = "#ifdef __linux__\n#error linux\n#endif\n#ifndef __amalgam__\n#error amalgam\n#endif\nint main(void) { return 0; }\n"
    made(tmp_path, text)


def test_hello_is_small() -> None:
    """What it has in memory beside stack and heap."""
    assert examine_program(programs.make_program("hello", QUIET)).image <= 24 * 1024


@pytest.mark.parametrize("name", MACHINES)
def test_no_file_makes_the_examiner_stumble(tmp_path: Path, name: str) -> None:
    chance, machine = random.Random(13), MACHINES[name]
    data = programs.make_program("hello", QUIET, machine).read_bytes()
    path = tmp_path / "bad.elf"
    refused = 0
    for turn in range(500):
        bad = bytearray(data[: chance.randrange(8, 0x3000)] if turn % 2 else data)
        for _ in range(chance.randrange(1, 8)):
            bad[chance.randrange(min(len(bad), 0x300))] = chance.randrange(256)
        path.write_bytes(bad)
        refused += bool(examine_program(path, machine).wrong)
    assert refused > 250


@pytest.mark.parametrize("name", MACHINES)
def test_a_system_holds_what_is_loaded_of_a_program(tmp_path: Path, name: str) -> None:
    """Cut off behind that, it is the same program; a byte less, and it is none. What is no program stays as it is."""
    machine = MACHINES[name]
    program = programs.make_program("hello", QUIET, machine)
    part = loaded_part(program)
    assert program.read_bytes().startswith(part) and len(part) < program.stat().st_size
    (tmp_path / "part").write_bytes(part)
    assert examine_program(tmp_path / "part", machine) == examine_program(program, machine)
    (tmp_path / "part").write_bytes(part[:-1])
    assert "cut off" in examine_program(tmp_path / "part", machine).wrong
    (tmp_path / "part").write_bytes(b"no program")
    assert loaded_part(tmp_path / "part") == b"no program"


@pytest.mark.parametrize("name", ["hello", "maps", "rest", "spin", "threads"])
def test_a_program_without_assembly_is_one_for_riscv_too(name: str) -> None:
    """Linked with its C library, and what the kernel and start.c there can load."""
    wide, narrow = MACHINES["riscv64"], MACHINES["riscv32"]
    program = programs.make_program(name, QUIET, wide)
    assert examine_program(program, wide).wrong == ""
    assert examine_program(program, USUAL).wrong == "it is for another processor (machine 243), not x86-64"
    assert examine_program(program, narrow).wrong == "it is not of 32 bits, least significant byte first"
    program = programs.make_program(name, QUIET, narrow)
    assert examine_program(program, narrow).wrong == ""
    assert examine_program(program, wide).wrong == "it is not of 64 bits, least significant byte first"


LOCALE = """
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    return printf("%s %d %f\\n", localeconv()->decimal_point, isalpha((unsigned char)argv[0][0]) + toupper((unsigned char)argv[0][0]), strtod(argv[0], NULL));
}
"""


@pytest.mark.parametrize("machine", MACHINES)
def test_cc_leaves_no_name_to_whoever_loads_a_program(tmp_path: Path, machine: str) -> None:
    """A table that code and data of other files name is where ld left one for RISC-V."""
    programs.toolchain(QUIET, MACHINES[machine])  # who makes it says so
    (tmp_path / "locale.c").write_text(LOCALE, encoding="utf-8")
    done = cc("--machine", machine, "-O2", tmp_path / "locale.c", "-o", tmp_path / "locale")
    assert (done.returncode, done.stderr) == (0, "")


def test_cc_compiles_for_another_machine_and_refuses_one_that_it_does_not_know(tmp_path: Path) -> None:
    programs.toolchain(QUIET, MACHINES["riscv64"])
    done = cc("--machine", "riscv64", ROOT / "user/programs/hello.c", "-o", tmp_path / "hello")
    assert (done.returncode, done.stderr) == (0, "")
    assert examine_program(tmp_path / "hello", MACHINES["riscv64"]).wrong == ""
    done = cc("--machine", "vax", ROOT / "user/programs/hello.c", "-o", tmp_path / "hello")
    assert done.returncode == 2
    assert "takes one of x86_64, riscv64, riscv32" in done.stderr


def defined(*folders: Path) -> set[str]:
    """The functions that files of these folders define for others."""
    texts = [
        re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL) for folder in folders for file in folder.glob("*.c")
    ]
    return {
        name for text in texts for name in re.findall(r"^(?!static|#|typedef|extern)[\w *]*?\b(\w+)\([^;{]*\)\s*\{", text, re.MULTILINE)
    }


def test_what_the_native_libraries_have_alike_is_in_one_place() -> None:
    """user/native/ has it, compiled once for each; how a program gets to main() and how it ends is each library's own."""
    rcce, openmp = (defined(paths.ROOT / "user" / name, paths.ROOT / "user" / name / "start") for name in ("rcce", "openmp"))
    assert "RCCE_init" in rcce and "omp_set_lock" in openmp and rcce & openmp == {"_exit", "native_start"}
    assert {"sbrk", "usleep", "console_flush"} <= defined(paths.ROOT / "user/native")


def test_the_lock_of_one_word_is_written_once() -> None:
    """What takes it as 2 and sleeps is user/lib/lock.h, by which mutexes, the C library and Nanvix' library do; each says how it waits."""
    takes = re.compile(r"__atomic_exchange_n\(\w+, 2, __ATOMIC_ACQUIRE\)|__atomic_compare_exchange_n\(word, &free")
    files = [file for file in (paths.ROOT / "user").rglob("*.[ch]") if takes.search(file.read_text(encoding="utf-8"))]
    assert [file.relative_to(paths.ROOT / "user").as_posix() for file in files] == ["lib/lock.h"]
