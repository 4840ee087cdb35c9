/* SPDX-License-Identifier: MIT */
/*
 * board/irq.h - the core's universal interrupt controller (PPC405EP UM chapter 10) and the cores' doorbells.
 */
#ifndef AMALGAM_BOARD_IRQ_H
#define AMALGAM_BOARD_IRQ_H

#include <arch/cpu.h>

/* All inputs masked but the kernel's own. */
void irq_init(void);
/* VEC_EXTERNAL: serve what is raised. Interrupts are off. */
void irq_external(void);

/* These inputs do not interrupt from now on; / of those in `mask` the ones in `on` do. */
static inline void irq_mask(u32 inputs) { mtdcr(DCR_UIC + UIC_ER, mfdcr(DCR_UIC + UIC_ER) & ~inputs); }
static inline void irq_choose(u32 mask, u32 on) { mtdcr(DCR_UIC + UIC_ER, (mfdcr(DCR_UIC + UIC_ER) & ~mask) | on); }

/* Rings of other cores: doorbell.c (CONFIG_DOORBELL), or only ticks. hal_doorbell() sends them. */
u32 doorbell_input(void); /* of the interrupt controller, as a bit; 0: there is none */
void doorbell_init(void);
void doorbell_poll(void);
void doorbell_answer(void); /* look at what others want of this core, if one of them rang */

/* What irq_external() calls up (vm/ppc405/lent.c): these inputs, which are not the kernel's, ask. */
void lent_irq(u32 raised);

#endif
