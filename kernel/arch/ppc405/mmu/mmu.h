/* SPDX-License-Identifier: MIT */
/*
 * mmu.h - the interface between the files of the guest's MMU.
 *
 * shadow.c fills the hardware TLB, and mmu.c handles a miss. tlb.c (the virtual TLB), or real.c for guests without one,
 * tells what the guest sees at an address.
 */
#ifndef AMALGAM_MMU_H
#define AMALGAM_MMU_H

#include <arch/mmu.h>
#include <arch/tlb_hw.h>

/*
 * The guest does not use the hardware's zones directly. A hardware zone stands for one value of a zone's field in the
 * guest's ZPR. What a value grants to the guest's privileged mode and to its problem mode:
 *
 *     00: as EX, WR say | nothing      01: as EX, WR say, both
 *     10: everything | as EX, WR say   11: everything, both
 *
 * The hardware is always in problem state. These are its ZPR for the two modes:
 */
#define ZPR_PRIVILEGED 0x5f000000u /* 01 01 11 11 */
#define ZPR_PROBLEM    0x17000000u /* 00 01 01 11 */
#define ZONE_OWNER     0           /* pages that the guest's problem mode does not see */
#define ZONE_PLAIN     1           /* pages whose rights are EX and WR */
#define ZONE_DEVICE    4           /* pages without any access: no memory is there */

/* Hardware PIDs of a guest's address spaces, by MSR[IR,DR]. From SPACE_PID on there is one for each PID of the guest.
 */
#define SPACE_REAL   1
#define SPACE_MIXED  2 /* 2: data translated; 3: instructions translated */
#define SPACE_PID    4
#define SPACE_SHARED 255

enum { MODE_REAL, MODE_DATA, MODE_INSTRUCTIONS, MODE_TRANSLATED }; /* MSR[IR], MSR[DR] */
/* Read from the hardware's PID, which the kernel has set: the guest may write the MSR in its register page at any
 * time. */
static inline u32 mode_of(u32 pid) { return MIN(pid - SPACE_REAL, (u32)MODE_TRANSLATED); }

struct view { /* what the guest's MMU says about an address */
    u32 gpa;
    u32 lo;   /* TLBLO_EX, WR, W, I, G; ZSEL is already the hardware's class */
    u32 size; /* of the guest's page: 1 KiB << 2 size */
};

#define REAL_VIEW(ea) ((struct view){ (ea), TLBLO_EX | TLBLO_WR | TLBLO_ZSEL(ZONE_PLAIN), 7 })

/*
 * Translate `ea` as the guest's MMU does when MSR[IR,DR] are not both 0, for an access that needs the right `need`:
 * TLBLO_EX (an instruction), TLBLO_WR or 0. Returns 0 with *v; the vector of the exception that the guest gets, with
 * its *esr; or REFUSED if the guest did what the shadow TLB cannot show, and partition_event() has been called.
 */
u32 translated_view(struct vm *vm, u32 mode, u32 ea, u32 need, u32 *esr, struct view *v);
#define REFUSED 1
/* Reset the virtual TLB. The hardware's TLB is not touched. */
void tlb_reset(struct vm *vm);
/* The area (own or lent memory) that holds `gpa`, or NULL. */
const struct vm_area *area_of(struct vm *vm, u32 gpa);
/*
 * irfm.c: the low TLB word for the register page if the guest has one and `ea` is in it; otherwise 0. Its zone is
 * ZONE_OWNER, for the guest's privileged mode only. In real mode it is ZONE_PLAIN like all pages, since all code that
 * runs in real mode may write the guest's kernel.
 */
u32 register_page(struct vm *vm, u32 ea);
/* Put the page into the hardware's TLB for space `pid`, as much of it as is memory. Returns false if none of it is. */
bool fill(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* The same for the 4 KiB at `ea` only. */
bool fill_page(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* Put one page of any kind and size. No smaller page may overlap it. `lo`: the hardware's low word. */
void mmu_put(u32 pid, u32 ea, u32 size, u32 lo);
/* device.c: handle a storage exception because of a page of show_device(). Returns true if it was served, and false
 * if it has to be handled as a miss. */
bool device_fault(struct vm *vm, u32 *vector, u32 ea, u32 need, u32 *esr);
void show_device(struct vm *vm, u32 pid, u32 ea, const struct view *v);
/* Drop the hardware entries of spaces first..first + n - 1 (modulo 256) whose page address matches `ea` under `mask`.
 */
void purge(u32 ea, u32 mask, u32 first, u32 n);

/* Codes of PT_ON_FAULT that are no vectors: what the shadow TLB cannot show. */
#define EVENT_TLB_ENDIAN 1 /* a little-endian page */
#define EVENT_TLB_1K     2 /* a 1 KiB page that is not part of a plain 4 KiB page */
#define EVENT_TLB_MIXED  3 /* a page that is different translated and untranslated, or in problem mode */
#define EVENT_TLB_NONE   4 /* translation, without CONFIG_TLBV */

extern u8 mmu_next_slot; /* the hardware's slot that is used next, modulo 64 */
extern u32 mmu_shown;    /* the OR of the addresses of all pages below 16 MiB since the hardware's TLB was cleared */

static inline u32 page_mask(u32 size) { return ~0u << (10 + 2 * size); }

#endif
