/* SPDX-License-Identifier: MIT */
/*
 * device.S - storage exceptions.
 *
 * It serves two accesses itself, which a serial driver makes for each byte: a read of LSR, and a write of THR. Pages of
 * devices are in the TLB without any access (mmu.c). All other accesses go to mmu_fault(), and from there to mmio().
 */
#include <arch/entry.h>
#include <board/board.h>

#define THR 0x300
#define LSR 0x305
#define LSR_EMPTY 0x60
#define LBZ 34
#define STB 38
/* IER, IIR, LCR, MCR: C handles transmitter interrupt, divisor latch and loop */
#define PLAIN_MODES 0x02008010

VECTOR 0300
    ENTER
    mfspr   r29, SPR_ESR
    lwz     r27, REG_MSR(r1)
    andis.  r29, r29, ESR_DIZ@h
    beq     dsi_to_c
    andi.   r27, r27, MSR_PR
    mfspr   r28, SPR_DEAR
    bne-    dsi_to_c
    tlbsx.  r25, 0, r28
    lis     r26, UART0_BASE@h
    bne-    dsi_to_c
    tlbre   r25, r25, 1
    andi.   r29, r25, TLBLO_WR
    rlwimi  r25, r28, 0, 20, 31
    subf    r25, r26, r25
    cmpwi   r25, LSR
    cmpwi   cr1, r25, THR
    mfsrr0  r28
    li      r26, KERNEL_MSR | MSR_DR
    mtmsr   r26
    isync
    .globl  fetch_device
fetch_device:
    lwz     r27, 0(r28) /* the instruction, by the entry that has just fetched it */
    li      r26, KERNEL_MSR
    mtmsr   r26
    isync
    srwi    r26, r27, 26
    rlwinm  r27, r27, 13, 25, 29
    addi    r28, r28, 4
    bne     device_write
    cmpwi   r26, LBZ
    lbz     r25, VM_RX_HEAD(r1)
    bne-    dsi_to_c
    lbz     r26, VM_RX_TAIL(r1)
    lbz     r24, VM_FULL(r1)
    cmpw    r25, r26
    xori    r24, r24, LSR_EMPTY
    beq     3f
    ori     r24, r24, 1
3:  stwx    r24, r1, r27
device_done:
    mtsrr0  r28
    LEAVE   ctr=0

FUNCTION device_write
    bne-    cr1, dsi_to_c
    cmpwi   cr1, r29, 0
    cmpwi   r26, STB
    beq-    cr1, dsi_to_c
    lwz     r24, VM_UART+1(r1)
    lis     r25, PLAIN_MODES@h
    bne-    dsi_to_c
    ori     r25, r25, PLAIN_MODES@l
    and.    r24, r24, r25
    lis     r25, console_speaker@ha
    bne-    dsi_to_c
    lbz     r25, console_speaker@l(r25)
    lbz     r24, VM_ID(r1)
    lwzx    r27, r1, r27
    cmpw    r25, r24 /* otherwise: a tag has to be written first, other VMs' bytes wait, or no receiver is there */
    clrlwi  r27, r27, 24
    bne-    dsi_to_c
    cmpwi   r27, 0xff
    lis     r25, UART0_BASE@h
    beq-    dsi_to_c
    lbz     r24, LSR(r25)
    eieio
    andi.   r24, r24, 0x20
    li      r24, 1
    beq-    dsi_to_c
    stb     r27, THR(r25)
    eieio
    stb     r27, VM_UART(r1)
    stb     r24, VM_THRI(r1)
    b       device_done

FUNCTION dsi_to_c
    li      r3, VEC_DSI
    b       exit_checked
