/* SPDX-License-Identifier: MIT */
/* input.h - what a fuzzer has drawn, byte by byte; behind its end, zeros. */
#ifndef AMALGAM_FUZZ_INPUT_H
#define AMALGAM_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *at;
    size_t left;
};

static uint8_t byte(struct input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

#endif
