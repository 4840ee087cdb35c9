/* SPDX-License-Identifier: MIT */
/* The real user.c of the 32-bit x86 port under the real scheduler (user_turns.h). Here a word has 64 bits: what matters
 * is its end. */
#include <arch/registers.h>
#include <core/cpu.h>

/* board/image.h, of a board whose bus has the same addresses. */
static inline u32 bus_address(paddr_t pa) { return (u32)pa; }
static inline paddr_t own_address(u32 bus) { return bus; }

#include <hal/user.h>

#include "user_turns.h"

/* A core's record as this port has it, beside the one of the fake machine. */
#undef AMALGAM_ARCH_PERCPU_H
#define arch_cpu arch_cpu_32
#include "arch/x86/32/include/arch/percpu.h"

static struct {
    struct arch_cpu arch;
} core;

static unsigned long number_of(const struct space *s) { return (unsigned long)s->root; }
static void name_space(struct space *s, unsigned long number) { s->root = (pte_t *)number; }
static void write_cr3(unsigned long root) { load_number(root); }
static unsigned long read_cr2(void) { return 0; }

#define this_cpu() (&core)
#define _Static_assert(is, why) /* where user/entry.S finds a word of 32 bits */
#include "arch/x86/32/user/user.c"

const char user_call[1];
bool (*user_fast)(struct user *u);
int user_copy(void *to, const void *from, size_t n) { return 0; }
void idt_open(unsigned vector, const void *entry) {}
const char *trap_name(unsigned vector) { return ""; }
void trap_dispatch(struct trap_frame *f) {}
void arch_dump_frame(const struct trap_frame *f) {}

void user_enter(struct user *u)
{
    outside(u);
    u->frame.vector = CALL_VECTOR;
}

int main(void) { return run_turns(); }
