/* SPDX-License-Identifier: MIT */
/*
 * mmu.h - between shadow.c, which fills the hardware TLB, mmu.c, which serves a miss, and whoever says what the guest
 * sees at an address: tlb.c (the virtual TLB), or real.c (guests without one).
 */
#ifndef AMALGAM_MMU_H
#define AMALGAM_MMU_H

#include <arch/mmu.h>
#include <arch/tlb_hw.h>

/*
 * The hardware's zones are classes by the value of the zone's field in the guest's ZPR, not
 * the guest's zones. For a guest in its privileged mode, and in its problem mode, a value grants:
 *     00: as EX, WR say | nothing      01: as EX, WR say, both
 *     10: everything | as EX, WR say   11: everything, both
 * The hardware is always in problem state, so these are its ZPR for the two modes:
 */
#define ZPR_PRIVILEGED 0x5f000000u /* 01 01 11 11 */
#define ZPR_PROBLEM    0x17000000u /* 00 01 01 11 */
#define ZONE_OWNER     0           /* zone whose pages the guest's problem mode does not see */
#define ZONE_PLAIN     1           /* zone in which EX and WR count */
#define ZONE_DEVICE    4           /* zone of no access: the page is no memory */

/* Hardware PIDs of a guest's address spaces, by MSR[IR,DR]; the translated ones follow, one a guest's PID. */
#define SPACE_REAL   1
#define SPACE_MIXED  2 /* 2: data translated; 3: instructions translated */
#define SPACE_PID    4
#define SPACE_SHARED 255

enum { MODE_REAL, MODE_DATA, MODE_INSTRUCTIONS, MODE_TRANSLATED }; /* MSR[IR], MSR[DR] */
/* By the hardware's PID, which the kernel has set: the MSR in the register page is the guest's to write. */
static inline u32 mode_of(u32 pid) { return MIN(pid - SPACE_REAL, (u32)MODE_TRANSLATED); }

struct view { /* what the guest's state says of an address */
    u32 gpa;
    u32 lo;   /* TLBLO_EX, WR, W, I, G; ZSEL is already the hardware's class */
    u32 size; /* of the guest's page: 1 KiB << 2 size */
};

#define REAL_VIEW(ea) ((struct view){ (ea), TLBLO_EX | TLBLO_WR | TLBLO_ZSEL(ZONE_PLAIN), 7 })

/*
 * The guest's view of `ea` when MSR[IR,DR] are not both 0, for an access that needs the right `need`: TLBLO_EX (an
 * instruction), TLBLO_WR or 0.  Returns 0; or the vector of what the guest gets instead, with its *esr; or REFUSED,
 * when it did what cannot be shown, and partition_event() was told.
 */
u32 translated_view(struct vm *vm, u32 mode, u32 ea, u32 need, u32 *esr, struct view *v);
#define REFUSED 1
/* As after a reset; the hardware's TLB is not touched. */
void tlb_reset(struct vm *vm);
/* The memory at `gpa`, its own or lent, or NULL. */
const struct vm_area *area_of(struct vm *vm, u32 gpa);
/*
 * irfm.c: the low TLB word for the register page, if `ea` is in it and the guest has one; otherwise 0. It is for the
 * guest's privileged mode, ZONE_OWNER; in real mode ZONE_PLAIN, as all there: whoever runs in that may write the kernel
 * itself.
 */
u32 register_page(struct vm *vm, u32 ea);
/* Put into the hardware's TLB, for space `pid`, as much of the page as is memory; false: none is. */
bool fill(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* The same for its 4 KiB at `ea` alone. */
bool fill_page(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* The same for one page of any kind, which has no smaller ones in its way; `lo`: the hardware's low word. */
void mmu_put(u32 pid, u32 ea, u32 size, u32 lo);
/* device.c: a storage exception because of a page of show_device(), which is served (true), or looked up as a miss. */
bool device_fault(struct vm *vm, u32 *vector, u32 ea, u32 need, u32 *esr);
void show_device(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* Drop hardware entries whose page begins where (ea & mask) says, in spaces first..first + n - 1 (modulo 256). */
void purge(u32 ea, u32 mask, u32 first, u32 n);

/* Codes of PT_ON_FAULT, beside the vectors: what the shadow TLB cannot show. */
#define EVENT_TLB_ENDIAN 1 /* a little-endian page */
#define EVENT_TLB_1K     2 /* a 1 KiB page that is not part of a plain 4 KiB page */
#define EVENT_TLB_MIXED  3 /* one page seen twice: translated and not, differently; or in problem mode */
#define EVENT_TLB_NONE   4 /* translation, without CONFIG_TLBV */

extern u8 mmu_next_slot; /* of the hardware's TLB, modulo 64: the one that is taken next */
extern u32 mmu_shown; /* all bits of the addresses of pages smaller than 16 MiB since the hardware's TLB was cleared */

static inline u32 page_mask(u32 size) { return ~0u << (10 + 2 * size); }

#endif
