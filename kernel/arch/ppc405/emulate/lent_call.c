/* SPDX-License-Identifier: MIT */
/*
 * lent_call.c - executes one instruction of the kernel on behalf of the guest: an access to a lent device control
 * register (CONFIG_DRIVER). Its number is part of the instruction, so vm/ppc405/lent.c writes the instruction.
 *
 * A register that no device has ends in an exception, which kernel_fault() makes a fault event of the guest. The entry
 * of an exception saves registers where SPRG3 points to. These are the kernel's, so meanwhile SPRG3 points to the idle
 * loop's context, which has none worth keeping. The way back to a guest sets SPRG3.
 */
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/upcalls.h>

__asm__(".pushsection .text.lent_call,\"ax\"\n"
        ".globl lent_call, lent_code\n"
        ".type lent_call, @function\n"
        "lent_call: mfsprg3 4\n"
        "lis 5, idle_context@ha\n"
        "addi 5, 5, idle_context@l\n"
        "mtsprg3 5\n"
        "lent_code: .long 0\n"
        "mtsprg3 4\n"
        "blr\n"
        ".popsection");

bool lent_fault(u32 pc) { return pc == (u32)(uintptr_t)lent_code; }
