/* SPDX-License-Identifier: MIT */
/* rust.c - the unwinder's function that Rust's core library names; a program that aborts on panic never calls it. */
#include <stdlib.h>

__attribute__((noreturn)) void rust_eh_personality(void) { abort(); }
