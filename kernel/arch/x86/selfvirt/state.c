/* SPDX-License-Identifier: MIT */
/*
 * state.c - copies the state of a running core into a VMCB, and back (APM vol. 2, 15.5; appendix B.2). VMRUN does not
 * switch FS, GS, TR, LDTR and the system call registers; VMSAVE would.
 */
#include <arch/cpu.h>

#include "layer.h"

struct table_register {
    u16 limit;
    u64 base;
} __packed;

/* A null selector has an unusable segment. */
static struct vmcb_segment segment_of(const struct table_register *gdt, u16 selector)
{
    if (!(selector & ~7u))
        return (struct vmcb_segment){ selector, 0, 0, 0 };
    u64 d = *(const u64 *)(gdt->base + (selector & ~7u));
    u32 limit = (u32)((d & 0xffff) | (d >> 32 & 0xf0000));
    return (struct vmcb_segment){ .selector = selector,
                                  .attributes = vmcb_attributes((u32)(d >> 32)),
                                  .limit = d >> 55 & 1 ? limit << 12 | 0xfff : limit,
                                  .base = (d >> 16 & 0xffffff) | (d >> 32 & 0xff000000) };
}

void amdv_capture(struct vmcb *b)
{
    struct table_register gdt, idt;
    u16 cs, ss, ds, es;
    __asm__ volatile("sgdt %0; sidt %1" : "=m"(gdt), "=m"(idt));
    __asm__ volatile("mov %%cs, %0; mov %%ss, %1; mov %%ds, %2; mov %%es, %3" : "=r"(cs), "=r"(ss), "=r"(ds), "=r"(es));
    b->cs = segment_of(&gdt, cs);
    b->ss = segment_of(&gdt, ss);
    b->ds = segment_of(&gdt, ds);
    b->es = segment_of(&gdt, es);
    vmcb_table(&b->gdtr, gdt.limit, gdt.base);
    vmcb_table(&b->idtr, idt.limit, idt.base);
    b->cpl = 0;
    b->efer = rdmsr(MSR_EFER) | EFER_SVME; /* 15.5.1: VMRUN refuses a guest without it */
    b->cr0 = read_cr0();
    b->cr2 = read_cr2();
    b->cr3 = read_cr3();
    b->cr4 = read_cr4();
    b->pat = rdmsr(MSR_PAT);
    __asm__ volatile("mov %%dr6, %0; mov %%dr7, %1" : "=r"(b->dr6), "=r"(b->dr7));
}

/* The descriptor tables are the kernel's own and never replaced; #VMEXIT has loaded them. */
void amdv_release(const struct vmcb *b)
{
    write_cr0(b->cr0);
    write_cr2(b->cr2);
    write_cr3(b->cr3);
    write_cr4(b->cr4);
    __asm__ volatile("mov %0, %%dr6; mov %1, %%dr7" ::"r"(b->dr6), "r"(b->dr7));
}

void amdv_off(void)
{
    __asm__ volatile("cli; stgi" ::: "memory"); /* while SVME is set; RFLAGS keeps interrupts off */
    wrmsr(MSR_VM_HSAVE_PA, 0);
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_SVME);
}
