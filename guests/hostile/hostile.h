/* SPDX-License-Identifier: MIT */
/* hostile.h - what the files of the hostile guest share. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <guest.h>

/* Memory that a device may overwrite without damage to this guest. The domain needs 32 MiB. */
#define SINK      0x1000000ul
#define SINK_SIZE 0x200000ul

extern uint64_t seed;
static inline uint64_t rnd(void) { return xorshift(&seed); }
static inline uint64_t below(uint64_t n) { return (rnd() >> 11) % n; }
static inline bool one_in(uint64_t n) { return below(n) == 0; }
/* Returns a random number, often one near a boundary. */
uint64_t odd_number(void);
/* Returns a guest-physical address: in the sink, at a boundary of the memory map, in a device, or anywhere. */
uint64_t odd_address(void);

/*
 * Returns true once in deadly= steps (0: never): then a step may do what ends this guest. The hypervisor stops the run
 * with a reason, and after a restart the guest continues behind the block of steps that did it.
 */
bool deadly(void);

/* Do one step of a kind. Return the exception that it took, as vector + 1, or 0. */
int step_priv(void);
int step_mmio(void);
int step_pio(void);
int step_msr(void);
int step_hypercall(void);
int step_virtq(void);
int step_pagetable(void);
int step_ipi(void);
int step_irq(void);
int step_user(void);
/* Write a random instruction of priv.c's list to `code`, which has at least 16 bytes. Returns its length. */
unsigned random_instruction(uint8_t *code);
extern uint64_t regs[6]; /* rax rcx rdx rbx rsi rdi before the instruction */
void random_registers(void);
void user_setup(void);
void irq_setup(void);
/* Run the attack storm=NAME for ever. Returns if there is none of that name. */
void storm(const char *name);
void restore_cpu(void); /* restores control and debug registers and descriptor tables */
void priv_setup(void);

#endif
