/* SPDX-License-Identifier: MIT */
/* scan.h - the parts of scanf(): scan.c reads the format, scan_item.c the input. */
#ifndef AMALGAM_USER_SCAN_H
#define AMALGAM_USER_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct input {
    FILE *file;
    size_t n; /* characters taken so far */
};

/* A conversion of the format. */
struct directive {
    bool ignored; /* "*": nothing is stored */
    int width;    /* characters at most */
    char length;  /* 0, h, l, j, z, t, L; H is hh, q is ll */
    char letter;
    unsigned char set[32]; /* of "[": a bit a character that belongs to it */
};

enum scanned { SCANNED, MISMATCH, INPUT_FAILURE };

int input_take(struct input *in);
void input_return(struct input *in, int c);
void input_skip_space(struct input *in);
bool set_has(const unsigned char *set, int c);

/* Read one item and store it at `to`, if that is not NULL. */
enum scanned scan_item(struct input *in, const struct directive *d, void *to);
/* Store an integer as the length says. */
void scan_store(char length, void *to, uintmax_t value);

#endif
