/* SPDX-License-Identifier: MIT */
/* access.h - does one load, store or fetch in a given state of the machine and prints its complete result. */
#ifndef ACCESS_H
#define ACCESS_H

#include "instructions.h"

enum access_kind { LOAD, STORE };
#define TRAN_LOAD  MSR_IR | MSR_DR | MSR_PR, LOAD
#define TRAN_STORE MSR_IR | MSR_DR | MSR_PR, STORE

void access_in(const char *name, u32 msr, enum access_kind kind, u32 address);
#define access(name, ...) access_in(name, __VA_ARGS__)
/* Returns what a load reads, or 0xdead0000 + the vector of its exception. */
u32 load_in(u32 msr, u32 address);
/* Execute the instructions at `address` (CODE holds only `sc`). */
void run_at(const char *name, u32 msr, u32 address);

#endif
