/* SPDX-License-Identifier: MIT */
/* entropy.c - there is no source of random numbers: supervisor mode cannot rely on one (Zkr may be the firmware's
 * only). */
#include <errors.h>
#include <hal/cpu.h>

int hal_entropy(void *buf, size_t n) { return -ENODEV; }
