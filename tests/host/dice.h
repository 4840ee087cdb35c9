/* SPDX-License-Identifier: MIT */
/* dice.h - random numbers that are the same in each run with the same `dice`. */
#ifndef AMALGAM_HOST_DICE_H
#define AMALGAM_HOST_DICE_H

#include <stdint.h>

static uint64_t dice;

/* Returns a number below `n`. */
static uint32_t roll(uint32_t n)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(dice >> 33) % n;
}

#endif
