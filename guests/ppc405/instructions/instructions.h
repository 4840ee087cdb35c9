/* SPDX-License-Identifier: MIT */
/*
 * instructions.h - prints the behaviour of a PPC405, one line for each fact.
 *
 * The program must print the same lines on the bare board and as a guest, because nothing in them depends on time or on
 * addresses. Lines that begin with T are compared; # is a comment. Where the guest follows the manual and QEMU's board
 * does not, differences.yaml has both lines and the reason. It needs 16 MiB of memory and makes no hypercalls.
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

/* Restore the initial state: an identity map of the first MiB in entry 0, PID 0, zones by page, timers and interrupts
 * off.
 */
void fresh_start(void);
/* Fill a frame with different values in all general registers, to run at CODE with this MSR. */
void fresh_frame(struct frame *f, u32 msr);
/* Write these instructions to CODE, followed by `sc`. */
void put_code(const u32 *words, u32 n);
/* Call try(f), then print everything that it has changed. */
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
void test_random(void);       /* rounds=N of random registers, for tests/differential */
#endif

#endif
