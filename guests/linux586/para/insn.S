/* SPDX-License-Identifier: MIT */
/*
 * insn.S - the tools preprocess this file, and the assembler reads the result before every file of the kernel: macros named
 * after the instructions that a Pentium executes in ring 1 without a trap and without effect on the interrupt flag (popf,
 * pushf, iret), that tell what the guest has not (cpuid), and those that would trap too often. What is left traps.
 *
 * The flag is a bit of a word of the shared page, whose other bits nobody looks at: iret copies the frame's flags there as
 * they are. In those that pushf gets from the processor it is always set. Accesses have a segment prefix, as entry code has
 * the program's segments in DS.
 */
#include "amalgam_calls.h"
#define FLAG    %ss:(AMALGAM_SHARE + AMALGAM_SHARE_FLAG)
#define PENDING %ss:(AMALGAM_SHARE + AMALGAM_SHARE_PENDING)
.macro cli
 movl $0, FLAG
.endm
.macro sti
 movl $0x200, FLAG
 cmpl $0, PENDING
 je .Lamalgam\@
 pushl %eax
 movl $AMALGAM_EVENTS, %eax
 int $AMALGAM_VECTOR
 popl %eax
.Lamalgam\@:
.endm
.macro hlt
 pushl %eax
 movl $AMALGAM_IDLE, %eax
 int $AMALGAM_VECTOR
 popl %eax
.endm
.macro pushfl
 .byte 0x9c
 pushl %eax
 movl FLAG, %eax
 orl $~0x200, %eax
 andl %eax, 4(%esp)
 popl %eax
.endm
.macro pushf
 pushfl
.endm
.macro popfl
 pushl %eax
 movl 4(%esp), %eax
 andl $0x200, %eax
 movl %eax, FLAG
 je .Lamalgam\@
 cmpl $0, PENDING
 je .Lamalgam\@
 movl $AMALGAM_EVENTS, %eax
 int $AMALGAM_VECTOR
.Lamalgam\@:
 popl %eax
 .byte 0x9d
.endm
.macro popf
 popfl
.endm
.macro iret
 pushl 8(%esp)
 popl FLAG
 cmpl $0, PENDING
 jne .Lamalgam\@
 .byte 0xcf
.Lamalgam\@:
 pushl %eax
 movl $AMALGAM_IRET, %eax
 int $AMALGAM_VECTOR
.endm
.macro invlpg at:vararg
 pushl %eax
 pushl %ebx
 pushl %ecx
 leal \at, %ebx
 movl $1, %ecx
 movl $AMALGAM_INVLPG, %eax
 int $AMALGAM_VECTOR
 popl %ecx
 popl %ebx
 popl %eax
.endm
.macro cpuid
 int $AMALGAM_CPUID
.endm
