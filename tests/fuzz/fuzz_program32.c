/* SPDX-License-Identifier: MIT */
/* The same for a port whose programs are ELF32. */
#include "fuzz_program.c"
