/* SPDX-License-Identifier: MIT */
/*
 * vm/load.h - loads a guest's kernel into its memory and returns the state in which its first CPU enters it.
 *
 * One function serves every image format. The images come from a system file and are not trusted: a loader checks all
 * of an image against the guest's memory before it copies any of it.
 *
 * The loader keeps what it passes to the kernel (descriptor table, page tables, boot information, command line) in the
 * guest's first 64 KiB, or behind the image if the image itself wants memory there. Raw images get none of it, only the
 * address and size of the initrd in RSI and RDI. The BIOS data area names an extended BIOS data area of 1 KiB at
 * 0x9fc00. From there to 1 MiB every memory map says reserved.
 */
#ifndef AMALGAM_VM_LOAD_H
#define AMALGAM_VM_LOAD_H

#include <types.h>
#include <vm/guest_memory.h>

#define LOAD_REFUSAL 96

struct load_request {
    const struct guest_memory *memory; /* range[0] begins at gpa 0 */
    u8 boot;                           /* enum sys_boot */
    const void *kernel;
    u64 kernel_size;
    const void *initrd; /* with Multiboot: the modules and their list; size 0: none */
    u64 initrd_size;
    unsigned n_modules; /* struct sys_module at the start of `initrd` */
    const char *cmdline;
    u64 entry;     /* raw only */
    char *refusal; /* LOAD_REFUSAL bytes for a reason with a number in it; NULL: the number is left out */
    gpa_t rsdp;    /* address of the RSDP, 36 bytes, not below 64 KiB; 0: no ACPI */
};

/* A segment register: `attributes` are bits 40-47 and 52-55 of the descriptor. */
struct guest_segment {
    u16 selector, attributes;
    u32 limit;
    u64 base;
};
_Static_assert(sizeof(struct guest_segment) == 16, "as the hardware keeps it, APM vol. 2 appendix B");

/*
 * The registers of a CPU that are not at their reset value. Interrupts are off, the IDT is empty, TR is a task of 0x67
 * bytes, LDTR is empty, all other registers are 0.
 */
struct guest_entry {
    u64 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi; /* in the order of their numbers */
    u64 cr4, cr3, cr0, dr7, dr6, rflags, rip;   /* in the order of struct guest_cpu */
    u64 efer;                                   /* without SVME */
    struct guest_segment cs, data /* DS ES SS FS GS */;
    u64 gdt_base;
    u32 gdt_limit;
};

/*
 * Load r->kernel (with initrd, command line, boot information) and fill *e. Returns 0; -ENOEXEC: no such image;
 * -ENOMEM: it does not fit in the guest's memory; -E2BIG: the command line is too long; -EINVAL: the request is
 * inconsistent. On failure *why becomes a sentence, constant or in r->refusal. Pure but for that and the guest's
 * memory.
 */
int guest_load(const struct load_request *r, struct guest_entry *e, const char **why);
/* The same for SYS_BOOT_LINUX32, of which *e has RIP and RSI only (load/linux32.c). */
int guest_load_linux32(const struct load_request *r, struct guest_entry *e, const char **why);

#endif
