/* SPDX-License-Identifier: MIT */
/* misc.c - command-line words, memory, sorting, power-off. */
#include <guest.h>

void *memcpy(void *to, const void *from, size_t n)
{
    void *d = to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    void *d = to;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
    return to;
}

bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static const char *find(const char *name)
{
    for (const char *p = boot.cmdline; *p;) {
        const char *n = name;
        while (*n && *p == *n)
            p++, n++;
        if (!*n && *p == '=')
            return p + 1;
        while (*p && *p != ' ')
            p++;
        while (*p == ' ')
            p++;
    }
    return NULL;
}

uint64_t arg_number(const char *name, uint64_t otherwise)
{
    const char *p = find(name);
    if (!p)
        return otherwise;
    uint64_t value = 0;
    unsigned base = 10;
    if (p[0] == '0' && p[1] == 'x')
        base = 16, p += 2;
    for (;; p++) {
        unsigned digit = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : 99;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

void arg_text(const char *name, const char *otherwise, char *out, size_t size)
{
    const char *p = find(name);
    size_t n = 0;
    for (p = p ? p : otherwise; *p && *p != ' ' && n + 1 < size; p++)
        out[n++] = *p;
    out[n] = 0;
}

static void sift(uint64_t *a, size_t root, size_t n)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        uint64_t t = a[root];
        a[root] = a[child];
        a[child] = t;
    }
}

void sort_u64(uint64_t *a, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(a, i, n);
    while (n > 1) {
        uint64_t t = a[--n];
        a[n] = a[0];
        a[0] = t;
        sift(a, 0, n);
    }
}

void power_off(void)
{
    outw(0x604, 5 << 10 | 1 << 13); /* the virtual PC's S5 */
    outw(0x604, 0 << 10 | 1 << 13); /* QEMU's q35, whose S5 is type 0 */
    for (;;)
        __asm__ volatile("cli; hlt");
}

void machine_reset(void)
{
    outb(0xcf9, 6);
    for (;;)
        __asm__ volatile("cli; hlt");
}
