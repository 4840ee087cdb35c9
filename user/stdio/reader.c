/* SPDX-License-Identifier: MIT */
/* reader.c - takes the characters of a floating-point number (number.h). */
#include <ctype.h>
#include <limits.h>

#include "number.h"

void reader_begin(struct reader *r)
{
    r->state = AT_SIGN;
    r->kind = NUMBER_FINITE;
    r->negative = r->hexadecimal = r->has_digits = r->has_point = r->exponent_negative = r->more = false;
    r->taken = r->accepted = 0;
    r->word = NULL;
    r->point = r->exponent = r->used_exponent = 0;
    r->n = 0;
}

static int digit_of(int c, bool hexadecimal)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    int letter = c | 0x20;
    return hexadecimal && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void keep_digit(struct reader *r, int digit)
{
    r->has_digits = true;
    if (!r->has_point && r->point < LONG_MAX - 1 && (r->n || digit))
        r->point++;
    if (r->has_point && !r->n && !digit && r->point > LONG_MIN + 1)
        r->point--;
    if (!r->n && !digit)
        return;
    if (r->n < MOST_KEPT)
        r->digits[r->n++] = (uint8_t)digit;
    else if (digit)
        r->more = true;
}

/* Take a character of a number's digits, of its point, or the letter of its exponent. */
static bool take_digit(struct reader *r, int c)
{
    int digit = digit_of(c, r->hexadecimal);
    if (digit >= 0) {
        keep_digit(r, digit);
        r->accepted = r->taken;
        return true;
    }
    if (c == '.' && !r->has_point) {
        r->has_point = true;
        if (r->has_digits)
            r->accepted = r->taken;
        return true;
    }
    if (r->has_digits && (c | 0x20) == (r->hexadecimal ? 'p' : 'e')) {
        r->state = AT_EXPONENT_SIGN;
        return true;
    }
    return false;
}

static bool take_exponent(struct reader *r, int c)
{
    if (r->state == AT_EXPONENT_SIGN && (c == '+' || c == '-')) {
        r->exponent_negative = c == '-';
        r->state = AT_EXPONENT;
        return true;
    }
    if (c < '0' || c > '9')
        return false;
    r->state = IN_EXPONENT;
    if (r->exponent < LONG_MAX / 16)
        r->exponent = r->exponent * 10 + (c - '0');
    r->used_exponent = r->exponent_negative ? -r->exponent : r->exponent;
    r->accepted = r->taken;
    return true;
}

/* Take a character of "infinity" or "nan", or of what stands behind "nan" in parentheses. */
static bool take_word(struct reader *r, int c)
{
    if (r->state == IN_PAYLOAD) {
        if (c == ')') {
            r->state = AT_END;
            r->accepted = r->taken;
        }
        return c == ')' || c == '_' || isalnum(c);
    }
    if (!*r->word && r->kind == NUMBER_NAN && c == '(') {
        r->state = IN_PAYLOAD;
        return true;
    }
    if (!*r->word || (c | 0x20) != *r->word)
        return false;
    r->word++;
    /* "inf" is a number, too */
    if (!*r->word || (r->kind == NUMBER_INFINITE && *r->word == 'i' && r->word[1] == 'n' && r->word[2] == 'i'))
        r->accepted = r->taken;
    return true;
}

static bool take_first(struct reader *r, int c)
{
    if (r->state == AT_SIGN && (c == '+' || c == '-')) {
        r->negative = c == '-';
        r->state = AT_FIRST;
        return true;
    }
    int letter = c | 0x20;
    if (letter == 'i' || letter == 'n') {
        r->kind = letter == 'i' ? NUMBER_INFINITE : NUMBER_NAN;
        r->word = letter == 'i' ? "nfinity" : "an";
        r->state = IN_WORD;
        return true;
    }
    r->state = c == '0' ? AT_X : IN_DIGITS;
    return take_digit(r, c);
}

bool reader_take(struct reader *r, int c)
{
    r->taken++;
    switch (r->state) {
    case AT_SIGN:
    case AT_FIRST: return take_first(r, c);
    case IN_WORD:
    case IN_PAYLOAD: return take_word(r, c);
    case AT_X:
        r->state = IN_DIGITS;
        if ((c | 0x20) == 'x') {
            r->hexadecimal = true;
            r->has_digits = false;
            return true;
        }
        return take_digit(r, c);
    case IN_DIGITS: return take_digit(r, c);
    case AT_EXPONENT_SIGN:
    case AT_EXPONENT:
    case IN_EXPONENT: return take_exponent(r, c);
    default: return false;
    }
}
