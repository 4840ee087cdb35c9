/* SPDX-License-Identifier: MIT */
/*
 * context.c (32 bits) - saves and restores the extended state: the x87's 108 bytes, by FNSAVE and FRSTOR.
 *
 * The kernel is compiled without floating point, so the registers keep their owner's values until another owner runs.
 * FRSTOR loads all of them, with the addresses of instruction and operand. An owner that has ended may have left an
 * exception that FRSTOR, as most x87 instructions, would raise first.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/context.h>
#include <string.h>

/* FNSAVE's image in protected mode (Pentium manual vol. 3, figure 6-6). */
struct x87 {
    u16 control, reserved0, status, reserved1, tags, reserved2;
    u32 pointers[4];
    u8 registers[8][10];
};

_Static_assert(sizeof(struct x87) == 108, "FNSAVE's image");

__init_text void fpu_init_cpu(void)
{
    write_cr0((read_cr0() & ~0xcul) | 0x22); /* no EM, no TS; MP and NE */
    __asm__ volatile("fninit");
}

size_t fpu_state_size(void) { return sizeof(struct x87); }

/* FNINIT's state: all exceptions masked, 64 bits of precision, every register empty. */
void fpu_state_init(struct fpu *f, void *area)
{
    struct x87 *x = area;
    x->control = 0x37f;
    x->tags = 0xffff;
    f->area = area;
}

void fpu_reset(struct fpu *f)
{
    memset(f->area, 0, sizeof(struct x87));
    fpu_state_init(f, f->area);
    __asm__ volatile("fnclex; frstor %0" ::"m"(*(const struct x87 *)f->area));
}

void fpu_switch(struct fpu *from, struct fpu *to)
{
    if (from)
        __asm__ volatile("fnsave %0" : "=m"(*(struct x87 *)from->area));
    else
        __asm__ volatile("fnclex");
    __asm__ volatile("frstor %0" ::"m"(*(const struct x87 *)to->area));
}
