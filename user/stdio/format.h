/* SPDX-License-Identifier: MIT */
/* format.h - the parts of printf(): conversion.c reads the format, arguments.c its arguments, format.c prints, float.c
 * floating point. */
#ifndef AMALGAM_USER_FORMAT_H
#define AMALGAM_USER_FORMAT_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "digits.h"

/* Flags of a conversion. */
#define LEFT      0x01u
#define PLUS      0x02u
#define SPACE     0x04u
#define ALTERNATE 0x08u
#define ZEROS     0x10u

/* A conversion of the format. */
struct conversion {
    unsigned flags;
    int width;
    int precision;    /* -1: none */
    char length;      /* 0, h, l, j, z, t, L; H is hh, q is ll */
    char letter;      /* as in the format */
    int number;       /* N of "%N$"; 0: the next argument */
    int width_of;     /* -1: `width` is in the format; else the argument that it is in, 0: the next one */
    int precision_of; /* as width_of */
};

/* What argument a conversion takes. */
enum kind { NONE, INT, LONG, LONG_LONG, MAX, SIZE, DIFFERENCE, POINTER, DOUBLE, LONG_DOUBLE };

/* conversion.c: read a conversion behind its '%'. Returns what is behind it. */
const char *conversion_read(const char *at, struct conversion *c);
/* Returns what argument a conversion takes. */
enum kind conversion_kind(const struct conversion *c);

/* format.c: vfprintf() without the stream's lock. */
int stream_format(FILE *f, const char *format, va_list arguments);

#define MOST_NUMBERED NL_ARGMAX

union value {
    intmax_t integer;
    void *pointer;
    double number;
    long double long_number;
};

struct arguments {
    va_list next;
    bool numbered;
    union value values[MOST_NUMBERED + 1]; /* if they are numbered, from 1 on */
};

/* arguments.c: take the arguments in their order, if the format numbers them. Returns whether all numbers are from 1 on
 * and none is left out. */
bool arguments_take(const char *format, struct arguments *arguments);
/* Returns argument `number`, or the next one of that kind if they are not numbered. */
union value argument_next(struct arguments *from, int number, enum kind kind);

/* Where the characters go. */
struct output {
    FILE *file;
    size_t n;    /* characters so far */
    bool failed; /* one could not be written */
};

void output_text(struct output *out, const char *text, size_t n);
void output_pad(struct output *out, char c, size_t n);
/* Begin a field of `n` characters after `prefix`: blanks, the prefix, zeros, as the flags say. Returns how many blanks
 * output_end_field() has to append. */
size_t output_field(struct output *out, const struct conversion *c, const char *prefix, size_t n);
/* Returns the sign that stands before a number: "-", "+", " " or "". */
const char *sign_of(const struct conversion *c, bool negative);

void format_float(struct output *out, const struct conversion *c, const struct binary *b);

#endif
