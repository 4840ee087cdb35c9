/* SPDX-License-Identifier: MIT */
/*
 * vm/load.h - put a guest's kernel into its memory and say how its first CPU enters it.
 *
 * One function for every image format.  Images come from a system file whose
 * payloads nobody vouches for: a loader checks all of an image against the guest's
 * memory before it copies any of it.
 *
 * In the guest's first 64 KiB the loader keeps what it hands over (descriptor
 * table, page tables, boot information, command line), or behind an image that wants
 * memory there.  Raw images get none of it (RSI, RDI: address and size of the initrd).
 * The BIOS data area names an extended one of 1 KiB at 0x9fc00; from there on to 1 MiB
 * every memory map says reserved.
 */
#ifndef AMALGAM_VM_LOAD_H
#define AMALGAM_VM_LOAD_H

#include <types.h>
#include <vm/guest_memory.h>

struct load_request {
    const struct guest_memory *memory; /* range[0] starts at gpa 0 */
    u8 boot;                           /* enum sys_boot */
    const void *kernel;
    u64 kernel_size;
    const void *initrd; /* of Multiboot: the modules and their list; size 0: none */
    u64 initrd_size;
    unsigned n_modules; /* struct sys_module at the start of `initrd` */
    const char *cmdline;
    u64 entry;  /* raw only */
    gpa_t rsdp; /* 36 bytes of RSDP are at this address already; 0: no ACPI; not below 64 KiB */
};

/* A segment register as the VMCB keeps it: attributes are descriptor bits 40-47 and 52-55 put together. */
struct guest_segment {
    u16 selector, attributes;
    u32 limit;
    u64 base;
};
_Static_assert(sizeof(struct guest_segment) == 16, "as in the VMCB, APM vol. 2 appendix B");

/*
 * Everything of a CPU that is not at its reset value: interrupts off, IDT empty, TR a task of 0x67 bytes, LDTR of none,
 * all other registers 0.
 */
struct guest_entry {
    u64 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi; /* by their numbers */
    u64 cr4, cr3, cr0, dr7, dr6, rflags, rip;   /* as in the VMCB */
    u64 efer;                                   /* without SVME */
    struct guest_segment cs, data /* DS ES SS FS GS */;
    u64 gdt_base;
    u32 gdt_limit;
};

/*
 * Load r->kernel (and initrd, command line, boot information) and fill *e.
 * 0; -ENOEXEC not such an image; -ENOMEM does not fit in the guest's memory;
 * -E2BIG command line too long; -EINVAL the request makes no sense. On failure *why
 * points at a constant sentence. Pure but for the guest's memory.
 */
int guest_load(const struct load_request *r, struct guest_entry *e, const char **why);

#endif
