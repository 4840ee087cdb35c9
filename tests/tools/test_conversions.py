# SPDX-License-Identifier: MIT
"""What printf, scanf and strtod make of numbers: the same as this machine's C library."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Done = subprocess.CompletedProcess


PRINTED = r"""
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
static const char *const formats[] = { "%f", "%e", "%g", "%.0f", "%#.0f", "%.0e", "%#.0g", "%.3f", "%.25f", "%.40e", "%.17g", "%20.5f|",
    "%-20.5e|", "%020.3f|", "%+f", "% f", "%G", "%.1f", "%.2g", "%.60f", "%E", "%F", "%.20g", "%5.1f|", "%.330f", "%.400g" };
static const double numbers[] = { 0.0, -0.0, 1, -1, 0.1, 0.5, 1.5, 2.5, 0.05, 9.995, 99999.5, 999999.5, 123456789, 1e15, 1e16, 1e22, 1e23,
    5e-324, DBL_MIN, DBL_MAX, 1.0 / 3, 2.0 / 3, 3.14159265358979, 1e-5, 1e-4, 0.00012345, 4294967296.0, 9007199254740993.0, 999999999.5,
    0.999999999999, 1e9, 1e-9, 1e100, 1.7976931348623157e308, 2.2250738585072011e-308, INFINITY, -INFINITY, NAN, 123456.5e-20 };
int main(void)
{
    unsigned long long seed = 1;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            printf(formats[f], numbers[i]);
            printf("\n");
        }
        for (int i = 0; i < 40; i++) {
            double d;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            memcpy(&d, &seed, sizeof d);
            printf(formats[f], d);
            printf("\n");
        }
    }
    printf("%.3Lf %Lg %g %d %s\n", 1.5L, 0.5L, 2.5, 7, "behind");
    printf("%Lf %Le %.30Lg\n", LDBL_MAX, LDBL_MIN, 1.0L / 3);
    long double odd[] = { 0, 1, INFINITY };
    for (int i = 0; i < 3; i++) {
        ((unsigned char *)&odd[i])[7] ^= 0x80; /* the first bit of the mantissa is wrong: no number but the first */
        printf("%d\n", snprintf(NULL, 0, "%Lf", odd[i]));
    }
    printf("%.20Lg %.0Lf %La\n", LDBL_EPSILON, 2.5L, 0.0L);
    printf("%a %A %.0a %.1a %.5a %20a| %-20a| %#.0a %a %a\n", 1.0, 0.1, 1.5, 1.97, 3.14, 10.0, 10.0, 1.0, 0.0, -DBL_MAX);
    signed char hh = 0;
    short h = 0;
    int n = 0;
    long l = 0;
    long long ll = 0;
    intmax_t j = 0;
    size_t z = 0;
    ptrdiff_t t = 0;
    printf("12345%n67%hhn8%hn9%ln0%lln1%jn2%zn3%tn\n", &n, &hh, &h, &l, &ll, &j, (ssize_t *)&z, &t);
    printf("%d %d %d %ld %lld %jd %zu %td\n", n, hh, h, l, ll, j, z, t);
    printf("%d %i %5d| %-5d| %05d| %+d % d %.3d %.0d| %hhd %hd %ld %lld\n", INT_MIN, 42, 42, 42, 42, 42, 42, 5, 0, 300, 70000, LONG_MIN, LLONG_MIN);
    printf("%u %o %#o %#.0o %#x %#X %x %#x %hhx %hx %lx %llx %08.3x| %zx %jx %tx\n", UINT_MAX, 8, 8, 0, 255, 255, 255, 0, 511, 65537, ULONG_MAX,
        ULLONG_MAX, 10, (size_t)77, (uintmax_t)UINTMAX_MAX, (ptrdiff_t)9);
    printf("%s|%10s|%-10s|%.2s|%.0s|%c|%3c|%-3c|%%\n", "text", "text", "text", "text", "text", 'x', 'y', 'z');
    printf("%2$d %1$s %2$05d %3$*4$d|%3$-*4$.*2$d|\n", "first", 2, 3, 6);
    printf("%*d|%-*d|%*d|%.*f|%.*f\n", 6, 1, 6, 2, -6, 3, 2, 1.239, -1, 1.5);
    printf("%ls %lc %5.2ls|\n", L"wide", (wint_t)L'w', L"wide");
    printf("%p %d\n", (void *)16, snprintf(NULL, 0, "%.1000f", DBL_MIN));
    printf("%#g %#.0g %#g\n", 1.5, 3.0, 0.0); /* glibc 2.36 prints 999999.5 wrongly by it */
    char small[4];
    int would = snprintf(small, sizeof small, "%d", 123456);
    printf("%d %s %.*s\n", would, small, 2, "abc");
    return 0;
}
"""


def here_and_there(text: str, run: Callable[..., Done], tmp_path: Path) -> tuple[list[str], list[str]]:
    """The lines that a program prints with our library, and with the host's."""
    ours = run(text, "-w", prologue="").stdout
    host = subprocess.run(["gcc", "-w", "-O1", tmp_path / "main.c", "-o", tmp_path / "host"], check=False)
    assert host.returncode == 0
    hosts = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True).stdout
    return ours.splitlines(), hosts.splitlines()


def test_printf_prints_what_the_hosts_prints(run: Callable[..., Done], tmp_path: Path) -> None:
    ours, hosts = here_and_there(PRINTED, run, tmp_path)
    assert ours == hosts


NUMBERS = r"""
#include <errno.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *const fixed[] = { "0", "-0", "1", "  +1.5x", "1e", "1e+", "1e+5", ".5", ".", "+", "-.e1", "0x", "0x1p3", "0x1.8", "0X.8p-1", "0x.p1",
    "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x1p-20000", "0x1p20000", "inf", "-INFINITY", "infinit",
    "nan", "nan(x)", "nan(", "NAN(a b)", "1e400", "-1e400", "1e-400", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793e289", "9007199254740993", "9007199254740992.5",
    "9007199254740993.00000000000000000000000000000000000000000000000000000000000000000001", "0.1", "1e23", "8.5e22", "123456789012345678901234567890",
    "0.000000000000000000000000000000000000000000000000000000000000000000000001", "1e99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "00000000000000000000000000000000000000000000000000001e-1", "1.1897314953572317650e4932", "16777217",
    "3.4028235677973366e38", "3.4028235677973365e38", "1.4012984643e-45", "7.0e-46", "0x1.000001p0", "0x1.0000010000001p0", "0x123456789abcdef123456789abcdefp-3" };
static void show(const char *text)
{
    char *end, bytes[40];
    uint64_t d;
    uint32_t f;
    errno = 0;
    double value = strtod(text, &end);
    memcpy(&d, &value, 8);
    printf("%.40s: %016llx %d %d; ", text, (unsigned long long)d, (int)(end - text), errno == ERANGE);
    errno = 0;
    float small = strtof(text, &end);
    memcpy(&f, &small, 4);
    printf("%08x %d %d; ", f, (int)(end - text), errno == ERANGE);
    memset(bytes, 0, sizeof bytes);
    errno = 0;
    long double large = strtold(text, &end);
    memcpy(bytes, &large, 10);
    for (int i = 9; i >= 0; i--)
        printf("%02x", (unsigned char)bytes[i]);
    printf(" %d %d\n", (int)(end - text), errno == ERANGE);
}
int main(void)
{
    static char text[2000];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        show(fixed[i]);
    for (int i = 0; i < 3000; i++) {
        double d, next;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&d, &seed, sizeof d);
        if (d != d || d - d != 0)
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(seed >> 5 & 31), d);
        show(text);
        uint64_t up = seed + 1;
        memcpy(&next, &up, sizeof next);
        snprintf(text, sizeof text, "%.1200Lg", ((long double)d + (long double)next) / 2); /* a tie */
        if (i % 10 == 0)
            show(text);
    }
}
"""


def test_numbers_are_read_as_the_hosts_reads_them(run: Callable[..., Done], tmp_path: Path) -> None:
    """With the last bit, at ties, and where they end; but glibc's ERANGE of a number that is rounded up to the least normal one."""
    ours, hosts = here_and_there(NUMBERS, run, tmp_path)
    assert ours == hosts


SCANNED = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#define SHOW(text, format, ...) \
    do { \
        memset(to, 0, sizeof to); \
        int n = sscanf(text, format, __VA_ARGS__); \
        printf("%s by %s: %d", text, format, n); \
        for (size_t i = 0; i < sizeof to; i++) \
            printf(" %02x", to[i]); \
        printf("\n"); \
    } while (0)
static unsigned char to[48] __attribute__((aligned(16)));
#define A (void *)to
#define B (void *)(to + 16)
#define C (void *)(to + 32)
int main(void)
{
    static const char *const integers[] = { "%d", "%i", "%u", "%o", "%x", "%2i", "%3d", "%hhd", "%hd", "%ld", "%lld", "%jd", "%zu", "%td", "%p", "%5x" };
    static const char *const texts[] = { "12", " -12abc", "+7", "0x1f", "0x", "0xg", "017", "089", "-", "", " ", "x", "4294967295", "-0x10", "0b1", "1234567" };
    static const char *const floats[] = { "%f", "%lf", "%3lf", "%e", "%lg", "%la", "%5f" };
    static const char *const numbers[] = { "1.5", "1e", "1e5x", "10e+", ".5", ".", "-.5e-3", "0x1.8p1", "0x", "inf", "infx", "infinity", "in", "+", "123456", "1.2.3" };
    for (size_t f = 0; f < sizeof integers / sizeof *integers; f++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            SHOW(texts[t], integers[f], A);
    for (size_t f = 0; f < sizeof floats / sizeof *floats; f++)
        for (size_t t = 0; t < sizeof numbers / sizeof *numbers; t++)
            SHOW(numbers[t], floats[f], A);
    SHOW("12 34x", "%d %d%n", A, B, C);
    SHOW("abc def", "%s%s", A, B);
    SHOW("abcdef", "%3s%c%2c", A, B, C);
    SHOW("abc", "%5c", A);
    SHOW("a-z]b", "%[a-z-]%[]b]", A, B);
    SHOW("xyz", "%[^z]z%n", A, B);
    SHOW("xyz", "%[abc]", A);
    SHOW("5%7", "%d%%%d", A, B);
    SHOW("5 %7", "%d%%%d", A, B);
    SHOW("5,6", "%d,%d", A, B);
    SHOW("5;6", "%d,%d", A, B);
    SHOW("1 2", "%2$d %1$d", A, B);
    SHOW("1 2 3", "%*d %d %*d%n", A, B);
    SHOW("  x", "%c", A);
    SHOW("", "%d", A);
    SHOW("  ", "%s", A);
    SHOW("", "", A);
    SHOW("12", "%hhd%n", A, B);
    SHOW("wide text", "%ls%lc", A, B);
    SHOW("1.5 2.5", "%lf%Lf", A, B);
    SHOW("-1", "%u", A);
    return 0;
}
"""


HALVES = (
    "0x by",
    "0xg by",
    "0x1f by %2i",
    "1e by",
    "10e+ by",
    "-.5e-3 by %5f",
    "abc by %5c",
)  # which begin a number and are none (C17 7.21.6.2); glibc takes what is before


def test_scanf_reads_what_the_hosts_reads_but_no_half_of_a_number(run: Callable[..., Done], tmp_path: Path) -> None:
    ours, hosts = here_and_there(SCANNED, run, tmp_path)
    differ = [pair for pair in zip(ours, hosts, strict=True) if pair[0] != pair[1]]
    assert [pair for pair in differ if not pair[0].startswith(HALVES)] == []
    assert len(differ) == 27 and all(": 0 " in our for our, _host in differ)
