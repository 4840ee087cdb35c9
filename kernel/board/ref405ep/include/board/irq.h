/* SPDX-License-Identifier: MIT */
/*
 * board/irq.h - the core's universal interrupt controller (PPC405EP UM chapter 10) and the cores' doorbells.
 */
#ifndef AMALGAM_BOARD_IRQ_H
#define AMALGAM_BOARD_IRQ_H

#include <arch/cpu.h>

/* Mask all inputs but the kernel's own. */
void irq_init(void);
/* Handle VEC_EXTERNAL: all raised inputs. Interrupts are off. */
void irq_external(void);

/* Mask these inputs / of the inputs in `mask` unmask those in `on` and mask the others. */
static inline void irq_mask(u32 inputs) { mtdcr(DCR_UIC + UIC_ER, mfdcr(DCR_UIC + UIC_ER) & ~inputs); }
static inline void irq_choose(u32 mask, u32 on) { mtdcr(DCR_UIC + UIC_ER, (mfdcr(DCR_UIC + UIC_ER) & ~mask) | on); }

/* Rings of other cores: doorbell.c (CONFIG_DOORBELL); without it only ticks. hal_doorbell() sends them. */
u32 doorbell_input(void); /* returns its input of the interrupt controller, as a bit; 0: there is none */
void doorbell_init(void);
void doorbell_poll(void);
void doorbell_answer(void); /* handle other cores' requests if one of them rang */

#endif
