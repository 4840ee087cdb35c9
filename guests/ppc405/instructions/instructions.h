/* SPDX-License-Identifier: MIT */
/*
 * instructions.h - what a PPC405 does, one printed line a fact.
 *
 * The program prints the same lines on the bare board and as a guest, for nothing in
 * them depends on time or place: lines that begin with T are compared, # is comment.
 * Where the guest follows the manual and QEMU's board does not, differences.yaml says
 * what each prints, and why.  16 MiB of memory, no hypercalls.
 */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#define TEST_SIZE 52
#define CODE      0x00080000 /* page that the tests' instructions are copied to */
#define SCRATCH   0x00081000 /* page that they may write */

/* modes */
#define REAL_PRIVILEGED 1
#define REAL_PROBLEM    2
#define TRAN_PRIVILEGED 4
#define TRAN_PROBLEM    8
#define PRIVILEGED      (REAL_PRIVILEGED | TRAN_PRIVILEGED)
#define PROBLEM         (REAL_PROBLEM | TRAN_PROBLEM)
#define EVERYWHERE      (PRIVILEGED | PROBLEM)

#ifndef __ASSEMBLER__
#include <guest.h>

struct test {
    const char *name;
    u32 modes, r3, r4, r5;
    u32 code[8];
};
_Static_assert(sizeof(struct test) == TEST_SIZE, "as table.S lays it out");

extern const char *const mode_name[4];
extern const u32 mode_msr[4];

/* Put the world back: identity mapping of the first MiB in entry 0, PID 0, zones by page, no timers or interrupts. */
void fresh_start(void);
/* A frame whose general registers all differ, to run at CODE with this MSR. */
void fresh_frame(struct frame *f, u32 msr);
/* Put these instructions at CODE, followed by `sc`. */
void put_code(const u32 *words, u32 n);
/* try(f), then print what is not as it was in `before` (a copy of f made here). */
void run_and_print(struct frame *f, const char *mode, const char *name);
void print_end(const struct frame *before, const struct frame *f, const char *mode, const char *name);

void test_table(void);
void test_numbers(void);   /* each SPR, DCR and extended opcode, in problem mode */
void test_addresses(void); /* translation */
void test_protection(void);
void test_timers(void);
void test_interrupts(void);
void test_other_timers(void); /* FIT and watchdog */
void test_refused(void);      /* what no guest may do */
#endif

#endif
