/* SPDX-License-Identifier: MIT */
/* ulibc.c - checks the functions of ulibc; such a program begins with __main2(). */
#include "../../../user/programs/nanvix/check.h"

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

#define BLOCK 80

static unsigned char block[2 * BLOCK], expected[2 * BLOCK];

static void prepare(void)
{
    for (int i = 0; i < 2 * BLOCK; i++)
        block[i] = expected[i] = (unsigned char)(i * 7);
}

static void must_be_equal(void)
{
    for (int i = 0; i < 2 * BLOCK; i++)
        MUST(block[i] == expected[i]);
}

/* Check a copy between overlapping and, in the last turn, separate places. */
static void move(int to, int from, int n)
{
    prepare();
    MUST(umemmove(block + to, block + from, (size_t)n) == block + to);
    for (int i = 0; i < n; i++)
        expected[to + i] = (unsigned char)((from + i) * 7);
    must_be_equal();
    if (from + n > BLOCK)
        return;
    prepare();
    MUST(umemcpy(block + BLOCK + to, block + from, (size_t)n) == block + BLOCK + to);
    for (int i = 0; i < n; i++)
        expected[BLOCK + to + i] = expected[from + i];
    must_be_equal();
    MUST(umemset(block + to, n, (size_t)n) == block + to);
    for (int i = 0; i < n; i++)
        expected[to + i] = (unsigned char)n;
    must_be_equal();
}

static void blocks(void)
{
    for (int n = 0; n <= BLOCK - 20; n += n < 20 ? 1 : 5)
        for (int to = 0; to < 18; to += 1 + to % 3)
            for (int from = 0; from < 18; from += 1 + from % 4)
                move(to, from, n);
}

static void memory(void)
{
    char *block = umalloc(100), *more = ucalloc(10, 10);
    MUST(block && more && !more[99]);
    block[99] = 'x';
    block = urealloc(block, 1000);
    MUST(block && block[99] == 'x' && !umalloc((size_t)1 << 30));
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
    blocks();
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
