/* SPDX-License-Identifier: MIT */
/* lib.c - SBI calls, lines of text, accesses that may fault. */
#include "guest.h"

#include <stdarg.h>

ulong touch_asm(enum access how, ulong address);
ulong touch_user_asm(enum access how, ulong address, ulong pc);
void other_start(void);
void first_hart(ulong hart, const void *tree, ulong start_number);

/* The compiler generates calls of these. */
void *memset(void *to, int byte, size_t size);
void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((u8 *)to)[i] = (u8)byte;
    return to;
}

void *memcpy(void *to, const void *from, size_t size);
void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((u8 *)to)[i] = ((const u8 *)from)[i];
    return to;
}

struct sbi sbi_call(ulong extension, ulong function, ulong arg0, ulong arg1, ulong arg2, ulong arg3)
{
    register ulong a0 __asm__("a0") = arg0, a1 __asm__("a1") = arg1, a2 __asm__("a2") = arg2, a3 __asm__("a3") = arg3;
    register ulong a6 __asm__("a6") = function, a7 __asm__("a7") = extension;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a3), "r"(a6), "r"(a7) : "memory");
    return (struct sbi){ (long)a0, a1 };
}

void sleep_until(ulong end)
{
    csr_set(sie, 32);
    sbi_call(SBI_TIME, 0, end, 0, 0, 0);
    while ((long)(csr_read(time) - end) < 0) {
        csr_clear(sip, 2);
        wfi();
    }
    sbi_call(SBI_TIME, 0, ~0ul, ~0ul, 0, 0);
}

_Noreturn void power_off(bool failed)
{
    sbi_call(SBI_SRST, 0, 0, failed, 0, 0);
    for (;;)
        wfi();
}

/* Write all of the text; one call to the console may take only a part. */
static void write(const char *text, size_t size)
{
    while (size) {
        struct sbi taken = sbi_call(SBI_DBCN, 0, size, (ulong)text, 0, 0);
        if (taken.error)
            return;
        text += taken.value;
        size -= taken.value;
    }
}

struct line {
    char text[240];
    size_t size;
};

static void add(struct line *line, char c)
{
    if (line->size < sizeof(line->text))
        line->text[line->size++] = c;
}

static void add_number(struct line *line, ulong value, unsigned base)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n)
        add(line, digits[--n]);
}

void say(const char *format, ...)
{
    struct line line = { .size = 0 };
    va_list list;
    va_start(list, format);
    for (; *format; format++) {
        if (*format != '%') {
            add(&line, *format);
            continue;
        }
        bool is_long = *++format == 'l';
        format += is_long;
        if (*format == 's') {
            for (const char *s = va_arg(list, const char *); *s; s++)
                add(&line, *s);
        } else {
            long value = is_long ? va_arg(list, long) : *format == 'd' ? va_arg(list, int) : (long)va_arg(list, u32);
            if (*format == 'd' && value < 0) {
                add(&line, '-');
                value = -value;
            }
            add_number(&line, (ulong)value, *format == 'd' || *format == 'u' ? 10 : 16);
        }
    }
    va_end(list);
    write(line.text, line.size);
}

ulong own_number(ulong hart) { return hart == board.master ? 0 : hart - board.first_slave + 1; }

struct sbi hart_start(ulong hart) { return sbi_call(SBI_HSM, 0, hart, (ulong)other_start, own_number(hart), 0); }

ulong touch(enum access how, ulong address) { return touch_asm(how, address); }

ulong touch_user(enum access how, ulong address, ulong code) { return touch_user_asm(how, address, code); }

void first_hart(ulong hart, const void *tree, ulong start_number)
{
    tree_read(tree);
    guest_main(hart, start_number);
}

void say_access(const char *what, ulong address, const char *modes)
{
    static const char *names[] = { "load", "store", "fetch" };
    for (; *modes; modes++) {
        enum access how = *modes == 'l' ? LOAD : *modes == 's' ? STORE : FETCH;
        say("%s %s: %lu\n", what, names[how], touch(how, address));
    }
}
