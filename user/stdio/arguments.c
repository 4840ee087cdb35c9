/* SPDX-License-Identifier: MIT */
/* arguments.c - takes printf's arguments, one after the other or by number (%2$d). */
#include <string.h>

#include "format.h"

static union value take(va_list *from, enum kind kind)
{
    union value v = { 0 };
    switch (kind) {
    case NONE: break;
    case INT: v.integer = va_arg(*from, int); break;
    case LONG: v.integer = va_arg(*from, long); break;
    case LONG_LONG: v.integer = va_arg(*from, long long); break;
    case MAX: v.integer = va_arg(*from, intmax_t); break;
    case SIZE: v.integer = (intmax_t)va_arg(*from, size_t); break;
    case DIFFERENCE: v.integer = va_arg(*from, ptrdiff_t); break;
    case POINTER: v.pointer = va_arg(*from, void *); break;
    case DOUBLE: v.number = va_arg(*from, double); break;
    case LONG_DOUBLE: v.long_number = va_arg(*from, long double); break;
    }
    return v;
}

static bool note_kind(enum kind *kinds, int number, enum kind kind)
{
    if (number < 1 || number > MOST_NUMBERED)
        return number < 0 || kind == NONE;
    kinds[number] = kind;
    return true;
}

bool arguments_take(const char *format, struct arguments *arguments)
{
    enum kind kinds[MOST_NUMBERED + 1] = { NONE };
    struct conversion c;
    while ((format = strchr(format, '%'))) {
        format = conversion_read(format + 1, &c);
        if (c.letter == '%')
            continue;
        if (!c.number && !arguments->numbered)
            return true;
        arguments->numbered = true;
        if (!note_kind(kinds, c.width_of, INT) || !note_kind(kinds, c.precision_of, INT) ||
            !note_kind(kinds, c.number, conversion_kind(&c)))
            return false;
    }
    int last = MOST_NUMBERED;
    while (last && !kinds[last])
        last--;
    for (int i = 1; i <= last; i++) {
        if (!kinds[i])
            return false;
        arguments->values[i] = take(&arguments->next, kinds[i]);
    }
    return true;
}

union value argument_next(struct arguments *from, int number, enum kind kind)
{
    return from->numbered ? from->values[number] : take(&from->next, kind);
}
