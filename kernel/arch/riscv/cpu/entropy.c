/* SPDX-License-Identifier: MIT */
/* entropy.c - the privileged architecture has no source that supervisor mode may count on (Zkr is the firmware's). */
#include <errors.h>
#include <hal/cpu.h>

int hal_entropy(void *buf, size_t n) { return -ENODEV; }
