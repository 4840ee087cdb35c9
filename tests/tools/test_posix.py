# SPDX-License-Identifier: MIT
"""What of POSIX and ISO C programs ask for beside stdio and threads: on this machine's Linux (process_runner.c)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from amalgam import paths
from amalgam.artifacts.cpio import Archive

Done = subprocess.CompletedProcess

ASKED = r"""
#include <complex.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s, errno %d\n", __LINE__, #what, errno); } while (0)
#if _POSIX_VERSION < 200809L
#error "_POSIX_VERSION"
#endif
#line 1
static void files(void)
{
    char text[PATH_MAX], *made;
    int file = open("/folder/data", O_RDONLY);
    MUST(pread(file, text, 3, 4) == 3 && !memcmp(text, "456", 3) && lseek(file, 0, SEEK_CUR) == 0);
    MUST(pread(file, text, 30, 10) == 0 && pread(file, text, 30, 1000) == 0);
    MUST(pread(file, text, 1, -1) == -1 && errno == EINVAL);
    MUST(pread(0, text, 1, 0) == -1 && errno == ESPIPE && pread(99, text, 1, 0) == -1 && errno == EBADF);
    MUST(pwrite(file, text, 1, 0) == -1 && errno == EBADF);
    MUST(realpath("folder/../folder/./data", text) == text && !strcmp(text, "/folder/data"));
    MUST((made = realpath("/", NULL)) && !strcmp(made, "/"));
    MUST(!realpath("/none", text) && errno == ENOENT && !realpath("", text) && errno == ENOENT);
    MUST(getcwd(text, sizeof text) == text && !strcmp(text, "/") && !getcwd(text, 1) && errno == ERANGE);
    free(made);
}
static void names(void)
{
    struct utsname u;
    char host[32];
    MUST(uname(&u) == 0 && !strcmp(u.sysname, "Amalgam") && !strcmp(u.nodename, "domain7") && *u.machine && *u.release);
    MUST(gethostname(host, sizeof host) == 0 && !strcmp(host, u.nodename) && gethostname(host, 3) == -1 && errno == ENAMETOOLONG);
    MUST(getuid() == geteuid() && getgid() == getegid() && getpid() == 7);
    MUST(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) >= 1 && sysconf(_SC_OPEN_MAX) == 64);
    errno = 0;
    MUST(sysconf(_SC_ATEXIT_MAX) == -1 && errno == 0 && sysconf(-7) == -1 && errno == EINVAL);
}
static void numbers(void)
{
    unsigned char a[40] = { 0 }, b[40] = { 0 }, nothing[8] = { 0 };
    ssize_t n = getrandom(a, sizeof a, 0);
    if (n < 0) {
        MUST(errno == ENOSYS && getentropy(b, sizeof b) == -1 && errno == ENOSYS);
        puts("no random numbers");
        return;
    }
    MUST(n == sizeof a && getentropy(b, sizeof b) == 0 && memcmp(a, b, sizeof a));
    MUST(memcmp(a, nothing, 8) && memcmp(a + 32, nothing, 8) && memcmp(a, a + 8, 8));
    MUST(getentropy(b, 257) == -1 && errno == EIO && getrandom(a, 1, 64) == -1 && errno == EINVAL);
}
int main(void)
{
    struct timespec t, now;
    char16_t c16;
    char32_t c32;
    char byte;
    files();
    names();
    numbers();
    MUST(timespec_get(&t, TIME_UTC) == TIME_UTC && timespec_get(&t, 77) == 0);
    clock_gettime(CLOCK_REALTIME, &now);
    MUST(now.tv_sec - t.tv_sec <= 1 && SSIZE_MAX == LONG_MAX);
    MUST(mbrtoc32(&c32, "\xe4", 1, NULL) == 1 && c32 == 0xe4 && mbrtoc16(&c16, "", 1, NULL) == 0 && mbrtoc16(&c16, "a", 0, NULL) == (size_t)-2);
    MUST(c32rtomb(&byte, 'x', NULL) == 1 && byte == 'x' && c16rtomb(&byte, 0x20ac, NULL) == (size_t)-1 && errno == EILSEQ);
    return wrong;
}
"""

# What picolibc has otherwise. The numbers of drand48() and its kind are glibc's.
MENDED = r"""
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <unistd.h>
static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s, errno %d\n", __LINE__, #what, errno); } while (0)
#line 1
static void patterns(void)
{
    MUST(!fnmatch("*[[:alpha:]]/*[[:alnum:]]", "a/b", FNM_PATHNAME) && fnmatch("[[:digit:]]", "a", 0) == FNM_NOMATCH);
    MUST(!fnmatch("a*b*c", "aXbXbXc", 0) && fnmatch("a*b", "a/b", FNM_PATHNAME) && !fnmatch("a*b", "a/b", 0));
    MUST(fnmatch("*.c", ".c", FNM_PERIOD) && fnmatch("a/?c", "a/.c", FNM_PATHNAME | FNM_PERIOD) && !fnmatch("[!a-c]", "d", 0));
    MUST(!fnmatch("[a", "[a", 0) && !fnmatch("\\*", "*", 0) && fnmatch("\\*", "x", 0) && !fnmatch("[[.-.]]", "-", 0));
    MUST(fnmatch("[a/b]", "/", FNM_PATHNAME) && !fnmatch("", "", 0) && fnmatch("", "a", 0) && !fnmatch("[]]", "]", 0));
    char many[201] = { 0 }, text[201] = { 0 };
    for (int i = 0; i < 100; i++)
        memcpy(many + 2 * i, "*a", 2);
    memset(text, 'a', 199);
    text[199] = 'b';
    MUST(fnmatch(many, text, 0) == FNM_NOMATCH); /* soon */
}
static void wide(void)
{
    wchar_t *end;
    const wchar_t *text = L"  -0x7fz";
    MUST(wcstol(text, &end, 0) == -127 && end == text + 7 && wcstol(L"123", &end, 37) == 0 && errno == EINVAL);
    errno = 0;
    MUST(wcstol(L"99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && !*end && wcstol(L"-9x", &end, 10) == -9);
    errno = 0;
    MUST(wcstoll(L"-9223372036854775808", NULL, 10) == LLONG_MIN && wcstoull(L"-1", NULL, 10) == ULLONG_MAX && errno == 0);
    MUST(wcstoul(L"-99999999999999999999", NULL, 10) == ULONG_MAX && errno == ERANGE && wcstol(text = L"0xz", &end, 16) == 0 && end == text + 1);
    MUST(wcstol(text = L"+", &end, 10) == 0 && end == text && wcstoimax(L"z", NULL, 36) == 35 && wcstoumax(L"077", NULL, 0) == 63);
}
static void *next(void *to) { *(long *)to = lrand48(); return NULL; }
static void sequences(void)
{
    pthread_t t;
    long got;
    MUST(lrand48() == 0 && lrand48() == 2116118 && lrand48() == 89401895);
    srand48(1);
    pthread_create(&t, NULL, next, &got);
    pthread_join(t, NULL);
    MUST(got == 89400484 && lrand48() == 976015093); /* the sequence is the process's */
    unsigned short own[3] = { 1, 2, 3 }, *before = seed48(own);
    MUST(nrand48(own) == 949179875 && own[0] == 0xe678 && before != own && jrand48(own) == 1130126687);
    srand48(-1);
    double d = drand48();
    MUST(d > 0.3000257274 && d < 0.3000257275 && lrand48() == 97305740 && mrand48() == 1537280864);
    unsigned short all[7] = { 1, 2, 3, 4, 5, 6, 7 };
    lcong48(all);
    MUST(lrand48() == 917510);
}
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int main(void)
{
    char name[] = "/fooXXXX", longer[] = "/fooXXXXXX", nowhere[] = "/none/XXXXXX", folder[] = "dXXXXXX";
    patterns();
    wide();
    sequences();
    MUST(mkstemp(name) == -1 && errno == EINVAL && !strcmp(name, "/fooXXXX"));
    char one[] = "aXXXXXX", two[] = "aXXXXXX";
    MUST(mktemp(one) == one && mktemp(two) == two && strcmp(one, two) && !strchr(one, 'X') && one[0] == 'a' && !*mktemp(name));
    MUST(fnmatch("[[:d-d]", "[", 0) == FNM_NOMATCH);
    MUST(mkstemp(nowhere) == -1 && errno == ENOENT && !strcmp(nowhere, "/none/XXXXXX"));
    MUST(mkstemp(longer) == 3 && strcmp(longer, "/fooXXXXXX") && access(longer, R_OK) == 0 && write(3, "x", 1) == 1);
    MUST(mkdtemp(folder) == folder && access(folder, X_OK) == 0);
    return wrong;
}
"""

GENERIC = r"""
#include <tgmath.h>
#define IS(expression, type) _Static_assert(_Generic((expression), type: 1, default: 0), #expression)
int main(void)
{
    float f = 2;
    long double l = 2;
    IS(sqrt(f), float);
    IS(sqrt(2), double);
    IS(sqrt(l), long double);
    IS(pow(f, f), float);
    IS(pow(f, 2), double);
    IS(pow(2.0, 1 + 0 * I), double complex);
    IS(sin(f * I), float complex);
    IS(fabs(l), long double);
    IS(fabs(f * I), float);
    IS(cimag(f), float);
    IS(fmax(1, f), double);
    return sqrt(4) != 2 || pow(2, 3) != 8 || lrint(2.5f) != 2 || fabs(3 + 4 * I) != 5 || floor(1.5f) != 1;
}
"""


MAPPED = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s, errno %d\n", __LINE__, #what, errno); } while (0)
#define FAILS(error, n, flags, file, offset) \
    MUST(mmap(NULL, n, PROT_READ, flags, file, offset) == MAP_FAILED && errno == (error))
#line 1
int main(void)
{
    static char text[5000];
    int file = open("/data", O_RDWR), ends[2], written = open("/written", O_CREAT | O_WRONLY, 0600);
    char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    MUST(at != MAP_FAILED && !memcmp(at, "0123456789", 10) && at[4999] == '9' && !at[5000] && !at[8191]);
    memset(at, 'x', 8192);
    MUST(pread(file, text, 5000, 0) == 5000 && text[0] == '0' && text[4999] == '9');
    char *over = mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 4096);
    MUST(over == at && !memcmp(at, text + 4096, 5000 - 4096) && !at[904] && at[4096] == 'x' && !munmap(at, 8192));
    FAILS(EBADF, 10, MAP_PRIVATE, 99, 0);
    FAILS(EINVAL, 10, MAP_PRIVATE, file, 10);
    FAILS(EINVAL, 0, MAP_PRIVATE, file, 0);
    FAILS(EINVAL, 10, 0, file, 0);
    FAILS(EINVAL, 10, MAP_SHARED | MAP_PRIVATE, file, 0);
    FAILS(EACCES, 10, MAP_PRIVATE, written, 0);
    FAILS(ENOTSUP, 10, MAP_SHARED, file, 0);
    MUST(mmap(NULL, 10, PROT_WRITE, MAP_SHARED, open("/data", O_RDONLY), 0) == MAP_FAILED && errno == EACCES);
    MUST(!pipe(ends) && mmap(NULL, 10, PROT_READ, MAP_PRIVATE, ends[0], 0) == MAP_FAILED && errno == ENODEV);
    MUST(!fsync(file) && fsync(ends[1]) == -1 && errno == EINVAL && fsync(99) == -1 && errno == EBADF);
    MUST((at = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED && !*at);
    return wrong;
}
"""


def compiled(folder: Path, text: str, *words: str) -> Done:
    (folder / "main.c").write_text(text, encoding="utf-8")
    command = [paths.ROOT / "amalgam", "cc", "-Wall", "-Wextra", "-Werror", "-O2", *words, folder / "main.c", "-o", folder / "program"]
    return subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)


def test_what_public_programs_ask_for_is_there(process: Callable[..., Done], tmp_path: Path) -> None:
    archive = Archive()
    archive.directory("folder")
    archive.file("folder/data", b"0123456789")
    (tmp_path / "archive").write_bytes(archive.bytes())
    made = compiled(tmp_path, ASKED)
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "program", files=tmp_path / "archive")
    assert (done.returncode, done.stdout.replace("no random numbers\n", "")) == (0, ""), done


def test_patterns_wide_integers_and_sequences_are_as_posix_says(process: Callable[..., Done], tmp_path: Path) -> None:
    made = compiled(tmp_path, MENDED)
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "program", threads=2)
    assert (done.returncode, done.stdout) == (0, ""), done


def test_type_generic_mathematics(process: Callable[..., Done], tmp_path: Path) -> None:
    made = compiled(tmp_path, GENERIC)
    assert made.returncode == 0, made.stderr
    assert process(tmp_path / "program", "program").returncode == 0
    refused = compiled(tmp_path, "#include <tgmath.h>\nint main(int n, char **v) { (void)v; return (int)sin((long double)n); }")
    assert refused.returncode != 0 and "no such function of long double" in refused.stderr


def test_a_private_mapping_of_a_file_is_a_copy_of_it(process: Callable[..., Done], tmp_path: Path) -> None:
    archive = Archive()
    archive.file("data", b"0123456789" * 500)
    (tmp_path / "archive").write_bytes(archive.bytes())
    made = compiled(tmp_path, MAPPED)
    assert made.returncode == 0, made.stderr
    done = process(tmp_path / "program", "program", files=tmp_path / "archive")
    assert (done.returncode, done.stdout) == (0, ""), done
