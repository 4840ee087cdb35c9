/* SPDX-License-Identifier: MIT */
/*
 * board/quirks.h - differences between QEMU's ref405ep and the chip. Each workaround has a name, its fact, and what the
 * chip needs instead. tests/system/ppc405 shows that each fact still holds, so that a workaround can go when QEMU is
 * mended.
 */
#ifndef AMALGAM_BOARD_QUIRKS_H
#define AMALGAM_BOARD_QUIRKS_H

/*
 * FENCE: QEMU emits no host barrier for `sync`, so two processes that share memory see each
 * other's stores reordered. Reading a DCR leaves translated code, and with it comes one.
 * The chip: sync alone.
 */
#define QUIRK_FENCE_DCR 0x0f6

/*
 * ZPR: mtspr ZPR does not drop QEMU's cached permissions; a change of PID does.
 * So PID takes a value that no space uses first, the one at hand: ZPR's own (QEMU keeps all 32 bits). The chip:
 * nothing.
 */

/*
 * TLBLO_FIRST: a store to an entry's low word makes it invalid. So the high word is stored last (arch/tlb_hw.h). The
 * chip: in any order, invalid in between.
 *
 * PAGE_1K, PAGE_LITTLE_ENDIAN: a valid entry of 1 KiB, or with the E bit, ends QEMU. So tlb.c shows four 1 KiB pages
 * of a guest that are a plain 4 KiB page together as that, and refuses others, and little-endian pages. The chip: has
 * both.
 */

/*
 * SRR23: SRR2 and SRR3 can be read and written in problem state. So what a guest does with them reaches the
 * hardware registers, and the kernel, which does not use them itself, keeps the guest's there
 * while it runs. The chip: they trap, and live in the register page.
 */

/*
 * CODE: what another process stored stays in this one's cache of translated code, and icbi
 * does not help; a store to the page by this core does. The chip: dcbst, sync, icbi.
 */

/*
 * PIT: its interrupt is edge-like, and is cleared with TSR[ENW] beside TSR[PIS]. The chip: TSR[PIS].
 */
#define QUIRK_TSR_PIS 0x88000000

/*
 * PIT_ONE: writing 1 stops the timer as writing 0 does. So every alarm is a tick later. The chip: 0.
 */
#define QUIRK_PIT_EXTRA 1

/*
 * RFI_WAIT: rfi does not set MSR[WE], so a core that is sent to sleep by it takes a host's processor for itself. So the
 * idle loop writes the MSR once more. The chip: rfi sets it.
 */

/*
 * USPRG0: cannot be written (a privileged-instruction exception, even in supervisor state), and reads as SPRG0, which
 * is the kernel's scratch register. So nothing is left in it for the next guest. The chip: a register like SPRG4-7, to
 * be saved and loaded with them.
 */

/*
 * RESERVATION: an exception clears the reservation of lwarx, so none outlives a switch of VMs. The chip keeps it,
 * whatever its address: a dummy stwcx. in hal_switch(), or a VM's stwcx. succeeds by another's lwarx.
 */

/*
 * CACHES: there are none. So DCCR, ICCR, DCWR and SGR stay as after a reset, a guest's values of them are only stored,
 * its iccci and dccci do nothing, and memory is the same for all cores at once. The chip: DCCR and ICCR for the
 * kernel's own memory without what cores share; the guest's, turned into I and W of its untranslated pages; iccci
 * executed for the guest; and dcbf over the memory of a VM of the pool before another core may take it, or no cache for
 * such a VM.
 */

/*
 * FPU: mffs and its kin are decoded though the 405 has no floating point unit, and with MSR[FP] clear they raise
 * an exception that this processor has no vector for: QEMU aborts, and with it the core. So guests run with MSR[FP]
 * set, and these instructions do something harmless instead of trapping. The chip: 0, they are illegal instructions.
 */
#define QUIRK_GUEST_MSR MSR_FP

/*
 * NO_VECTOR: vrlqmi, vrlq, vrlqnm (primary opcode 4) and xxspltw, xxspltib (60) are decoded too, and end QEMU in any
 * mode, with no bit of the MSR to prevent it. So a hostile guest can end its core's process; other cores go on. The
 * chip: illegal instructions.
 */

/*
 * PID: a new PID acts on translations that QEMU has cached only with the next interrupt or rfi; until then loads and
 * stores in supervisor state still go where the old one led. We always leave by rfi. A native Linux does not, and reads
 * another process's page at times. The chip: nothing.
 */

#ifdef __ASSEMBLY__
/* clang-format off */
    .macro quirk_zpr reg
    mtspr   SPR_PID, \reg
    .endm
/* clang-format on */
#else
#include <types.h>
#define QUIRK_FENCE()                                                                                                  \
    ({                                                                                                                 \
        u32 _v;                                                                                                        \
        __asm__ volatile("sync; mfdcr %0,%1" : "=r"(_v) : "i"(QUIRK_FENCE_DCR) : "memory");                            \
    })
static inline void quirk_pit_acknowledge(void) { __asm__ volatile("mtspr 0x3d8,%0" ::"r"(QUIRK_TSR_PIS)); }
static inline void quirk_usprg0(void) { __asm__ volatile("mtsprg0 %0" ::"r"(0)); }
static inline void quirk_touch_code(u32 address)
{
    volatile u32 *p = (volatile u32 *)(uintptr_t)address;
    u32 word = *p;
    *p = word;
}
static inline void quirk_srr23_load(u32 *srr2, u32 *srr3)
{
    __asm__ volatile("mfspr %0,0x3de; mfspr %1,0x3df" : "=r"(*srr2), "=r"(*srr3));
}
static inline void quirk_srr23_store(u32 srr2, u32 srr3)
{
    __asm__ volatile("mtspr 0x3de,%0; mtspr 0x3df,%1" ::"r"(srr2), "r"(srr3));
}
#endif

#endif
