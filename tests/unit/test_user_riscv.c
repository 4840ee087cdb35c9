/* SPDX-License-Identifier: MIT */
/* The real user.c of the RISC-V port under the real scheduler (user_turns.h). */
#include <core/cpu.h>
#include <hal/user.h>

#include "user_turns.h"

static unsigned long number_of(const struct space *s) { return s->satp; }
static void name_space(struct space *s, unsigned long number) { s->satp = number; }

static void write_satp(unsigned long value) { load_number(value); }
static void write_stvec(unsigned long value) {}

/* Registers that are not satp, and instructions of this processor, change nothing that the test sees. */
#define csr_write(csr, value) write_##csr(value)
#define csr_set(csr, bits)
#define csr_clear(csr, bits)
#define __asm__
#define volatile(...)
#include "arch/riscv/user/user.c"
#undef __asm__
#undef volatile

void user_vector(void) {}
bool (*user_fast)(struct user *u), (*user_blocking)(struct user *u);
int user_copy(void *to, const void *from, size_t n) { return 0; }
const char *trap_name(unsigned long cause) { return ""; }
void trap_interrupt(unsigned long code) {}
void arch_dump_frame(const struct trap_frame *f) {}

void user_enter(struct user *u)
{
    outside(u);
    u->frame.cause = CAUSE_USER_CALL;
}

int main(void) { return run_turns(); }
