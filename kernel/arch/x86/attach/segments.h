/* SPDX-License-Identifier: MIT */
/* segments.h - for assembly files: loads, after LGDT, the segments that all our descriptor tables begin with. */
    .macro OUR_SEGMENTS
    push $8
    lea 1f(%rip), %rax
    push %rax
    lretq
1:  mov $0x10, %eax
    mov %eax, %ss
    mov %eax, %ds
    mov %eax, %es
    .endm
