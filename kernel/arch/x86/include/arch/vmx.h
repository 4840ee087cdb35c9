/* SPDX-License-Identifier: MIT */
/*
 * arch/vmx.h (x86) - VT-x: the MSRs that say what a processor's VMX can do, the controls that a guest needs of it, and
 * VMX operation (Intel SDM vol. 3, chapters 24 to 32; capability MSRs: appendix A).
 */
#ifndef AMALGAM_ARCH_VMX_H
#define AMALGAM_ARCH_VMX_H

#include <types.h>

#define MSR_FEATURE_CONTROL    0x3au
#define FEATURE_CONTROL_LOCKED (1ul << 0)
#define FEATURE_CONTROL_VMX    (1ul << 2) /* VMXON outside SMX operation */

#define MSR_VMX_BASIC        0x480u
#define MSR_VMX_PROCBASED2   0x48bu
#define MSR_VMX_EPT_VPID_CAP 0x48cu
#define MSR_VMX_TRUE_PIN     0x48du /* PROC, EXIT and ENTRY follow */

#define VMX_BASIC_REVISION(basic)    ((u32)(basic)&0x7fffffff)
#define VMX_BASIC_MEMORY_TYPE(basic) ((u32)((basic) >> 50) & 15)
#define VMX_BASIC_TRUE               (1ul << 55)
#define VMX_MEMORY_WRITE_BACK        6

#define VMX_EPT_GIB_PAGES (1ul << 17)

#define CR4_VMXE (1ul << 13)

/* What MSRs say of VMX. The five of controls: the lower half is what must be 1, the upper half what may be. */
enum vmx_msr { VMX_PIN, VMX_PROC, VMX_EXIT, VMX_ENTRY, VMX_PROC2, VMX_EPT_VPID, VMX_MSRS };

/* Bits of controls (25.6 to 25.8). */
#define VMX_PIN_INTERRUPT      (1u << 0)
#define VMX_PIN_NMI            (1u << 3)
#define VMX_PIN_VIRTUAL_NMIS   (1u << 5)
#define VMX_PROC_IRQ_WINDOW    (1u << 2)
#define VMX_PROC_HLT           (1u << 7)
#define VMX_PROC_MWAIT         (1u << 10)
#define VMX_PROC_RDPMC         (1u << 11)
#define VMX_PROC_TPR           (1u << 21)
#define VMX_PROC_NMI_WINDOW    (1u << 22)
#define VMX_PROC_DR            (1u << 23)
#define VMX_PROC_IO            (1u << 24) /* all ports */
#define VMX_PROC_MSR_MAP       (1u << 28)
#define VMX_PROC_MONITOR       (1u << 29)
#define VMX_PROC_SECONDARY     (1u << 31)
#define VMX_PROC2_EPT          (1u << 1)
#define VMX_PROC2_RDTSCP       (1u << 3)
#define VMX_PROC2_VPID         (1u << 5)
#define VMX_PROC2_WBINVD       (1u << 6)
#define VMX_PROC2_UNRESTRICTED (1u << 7)
#define VMX_PROC2_PAUSE_LOOP   (1u << 10)
#define VMX_PROC2_INVPCID      (1u << 12)
#define VMX_EXIT_DEBUG         (1u << 2)
#define VMX_EXIT_HOST_64       (1u << 9)
#define VMX_EXIT_PAT_EFER      (0xfu << 18) /* both are saved, and the host's are loaded */
#define VMX_ENTRY_DEBUG        (1u << 2)
#define VMX_ENTRY_64           (1u << 9)
#define VMX_ENTRY_PAT_EFER     (3u << 14)

/* Basic exit reasons (appendix C). */
enum vmx_exit_reason {
    VMX_EXIT_EXCEPTION = 0, /* or an NMI */
    VMX_EXIT_INTERRUPT = 1,
    VMX_EXIT_TRIPLE = 2,
    VMX_EXIT_IRQ_WINDOW = 7,
    VMX_EXIT_NMI_WINDOW = 8,
    VMX_EXIT_TASK_SWITCH = 9,
    VMX_EXIT_CPUID = 10,
    VMX_EXIT_GETSEC = 11,
    VMX_EXIT_HLT = 12,
    VMX_EXIT_INVD = 13,
    VMX_EXIT_RDPMC = 15,
    VMX_EXIT_RSM = 17,
    VMX_EXIT_VMCALL = 18,
    VMX_EXIT_VMCLEAR = 19, /* to VMXON, 27 */
    VMX_EXIT_VMXON = 27,
    VMX_EXIT_CR = 28,
    VMX_EXIT_DR = 29,
    VMX_EXIT_IO = 30,
    VMX_EXIT_RDMSR = 31,
    VMX_EXIT_WRMSR = 32,
    VMX_EXIT_BAD_STATE = 33,
    VMX_EXIT_MWAIT = 36,
    VMX_EXIT_MONITOR = 39,
    VMX_EXIT_PAUSE = 40,
    VMX_EXIT_TPR = 43,
    VMX_EXIT_EPT = 48,
    VMX_EXIT_EPT_MISCONFIGURED = 49,
    VMX_EXIT_INVEPT = 50,
    VMX_EXIT_INVVPID = 53,
    VMX_EXIT_WBINVD = 54,
    VMX_EXIT_XSETBV = 55,
};
#define VMX_EXIT_REASONS 70

/* Qualification of an EPT violation (28.2.1). */
#define EPT_WROTE       (1u << 1)
#define EPT_FETCHED     (1u << 2)
#define EPT_LINEAR      (1u << 7)  /* there is a linear address */
#define EPT_FINAL       (1u << 8)  /* the access itself, not a page walk for it */
#define EPT_NMI_UNBLOCK (1u << 12) /* by the IRET that exited; of exceptions, too */

/* Of an access to a port. */
#define VMX_IO_IN     (1u << 3)
#define VMX_IO_STRING (1u << 4)

struct vmx_capability {
    bool present, amdv; /* CPUID: VT-x, AMD-V instead of it */
    bool tsc_aux;       /* there is this MSR */
    u64 feature_control, basic;
    u64 msr[VMX_MSRS];
};

/* Read the calling core's. */
void vmx_read_capability(struct vmx_capability *c);

/*
 * Return why this kernel could not host guests on such a processor, or 0. If something is missing that the processor
 * may lack alone, *missing is its name.
 */
const char *vmx_refusal(const struct vmx_capability *c, const char **missing);

/* Take instructions that no control of this processor permits to guests from what CPUID says: leaf 7's EBX and ECX, and
 * EDX of leaf 0x80000001. */
void vmx_hide_features(const struct vmx_capability *c, u32 *ebx7, u32 *ecx7, u32 *extended);

/* Return the control word with the bits `want`, and those that must be 1. All of `want` must be permitted
 * (vmx_refusal()). */
static inline u32 vmx_control(u64 msr, u32 want) { return want | (u32)msr; }

/*
 * Enter VMX operation on this core with `region`, a page of its own; FEATURE_CONTROL is locked with VMX if it was not.
 * Returns 0, or -EIO: VMXON failed, and nothing is changed but that lock. Interrupts must be off.
 */
int vmx_enter(void *region, const struct vmx_capability *c);
/* Leave VMX operation. INIT is blocked until then. Interrupts must be off. */
void vmx_leave(void);

/* Make `page` the current VMCS, cleared. Returns 0, or -EIO. In VMX operation. */
int vmcs_load(void *page, const struct vmx_capability *c);
/* Write the current VMCS back to its page and forget it. */
void vmcs_clear(void *page);
/* Return 0, or -EIO: this processor has no such field, or it is read only. */
int vmcs_write(u32 field, u64 value);
int vmcs_read(u32 field, u64 *value);

#endif
