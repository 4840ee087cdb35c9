/* SPDX-License-Identifier: MIT */
/* hostile.h - what the kinds of attack share. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <guest.h>

/* Memory that a confused device may write to without hurting this guest. The domain needs 32 MiB. */
#define SINK      0x1000000ul
#define SINK_SIZE 0x200000ul

extern uint64_t seed;
static inline uint64_t rnd(void) { return xorshift(&seed); }
static inline uint64_t below(uint64_t n) { return (rnd() >> 11) % n; }
static inline bool one_in(uint64_t n) { return below(n) == 0; }
/* Numbers that find edges more often than chance does. */
uint64_t odd_number(void);
/* A guest-physical address: in the sink, at the edges of the map, in a device, anywhere. */
uint64_t odd_address(void);

/*
 * Once in deadly= steps (0: never) a step may do what ends this guest by its own fault: the run is stopped with a
 * reason, and a restart goes on behind the block of steps that did it.
 */
bool deadly(void);

/* One step of each kind; returns the exception (vector + 1) that it took, or 0. */
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
/* A random instruction of priv.c's list written to `code` (16 bytes at least); its length. */
unsigned random_instruction(uint8_t *code);
extern uint64_t regs[6]; /* rax rcx rdx rbx rsi rdi that it starts with */
void random_registers(void);
void user_setup(void);
void irq_setup(void);
/* One attack for ever: storm=NAME; returns if there is none of that name. */
void storm(const char *name);
void restore_cpu(void); /* control and debug registers, descriptor tables as they were */
void priv_setup(void);

#endif
