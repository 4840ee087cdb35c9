/* SPDX-License-Identifier: MIT */
/* rust.c - the name that Rust's core library gives its unwinder, which nobody calls in a program that aborts. */
#include <stdlib.h>

__attribute__((noreturn)) void rust_eh_personality(void) { abort(); }
