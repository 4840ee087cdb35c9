/* SPDX-License-Identifier: MIT */
/*
 * arch/amdv.h - AMD-V's data structures (AMD64 APM vol. 2, chapter 15 and appendix B). It is called AMD-V here, because
 * SVM means shared virtual memory in this project.
 */
#ifndef AMALGAM_ARCH_AMDV_H
#define AMALGAM_ARCH_AMDV_H

#include <types.h>

/* `attributes` are bits 40-47 and 52-55 of the descriptor. */
struct vmcb_segment {
    u16 selector, attributes;
    u32 limit;
    u64 base;
};

#define SEGMENT_LONG (1u << 9)  /* L: 64-bit code */
#define SEGMENT_BIG  (1u << 10) /* D: 32-bit code, in legacy and compatibility mode */

/* The control area, B.1. */
struct vmcb {
    u32 intercept_cr, intercept_dr, intercept_exception;
    u32 intercept1, intercept2, intercept3;
    u8 reserved_18[0x3c - 0x18];
    u16 pause_threshold, pause_count;
    u64 iopm, msrpm, tsc_offset;
    u32 asid;
    u8 tlb_control, reserved_5d[3];
    u32 vintr; /* V_TPR, V_IRQ, priority, masking: enum below */
    u32 vintr_vector;
    u64 shadow; /* bit 0: interrupt shadow */
    u64 exit_code, exit_info1, exit_info2;
    u64 exit_int_info;
    u64 np_enable;
    u64 avic_bar, ghcb;
    u64 event_inject;
    u64 ncr3;
    u64 lbr_enable;
    u32 clean, reserved_c4;
    u64 next_rip;
    u8 fetched, bytes[15];
    u8 reserved_e0[0x400 - 0xe0];
    /* The state save area, B.2. */
    struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
    u8 reserved_4a0[0x4cb - 0x4a0];
    u8 cpl;
    u32 reserved_4cc;
    u64 efer;
    u8 reserved_4d8[0x548 - 0x4d8];
    u64 cr4, cr3, cr0, dr7, dr6, rflags, rip;
    u8 reserved_580[0x5d8 - 0x580];
    u64 rsp, s_cet, ssp, isst, rax;
    u64 star, lstar, cstar, sfmask, kernel_gs_base;
    u64 sysenter_cs, sysenter_esp, sysenter_eip, cr2;
    u8 reserved_648[0x668 - 0x648];
    u64 pat, debugctl, br_from, br_to, last_from, last_to;
    u8 reserved_698[0x1000 - 0x698];
};

#define VMCB_SEGMENTS 10 /* the first segments of the save area: es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr */

static inline struct vmcb_segment *vmcb_segments(const struct vmcb *b)
{
    return (struct vmcb_segment *)((u64)b + offsetof(struct vmcb, es));
}

#define VMCB_AT(field, offset)                                                                                         \
    _Static_assert(offsetof(struct vmcb, field) == (offset), "APM vol. 2 appendix B: " #field)
VMCB_AT(intercept_dr, 0x04);
VMCB_AT(intercept_exception, 0x08);
VMCB_AT(intercept1, 0x0c);
VMCB_AT(intercept2, 0x10);
VMCB_AT(intercept3, 0x14);
VMCB_AT(pause_threshold, 0x3c);
VMCB_AT(pause_count, 0x3e);
VMCB_AT(iopm, 0x40);
VMCB_AT(msrpm, 0x48);
VMCB_AT(tsc_offset, 0x50);
VMCB_AT(asid, 0x58);
VMCB_AT(tlb_control, 0x5c);
VMCB_AT(vintr, 0x60);
VMCB_AT(vintr_vector, 0x64);
VMCB_AT(shadow, 0x68);
VMCB_AT(exit_code, 0x70);
VMCB_AT(exit_info1, 0x78);
VMCB_AT(exit_info2, 0x80);
VMCB_AT(exit_int_info, 0x88);
VMCB_AT(np_enable, 0x90);
VMCB_AT(avic_bar, 0x98);
VMCB_AT(ghcb, 0xa0);
VMCB_AT(event_inject, 0xa8);
VMCB_AT(ncr3, 0xb0);
VMCB_AT(lbr_enable, 0xb8);
VMCB_AT(clean, 0xc0);
VMCB_AT(next_rip, 0xc8);
VMCB_AT(fetched, 0xd0);
VMCB_AT(bytes, 0xd1);
VMCB_AT(es, 0x400);
VMCB_AT(cs, 0x410);
VMCB_AT(ss, 0x420);
VMCB_AT(ds, 0x430);
VMCB_AT(fs, 0x440);
VMCB_AT(gs, 0x450);
VMCB_AT(gdtr, 0x460);
VMCB_AT(ldtr, 0x470);
VMCB_AT(idtr, 0x480);
VMCB_AT(tr, 0x490);
VMCB_AT(cpl, 0x4cb);
VMCB_AT(efer, 0x4d0);
VMCB_AT(cr4, 0x548);
VMCB_AT(cr3, 0x550);
VMCB_AT(cr0, 0x558);
VMCB_AT(dr7, 0x560);
VMCB_AT(dr6, 0x568);
VMCB_AT(rflags, 0x570);
VMCB_AT(rip, 0x578);
VMCB_AT(rsp, 0x5d8);
VMCB_AT(rax, 0x5f8);
VMCB_AT(star, 0x600);
VMCB_AT(lstar, 0x608);
VMCB_AT(cstar, 0x610);
VMCB_AT(sfmask, 0x618);
VMCB_AT(kernel_gs_base, 0x620);
VMCB_AT(sysenter_cs, 0x628);
VMCB_AT(sysenter_esp, 0x630);
VMCB_AT(sysenter_eip, 0x638);
VMCB_AT(cr2, 0x640);
VMCB_AT(pat, 0x668);
VMCB_AT(debugctl, 0x670);
_Static_assert(sizeof(struct vmcb) == 4096, "one page");

/* intercept_cr, offset 0x00 */
#define INT_CR8_WRITE (1u << 24)
/* intercept1, offset 0x0c */
#define INT1_INTR        (1u << 0)
#define INT1_NMI         (1u << 1)
#define INT1_SMI         (1u << 2)
#define INT1_INIT        (1u << 3)
#define INT1_VINTR       (1u << 4)
#define INT1_RDPMC       (1u << 15)
#define INT1_CPUID       (1u << 18)
#define INT1_RSM         (1u << 19)
#define INT1_IRET        (1u << 20)
#define INT1_INVD        (1u << 22)
#define INT1_PAUSE       (1u << 23)
#define INT1_HLT         (1u << 24)
#define INT1_INVLPGA     (1u << 26)
#define INT1_IOIO        (1u << 27)
#define INT1_MSR         (1u << 28)
#define INT1_FERR_FREEZE (1u << 30)
#define INT1_SHUTDOWN    (1u << 31)
/* intercept2, offset 0x10 */
#define INT2_VMRUN       (1u << 0)
#define INT2_VMMCALL     (1u << 1)
#define INT2_VMLOAD      (1u << 2)
#define INT2_VMSAVE      (1u << 3)
#define INT2_STGI        (1u << 4)
#define INT2_CLGI        (1u << 5)
#define INT2_SKINIT      (1u << 6)
#define INT2_WBINVD      (1u << 9)
#define INT2_MONITOR     (1u << 10)
#define INT2_MWAIT       (1u << 11)
#define INT2_MWAIT_ARMED (1u << 12)
#define INT2_XSETBV      (1u << 13)
#define INT2_RDPRU       (1u << 14)
/* AMD-V itself, which nothing above this kernel may use. */
#define INT2_AMDV (INT2_VMRUN | INT2_VMMCALL | INT2_VMLOAD | INT2_VMSAVE | INT2_STGI | INT2_CLGI | INT2_SKINIT)

/* np_enable, offset 0x90 */
#define NP_ENABLE  (1u << 0)
#define NP_INVLPGB (1u << 7)

/* vintr, offset 0x60 */
#define VINTR_TPR        0xffu
#define VINTR_IRQ        (1u << 8)
#define VINTR_GIF        (1u << 9)
#define VINTR_PRIO_SHIFT 16
#define VINTR_PRIO       (0xfu << 16)
#define VINTR_IGN_TPR    (1u << 20)
#define VINTR_MASKING    (1u << 24)

/* clean, offset 0xc0 (15.15.3) */
#define CLEAN_INTERCEPTS (1u << 0)
#define CLEAN_PERM_MAPS  (1u << 1)
#define CLEAN_ASID       (1u << 2)
#define CLEAN_VINTR      (1u << 3)
#define CLEAN_NP         (1u << 4)
#define CLEAN_CR         (1u << 5)
#define CLEAN_DR         (1u << 6)
#define CLEAN_DT         (1u << 7)
#define CLEAN_SEG        (1u << 8)
#define CLEAN_CR2        (1u << 9)
#define CLEAN_ALL        0x3ffu /* without LBR and AVIC, which are not used */

/* tlb_control, offset 0x5c (15.16.1) */
#define TLB_FLUSH_ALL   1
#define TLB_FLUSH_GUEST 3

/* event_inject and exit_int_info (15.20) */
#define EVENT_INTR      (0u << 8)
#define EVENT_NMI       (2u << 8)
#define EVENT_EXCEPTION (3u << 8)
#define EVENT_SOFT      (4u << 8)
#define EVENT_TYPE      (7u << 8)
#define EVENT_ERROR     (1u << 11)
#define EVENT_VALID     (1u << 31)

enum vmexit_code {
    VMEXIT_CR8_WRITE = 0x18,
    VMEXIT_DR = 0x20,        /* + register, + 16 for a write */
    VMEXIT_EXCEPTION = 0x40, /* + vector */
    VMEXIT_INTR = 0x60,
    VMEXIT_NMI = 0x61,
    VMEXIT_SMI = 0x62,
    VMEXIT_INIT = 0x63,
    VMEXIT_VINTR = 0x64,
    VMEXIT_RDPMC = 0x6f,
    VMEXIT_CPUID = 0x72,
    VMEXIT_RSM = 0x73,
    VMEXIT_IRET = 0x74,
    VMEXIT_INVD = 0x76,
    VMEXIT_PAUSE = 0x77,
    VMEXIT_HLT = 0x78,
    VMEXIT_INVLPGA = 0x7a,
    VMEXIT_IOIO = 0x7b,
    VMEXIT_MSR = 0x7c,
    VMEXIT_FERR_FREEZE = 0x7e,
    VMEXIT_SHUTDOWN = 0x7f,
    VMEXIT_VMRUN = 0x80,
    VMEXIT_VMMCALL = 0x81,
    VMEXIT_VMLOAD = 0x82,
    VMEXIT_VMSAVE = 0x83,
    VMEXIT_STGI = 0x84,
    VMEXIT_CLGI = 0x85,
    VMEXIT_SKINIT = 0x86,
    VMEXIT_WBINVD = 0x89,
    VMEXIT_MONITOR = 0x8a,
    VMEXIT_MWAIT = 0x8b,
    VMEXIT_MWAIT_ARMED = 0x8c,
    VMEXIT_XSETBV = 0x8d,
    VMEXIT_RDPRU = 0x8e,
    VMEXIT_NPF = 0x400,
};
#define VMEXIT_INVALID_32 0xffffffffu /* QEMU 7.2 stores 32 bits, silicon all 64: compare the low half */

/* CPUID 0x8000000a, edx */
#define AMDV_NP              (1u << 0)
#define AMDV_NRIPS           (1u << 3)
#define AMDV_CLEAN           (1u << 5)
#define AMDV_FLUSH_ASID      (1u << 6)
#define AMDV_DECODE          (1u << 7)
#define AMDV_PAUSE_FILTER    (1u << 10)
#define AMDV_PAUSE_THRESHOLD (1u << 12)
#define AMDV_INVLPGB         (1u << 24) /* guests may have INVLPGB and TLBSYNC */

#define MSR_VM_CR       0xc0010114u
#define VM_CR_R_INIT    (1ul << 1)
#define VM_CR_SVMDIS    (1ul << 4)
#define MSR_VM_HSAVE_PA 0xc0010117u

/* The clean bits to set after an exit: all that are used, 0 if the processor has none. */
extern u32 amdv_clean_all;
/* Number of address-space identifiers. */
extern u32 amdv_asids;

/* Returns the intercepts of control registers that this board needs: 0, or see board/pc/quirks.c. */
u32 quirk_intercept_cr(void);

struct hal_vcpu;
/* amdv/entry.S: run the guest until amdv_fast() does not resolve an exit. The host's state is loaded from
 * `host_vmcb`. */
void amdv_enter(struct hal_vcpu *v, paddr_t host_vmcb);
/* The same for a guest whose next instruction must run before any interrupt (VMCB.shadow). */
void amdv_enter_shadowed(struct hal_vcpu *v, paddr_t host_vmcb);
/*
 * Resolve an exit. Called right after #VMEXIT with GIF clear and the guest's VMLOAD state (GS!) in place, so it must
 * not use this_cpu() or anything that could. Returns true if the guest can go on.
 */
bool amdv_fast(struct hal_vcpu *v);
/* amdv/event.c, called by amdv/entry.S: amdv_fast() has resolved an exit, and something follows the instruction
 * (vmcb_trap()). In the same place. */
void amdv_traced(struct hal_vcpu *v);
/*
 * Called by amdv/entry.S after #VMEXIT: amdv_fast(), or in checked mode a wrapper around it. The wrapper asserts rules
 * that silicon enforces at VMRUN and TCG does not, and rules that neither enforces (no shared ASIDs, correct clean
 * bits). The build links amdv/check.c or amdv/nocheck.c.
 */
extern const bool amdv_checked;
extern bool (*const amdv_on_exit)(struct hal_vcpu *v);
/* The same check for the first VMRUN of a run. Returns NULL, or the rule that is broken. */
const char *amdv_check_entry(const struct hal_vcpu *v);
/* Check the rules for the VMCB alone. Returns NULL, or the rule that is broken. */
const char *amdv_broken_rule(const struct vmcb *b, u32 features, u32 asids, u64 maxphys);

#endif
