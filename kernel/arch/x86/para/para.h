/* SPDX-License-Identifier: MIT */
/* para.h - what the files of x86/para share: the pages of layout.h as C has them, and each file's functions. */
#ifndef AMALGAM_X86_PARA_PARA_H
#define AMALGAM_X86_PARA_PARA_H

#include "layout.h"
#include "shadow.h"

#include <arch/percpu.h>
#include <arch/registers.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <generated/para_calls.h>
#include <hal/memory.h>

/* As switch.S and the processor push them. */
struct para_regs {
    u32 gs, fs, es, ds, edi, esi, ebp, unused, ebx, edx, ecx, eax, vector, error, eip, cs, eflags, esp, ss;
};
_Static_assert(sizeof(struct para_regs) == REGS_SIZE, "switch.S");

struct para_table {
    u16 limit;
    u32 base;
    u16 pad;
} __packed;

struct para_state {
    u64 gdt[PARA_DESCRIPTORS];
    struct tss tss;
    u64 idt[256];
    u8 pad[STATE_HOST_GDTR - PARA_DESCRIPTORS * 8 - sizeof(struct tss) - 2048];
    struct para_table host_gdtr, host_idtr, linear_gdtr, gdtr, idtr;
    u32 host_esp, host_cr3, stack[2];
};
_Static_assert(sizeof(struct para_state) == PAGE_SIZE && offsetof(struct para_state, host_gdtr) == STATE_HOST_GDTR &&
                   offsetof(struct para_state, linear_gdtr) == STATE_LINEAR_GDTR &&
                   offsetof(struct para_state, host_esp) == STATE_HOST_ESP &&
                   offsetof(struct para_state, stack) == STATE_STACK &&
                   offsetof(struct para_state, host_cr3) == STATE_HOST_CR3,
               "layout.h");

#define CR0_PE_ET    0x11u
#define CR0_FPU      0xeu /* MP, EM, TS */
#define CR4_GLOBAL   0x80u
#define CR4_LARGE    0x10u
#define ACCESS_WRITE 2u /* as in the error code of a page fault */
#define ACCESS_USER  4u
#define RING         3u
#define FLAGS_KEPT   0x240dd5u /* of EFLAGS, what a return may set: neither VM, NT, IOPL nor IF, which is always set */

/* The macro for IRET (guests/linux586/para/insn.S): the bytes before the instruction, and those from it to the end,
 * where the call is (tests/tools/test_para586.py). */
#define IRET_CODE  0xcf
#define IRET_MACRO 21u
#define IRET_CALL  9u

static inline u32 ring_of(const struct hal_vcpu *v) { return v->regs->cs & RING; }
/* A word of the shared page, by its offset; read once, because the guest can write it. */
static inline u32 shared_get(const struct hal_vcpu *v, unsigned at) { return READ_ONCE(v->shared[at / 4]); }
static inline void shared_set(struct hal_vcpu *v, unsigned at, u32 value) { WRITE_ONCE(v->shared[at / 4], value); }

/* What the guest goes on after. */
enum done {
    DONE,     /* it goes on */
    NOT_OURS, /* nothing was changed: the guest gets its exception */
    EXIT,     /* *e says what another component has to do */
};

/* --- stage2.c --- */
struct stage2_range {
    u32 gpa, size;
    u8 *at;
    u32 rights; /* ENTRY_P, ENTRY_U, and ENTRY_W if it may be written */
};
/* Return the range with a guest-physical address, or NULL. */
const struct stage2_range *para_range(const struct stage2 *s, u32 gpa);

/* --- strong.h: memory whose pages come and go. Else no page ever lacks, and nothing of it is compiled. --- */
#if PARA_STRONG
#include "strong.h"
#else
static inline const struct stage2_range *para_strong_range(const struct stage2 *s, u32 a) { return para_range(s, a); }
static inline u32 para_bus(struct hal_vcpu *v, const u8 *page, u32 va) { return bus_address(virt_to_phys(page)); }
static inline void para_strong_kept(const u8 *page, unsigned place) {}
static inline bool para_strong_lacks(void) { return false; }
static inline void para_strong_walked(u32 entry, u32 va) {}
static inline void para_strong_forget(void) {}
static inline void para_strong_loaded(void) {}
static inline u32 para_strong_begin(struct hal_vcpu *v) { return 0; }
static inline void para_strong_save(struct hal_vcpu *v) {}
static inline void para_strong_enter(struct hal_vcpu *v) {}
static inline enum done para_strong_left(struct hal_vcpu *v, struct vcpu_exit *e, u32 left) { return DONE; }
u32 para_strong_fault(void); /* not linked */
static inline enum done para_strong_end(struct hal_vcpu *v, struct vcpu_exit *e, enum done done) { return done; }
#endif

/* Return the page at a guest-physical address, which may be written if `write`; NULL: there is none. Nearly always it
 * is in the first range, which is the guest's memory. */
static inline u8 *para_page(const struct stage2 *s, u32 gpa, bool write, u32 *rights)
{
    const struct stage2_range *r = s->range;
    if (unlikely(gpa - r->gpa >= r->size) && !(r = para_strong_range(s, gpa)))
        return NULL;
    *rights = r->rights;
    return write && !(r->rights & ENTRY_W) ? NULL : r->at + ((gpa - r->gpa) & ENTRY_FRAME);
}

/* --- walk.c --- */
/*
 * Walk the guest's tables for an access (ACCESS_*), and set their A and D. Returns the entry: guest-physical frame, P,
 * W, U, D, G as the access found them, W only where D is set; 0: a page fault, with *present as its error code has it.
 */
u32 para_walk(struct hal_vcpu *v, u32 va, u32 access, u32 *present);
/* Where a page that is read, or written, is kept, and by which key. */
static inline unsigned para_place_of(u32 va, u32 access)
{
    return (va >> 12 & (PARA_KEPT / 2 - 1)) + (access ? PARA_KEPT / 2 : 0);
}
static inline u32 para_key(u32 va, u32 access) { return (va & ENTRY_FRAME) | access | 1; }
/* Return the guest's memory at an address of its own, up to the end of the page, as its kernel reads it, or writes it
 * with ACCESS_WRITE; NULL: a page fault, or no memory. What was found is kept as a TLB keeps it. */
u8 *para_find(struct hal_vcpu *v, u32 va, u32 access);
static inline u8 *para_at(struct hal_vcpu *v, u32 va, u32 access)
{
    const struct para_kept *k = &v->kept[para_place_of(va, access)];
    return likely(k->key == para_key(va, access)) ? k->page + (va & ~ENTRY_FRAME) : para_find(v, va, access);
}
/* Forget what para_at() has kept; not what is global, if `global` stays. */
void para_drop(struct hal_vcpu *v, bool global);
void para_drop_page(struct hal_vcpu *v, u32 va);
/* Write a word as the guest's kernel would. Returns 0 or -EFAULT. */
int para_put(struct hal_vcpu *v, u32 va, u32 word);

/* --- space.c: the guest's CR3, and a page that the processor has missed --- */
enum fault { FAULT_FILLED, FAULT_GUEST, FAULT_NOWHERE };
/* An entry of the guest's tables as one of a shadow: with the frame's address, and no right that the memory has not. */
static inline u32 para_entry(struct hal_vcpu *v, u32 entry, u32 va)
{
    u32 rights, keep = ENTRY_P | ENTRY_W | ENTRY_U;
    u8 *page = para_page(v->memory, entry, false, &rights);
    return page ? para_bus(v, page, va) | (entry & rights & keep) | (entry & ENTRY_G) : 0;
}
/* Fill the shadow; *error becomes that of the guest's page fault, *gpa where it has no memory. */
enum fault para_fault(struct hal_vcpu *v, u32 va, u32 *error, u32 *gpa);
void para_load_cr3(struct hal_vcpu *v, u32 cr3, u32 number, u32 generation);
/* INVLPG. */
void para_forget(struct hal_vcpu *v, u32 va);
void para_set_cr0(struct hal_vcpu *v, u32 value);
void para_set_cr4(struct hal_vcpu *v, u32 value);

/* --- descriptor.c --- */
/* Return what a descriptor may be for a guest: 0, or a code or data segment of ring 1 or 3. Pure. */
u64 descriptor_clean(u64 d);
void para_load_gdt(struct hal_vcpu *v, u32 base, u32 limit);
/* Load the descriptor of a selector again, from where the guest says its table is. Returns whether it has changed. */
bool para_reload(struct hal_vcpu *v, u32 selector);
/* Returns whether a return to a program with these selectors would load them. */
bool para_loadable(const struct hal_vcpu *v, u32 cs, u32 ss);
/* PARA_TLS. Returns 0 or -EFAULT. */
int para_load_tls(struct hal_vcpu *v, u32 from);

/* --- deliver.c --- */
/* Enter the guest's handler, with an error code if there is one. Returns NULL, or why the guest cannot go on: it has no
 * handler, or no stack for it. */
const char *para_deliver(struct hal_vcpu *v, unsigned vector, const u32 *error);
/* Do the guest's INT `vector`, at EIP. Returns NULL, as para_deliver(); or para_not: it may not use this vector. */
const char *para_int(struct hal_vcpu *v, unsigned vector);
extern const char para_not[];
/* Go on in the guest's handler from the stub for INT 0x80, where that has refused its stack pointer. Returns false if
 * it was not there. */
bool para_enter_handler(struct hal_vcpu *v);
/* Deliver an interrupt line if one waits and the guest takes it, and say in the shared page what waits. Needless where
 * none is raised and nothing has been said. Returns NULL, as para_deliver(); or para_window: it is VCPU_EXTERNAL, and
 * the machine has the vector. */
const char *para_lines(struct hal_vcpu *v);
extern const char para_window[];
static inline bool para_quiet(const struct hal_vcpu *v) { return !(READ_ONCE(v->lines) | v->said); }
void para_load_idt(struct hal_vcpu *v, u32 base, u32 limit);
/* Return from an interrupt by a frame that lies at `esp` of the guest's kernel: to it, whatever ring below 2 the frame
 * has, or to a program, which para_loadable() permits. */
void para_iret(struct hal_vcpu *v, const u32 *frame, u32 esp);

/* --- emulate.c, calls.c --- */
/* Do the privileged instruction of the guest's kernel at EIP. */
enum done para_emulate(struct hal_vcpu *v, struct vcpu_exit *e);
#define INSN_LONGEST 15u
struct para_insn {
    u8 code[INSN_LONGEST + 1];
    unsigned at; /* of the next byte */
    bool word;   /* operands of 16 bits */
};
/* Fetch the instruction at EIP and step over its prefixes. Returns false where it begins in no memory. What of it lies
 * in a page that is not there is 0: such an instruction has not been executed. */
bool para_fetch(struct hal_vcpu *v, struct para_insn *i);
/* Return the address of an operand in memory, without a segment's base, and step over it. */
u32 para_operand(struct para_regs *r, struct para_insn *i);
u32 *para_gpr(struct para_regs *r, unsigned n);
/* Do a call of kernel/api/para.yaml, or leave it to the machine. */
enum done para_call(struct hal_vcpu *v, struct vcpu_exit *e);
void para_cpuid(struct hal_vcpu *v);

/* --- patched.c: do what the instruction `op`, whose operands are next, stands for. */
enum done para_stand_in(struct hal_vcpu *v, const struct para_insn *i, u8 op);

/* --- mmio.c: an access at `va` to guest-physical `gpa`, where no memory is, for the machine. With size 0 it is none
 * that is understood. */
void para_mmio(struct hal_vcpu *v, struct vcpu_exit *e, u32 va, u32 gpa);

/* --- switch.S --- */
extern const u8 para_code[], para_code_end[], para_int80[], para_int80_end[], para_vectors[];
/* Each turn is one para_enter(), and before the first one para_begin(). para_end() gives the processor back its task
 * state before anything else than this vCPU can run. Interrupts are off from begin to end. */
void para_begin(struct para_state *state);
u32 para_enter(struct para_state *state, u32 cr3);
#define LEFT_AT (PARA_REGS + PAGE_SIZE - REGS_SIZE) /* where its registers are when it has left */
void para_end(const struct para_state *state);
/* Where something of switch.S lies in the guest's address spaces. */
static inline u32 para_place(const u8 *of) { return PARA_CODE + (u32)(of - para_code); }

#endif
