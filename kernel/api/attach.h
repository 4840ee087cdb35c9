/* SPDX-License-Identifier: MIT */
/*
 * attach.h - the seam between the kernel of the `attach` shape and the Linux module that loads it: the head of the flat
 * image, what the module tells the kernel at load (struct attach_boot), the page a CPU crosses with (struct
 * attach_cpu), the calls Linux makes once it is a guest, and the memory both see (struct attach_shared).
 *
 * Included by the kernel (after types.h), by the module (after linux/types.h) and by both sides' assembly. Changed in
 * any way, it gets another ATTACH_ABI: the module refuses an image of another number.
 */
#ifndef AMALGAM_API_ATTACH_H
#define AMALGAM_API_ATTACH_H

#define ATTACH_MAGIC 0x486361747441 /* "AttacH", in the first eight bytes of the image */
#define ATTACH_ABI   5

#define ATTACH_CHUNK       0x400000 /* the region comes in pieces of this size and alignment */
#define ATTACH_MAX_CHUNKS  64
#define ATTACH_IMAGE_AT    0x100000 /* the image's place in the first chunk ... */
#define ATTACH_BOOT_AREA   0x10000 /* ... and what the module uses in front of it: struct attach_boot and boot tables */
#define ATTACH_MAX_CPUS    64
#define ATTACH_MAX_RAM     64                 /* ranges of RAM */
#define ATTACH_LINEAR_BASE 0xffff800000000000 /* where the kernel has all physical memory */

/* Offsets in struct attach_cpu, for assembly. */
#define ATTACH_CPU_SELF       0
#define ATTACH_CPU_HOST_CR3   8
#define ATTACH_CPU_HOST_RSP   16
#define ATTACH_CPU_ENTRY      24
#define ATTACH_CPU_VMCB_PA    32
#define ATTACH_CPU_HSAVE_PA   40
#define ATTACH_CPU_LEAVE      48
#define ATTACH_CPU_EFER       56
#define ATTACH_CPU_CR0        64
#define ATTACH_CPU_CR2        72
#define ATTACH_CPU_CR3        80
#define ATTACH_CPU_CR4        88
#define ATTACH_CPU_DR6        96
#define ATTACH_CPU_DR7        104
#define ATTACH_CPU_PAT        112
#define ATTACH_CPU_RFLAGS     120
#define ATTACH_CPU_RSP        128
#define ATTACH_CPU_RIP        136
#define ATTACH_CPU_SEGMENTS   144
#define ATTACH_CPU_GDTR       176
#define ATTACH_CPU_IDTR       192
#define ATTACH_CPU_HOST_GDTR  208
#define ATTACH_CPU_HOST_IDTR  224
#define ATTACH_CPU_HOST_VMCB  240
#define ATTACH_CPU_REGS       248
#define ATTACH_CPU_LINUX_SELF 376

/*
 * What Linux asks of the kernel beneath it: VMMCALL in ring 0, number in RAX, arguments in RDI and RSI; RAX is 0 or
 * more, or a negated error number. A CPU that is not attached gets #UD. attach.yaml says what each call is.
 */
#include "attach_calls.h"

#ifndef __ASSEMBLY__

/* First in the image; addresses are the kernel's virtual ones. */
struct attach_header {
    u64 magic;
    u32 abi, reserved;
    u64 base;       /* the first chunk's; the image begins ATTACH_IMAGE_AT behind it, */
    u64 file_end;   /* the flat file ends here, */
    u64 memory_end; /* and what follows and is zero here */
    u64 init;       /* struct attach_cpu.entry of the one call at load */
    u64 heap_cpu;   /* bytes of memory that the kernel needs for each CPU, */
    u64 heap;       /* and besides these and attach_map_pages() */
};

/* Returns the pages of tables that map each physical address of `bits` bits to itself, with the largest pages that the
 * machine has. */
static inline u64 attach_map_pages(unsigned bits, int gib_pages)
{
    u64 roots = 1, tops = bits > 48 ? 1ull << (bits - 48) : 1, middles = bits > 39 ? 1ull << (bits - 39) : 1;

    return roots + tops + middles + (gib_pages ? 0 : 1ull << (bits > 30 ? bits - 30 : 0));
}

struct attach_segment {
    u32 selector, access; /* as LAR gives it; 0: null */
};

struct attach_table { /* LGDT's operand is at `limit`, so that the base is aligned */
    u16 pad[3], limit;
    u64 base;
};

/*
 * One CPU crosses from Linux into the kernel with this page and comes back with it. The module's trampoline fills the
 * second part with Linux's state, and takes Linux's state from it on the way back; the kernel fills the first part.
 */
struct attach_cpu {
    u64 self;     /* this page, as the kernel sees it */
    u64 host_cr3; /* the kernel's tables, */
    u64 host_rsp; /* stack, */
    u64 entry;    /* and first instruction, entered with GIF clear and rdi = self */
    u64 vmcb_pa;  /* VMSAVE has put Linux's FS, GS, TR, LDTR and system call registers here */
    u64 hsave_pa;
    u64 leave; /* where the kernel jumps with rdi = self to go back: the trampoline's other half */
    u64 efer;  /* from here on Linux's */
    u64 cr0, cr2, cr3, cr4, dr6, dr7, pat;
    u64 rflags, rsp, rip;
    struct attach_segment es, cs, ss, ds;
    struct attach_table gdtr, idtr;
    struct attach_table host_gdtr, host_idtr; /* the kernel's */
    u64 host_vmcb;                            /* what it VMLOADs for itself */
    u64 regs[16];                             /* Linux's, order of the encoding; for the way back only */
    u64 linux_self;                           /* this page, as Linux sees it */
};

/* Physical. */
struct attach_chunk {
    u64 base, size;
};

/* A byte of a register, as ACPI's generic address says where it is. */
#define ATTACH_IN_MEMORY   0
#define ATTACH_IN_PORTS    1
#define ATTACH_NO_REGISTER 255
struct attach_register {
    u64 address;
    u8 space; /* ATTACH_IN_MEMORY, ATTACH_IN_PORTS; ATTACH_NO_REGISTER: there is none */
    u8 value; /* sleep: the sleep type that means off, or 8: none does; reset: the value that resets */
    u8 reserved[6];
};

/*
 * What ACPI says of sleep and reset (ACPI 6.4, 4.8.3, 4.8.4.6 and 5.2.9). `sleep` are the bytes with SLP_EN (bit 5) and
 * the sleep type (bits 2-4): of PM1a and PM1b as Linux uses them, then of the same by other fields of the FADT, and
 * the sleep control register.
 */
#define ATTACH_SLEEP 5
struct attach_power {
    struct attach_register sleep[ATTACH_SLEEP];
    struct attach_register reset;
    u16 smi_command; /* 0: none */
    u8 s4bios;       /* the command that lets the firmware sleep; 0: none */
    u8 reserved[5];
};

/* At the start of the first chunk when `init` is called. Physical addresses. */
struct attach_boot {
    u64 shared, shared_size;          /* struct attach_shared, contiguous; stays visible to Linux */
    u64 trampoline_va, trampoline_pa; /* the module's page that both page tables map at the same address */
    u64 resume;                       /* where Linux goes on when it has become a guest */
    u64 leave;                        /* struct attach_cpu.leave */
    u64 tsc_khz;
    u64 wall_ns; /* since 1970, now */
    u32 n_chunks, n_cpus, n_ram, reserved1;
    struct attach_chunk chunk[ATTACH_MAX_CHUNKS];
    struct attach_chunk ram[ATTACH_MAX_RAM]; /* what Linux has as RAM: only of this it can ever give */
    u32 apic_id[ATTACH_MAX_CPUS];            /* of each CPU that Linux may ever have */
    struct attach_power power;
    /* The kernel's answers. */
    s32 error; /* 0: loaded */
    u32 reserved;
    u64 cpu[ATTACH_MAX_CPUS]; /* physical address of each one's struct attach_cpu */
    char reason[128];
};

#define ATTACH_OUT_SIZE 65536
#define ATTACH_IN_SIZE  16384

/*
 * Byte rings: head and tail count up for ever, the writer owns head, the reader tail. What travels is the tagged
 * channel (core/console.h). Each side treats the other's words as hostile.
 */
struct attach_ring {
    u32 head, reserved1[15];
    u32 tail, reserved2[15];
};

struct attach_shared {
    u32 abi, bell_apic; /* Linux: the CPU that takes the kernel's doorbell, an NMI */
    u32 bell;           /* the kernel sets it before that NMI, Linux clears it */
    u32 dead;           /* the kernel has panicked: its last words are in the ring */
    u32 reserved[12];
    struct attach_ring out, in; /* from the kernel, to it */
    u8 pad[4096 - 64 - 2 * 128];
    u8 out_bytes[ATTACH_OUT_SIZE];
    u8 in_bytes[ATTACH_IN_SIZE];
};

enum attach_cpu_state {
    ATTACH_CPU_BARE,    /* not attached */
    ATTACH_CPU_LINUX,   /* runs Linux as a guest */
    ATTACH_CPU_DYING,   /* CPU_GIVE was called */
    ATTACH_CPU_CORE,    /* the kernel's */
    ATTACH_CPU_LEAVING, /* CPU_TAKE was called */
    ATTACH_CPU_PARKED,  /* waits in the kernel for Linux's start-up interrupt, which makes a guest of it */
};

enum attach_count {
    ATTACH_COUNT_EXITS,       /* of all of Linux's CPUs */
    ATTACH_COUNT_REFUSED,     /* writes to hidden memory, interrupts to what is given */
    ATTACH_COUNT_REFUSED_AT,  /* the last one's physical address */
    ATTACH_COUNT_REFUSED_RIP, /* and its instruction */
    ATTACH_COUNT_CORES,
    ATTACH_COUNT_FREE,  /* bytes */
    ATTACH_COUNT_GIVEN, /* bytes of memory given and not taken back */
    ATTACH_COUNT_STRAY, /* interrupts that came to a core and were nobody's */
    ATTACH_COUNTS
};

#endif
#endif
