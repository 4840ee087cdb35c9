/* SPDX-License-Identifier: MIT */
/* ulibc.c - a program of ulibc, which begins with __main2(), and checks what ulibc has. */
#include "check.h"

int __main2(int argc, const char *argv[]);

static void texts(void)
{
    char text[32], other[32];
    MUST(usprintf(text, "%s %d", "seven", 7) == 7 && !ustrcmp(text, "seven 7"));
    MUST(usnprintf(other, 4, "%s", text) == 7 && !ustrcmp(other, "sev"));
    MUST(ustrlen(text) == 7 && ustrnlen(text, 3) == 3 && ustrchr(text, 'v') == text + 2 &&
         ustrrchr(text, 'e') == text + 3);
    MUST(ustrstr(text, "en") == text + 3 && ustrspn(text, "sev") == 4 && ustrcspn(text, "n") == 4 &&
         ustrpbrk(text, "7n") == text + 4);
    MUST(!ustrncmp(text, "several", 4) && ustrcpy(other, text) == other && !ustrcmp(ustrcat(other, "!"), "seven 7!"));
    MUST(umemset(other, 0, sizeof other) == other && ustrncpy(other, text, 3) == other && !ustrcmp(other, "sev"));
    MUST(!ustrcmp(ustrncat(other, text, 1), "sevs") && !umemcmp(umemcpy(other, text, 8), text, 8));
    MUST(umemchr(text, '7', 8) == text + 6 && umemmove(text + 1, text, 5) == text + 1 && text[1] == 's');
    MUST(!ustrcmp(ustrerror(EINVAL), "EINVAL") && !ustrcmp(ustrerror(9999), "unknown error") &&
         !ustrcmp(ustrerror(-1), "unknown error"));
}

static void memory(void)
{
    char *block = umalloc(100), *more = ucalloc(10, 10);
    MUST(block && more && !more[99]);
    block[99] = 'x';
    block = urealloc(block, 1000);
    MUST(block && block[99] == 'x' && !umalloc((size_t)1 << 40));
    ufree(block);
    ufree(more);
}

static void chance(void)
{
    unsigned state = 7;
    usrand(7);
    int first = urand(), second = urand();
    MUST(first >= 0 && second >= 0 && first != second && urand_r(&state) == first && urand_r(&state) == second);
    usrand(7);
    MUST(urand() == first);
}

int __main2(int argc, const char *argv[])
{
    MUST(argc > 1 && !ustrcmp(argv[0], "ulibc"));
    texts();
    memory();
    chance();
    MUST(uprintf("%s", "a line") == 6);
    uassert(argc);
    if (!ustrcmp(argv[1], "assert"))
        uassert(argc == 0);
    if (!ustrcmp(argv[1], "panic"))
        upanic("as it was asked");
    uprintf("ulibc: right");
    return 4;
}
