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
    MUST(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) >= 1 && sysconf(_SC_OPEN_MAX) == 19);
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


def test_type_generic_mathematics(process: Callable[..., Done], tmp_path: Path) -> None:
    made = compiled(tmp_path, GENERIC)
    assert made.returncode == 0, made.stderr
    assert process(tmp_path / "program", "program").returncode == 0
    refused = compiled(tmp_path, "#include <tgmath.h>\nint main(int n, char **v) { (void)v; return (int)sin((long double)n); }")
    assert refused.returncode != 0 and "no such function of long double" in refused.stderr
