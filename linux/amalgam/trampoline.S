/* SPDX-License-Identifier: MIT */
/*
 * trampoline.S - the one page that both Linux and the kernel beneath map at the same address, with the code that
 * crosses from one to the other.
 *
 * amalgam_enter(): save the state of Linux that VMRUN needs, block all interrupts (GIF), load the kernel's CR3. Linux
 * and the kernel have different text at the same addresses, and both use ASID 0 here. Therefore all translations, also
 * global ones, must be flushed; changing CR4.PGE does that (APM vol. 2, 5.5.2). PGE stays clear in the kernel;
 * amalgam_back() sets it again.
 *
 * amalgam_back(): the same in reverse, from the page that the kernel has filled. Its first part runs in the kernel's
 * address space; from MOV to CR3 on it runs in Linux's.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/version.h>
#include <asm/msr-index.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#include "attach.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define UNWIND_HINT_UNDEFINED UNWIND_HINT_EMPTY
#endif

/* For objtool: a place that is reached by a direct call, or from the kernel. The stack changes behind it, so nobody can
 * unwind through it. */
    .macro ENTRY_HINTS
    UNWIND_HINT_UNDEFINED
    ANNOTATE_NOENDBR
    .endm

#define CR4_PGE   0x80
#define HSAVE_PA  0xc0010117
#define PAT       0x277
#define REG(n)    ATTACH_CPU_REGS + (n) * 8(%rdi)
#define SELECTOR(n) ATTACH_CPU_SEGMENTS + (n) * 8(%rdi)
#define ACCESS(n)   ATTACH_CPU_SEGMENTS + 4 + (n) * 8(%rdi)
#define SEG_ES 0
#define SEG_CS 1
#define SEG_SS 2
#define SEG_DS 3

    .macro SEGMENT register, n
    xor %eax, %eax
    mov \register, %ecx
    lar %ecx, %eax              /* leaves EAX alone when the selector is null */
    mov %ecx, SELECTOR(\n)
    mov %eax, ACCESS(\n)
    .endm

    .macro SAVE_CALLEES
    pushf
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    .endm

    .text
    .balign 4096
    .globl amalgam_trampoline
amalgam_trampoline:

/* long amalgam_enter(struct attach_cpu *page). Returns the kernel's answer. Interrupts must be off. */
SYM_CODE_START(amalgam_enter)
    ENTRY_HINTS
    SAVE_CALLEES
    cli
    mov %rdi, ATTACH_CPU_LINUX_SELF(%rdi)
    mov %rsp, ATTACH_CPU_RSP(%rdi)
    sgdt ATTACH_CPU_GDTR + 6(%rdi)
    sidt ATTACH_CPU_IDTR + 6(%rdi)
    SEGMENT %es, SEG_ES
    SEGMENT %cs, SEG_CS
    SEGMENT %ss, SEG_SS
    SEGMENT %ds, SEG_DS
    mov %cr0, %rax
    mov %rax, ATTACH_CPU_CR0(%rdi)
    mov %cr2, %rax
    mov %rax, ATTACH_CPU_CR2(%rdi)
    mov %cr3, %rax
    mov %rax, ATTACH_CPU_CR3(%rdi)
    mov %dr6, %rax
    mov %rax, ATTACH_CPU_DR6(%rdi)
    mov %dr7, %rax
    mov %rax, ATTACH_CPU_DR7(%rdi)
    mov $PAT, %ecx
    rdmsr
    mov %eax, ATTACH_CPU_PAT(%rdi)
    mov %edx, ATTACH_CPU_PAT + 4(%rdi)
    mov $MSR_EFER, %ecx
    rdmsr
    mov %eax, ATTACH_CPU_EFER(%rdi)
    mov %edx, ATTACH_CPU_EFER + 4(%rdi)
    or $EFER_SVME, %eax
    wrmsr
    clgi
    mov $HSAVE_PA, %ecx
    mov ATTACH_CPU_HSAVE_PA(%rdi), %eax
    mov ATTACH_CPU_HSAVE_PA + 4(%rdi), %edx
    wrmsr
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmsave %rax
    mov ATTACH_CPU_HOST_CR3(%rdi), %rdx
    mov ATTACH_CPU_HOST_RSP(%rdi), %rbx
    mov ATTACH_CPU_ENTRY(%rdi), %rcx
    mov %cr4, %rax
    mov %rax, ATTACH_CPU_CR4(%rdi)
    mov ATTACH_CPU_SELF(%rdi), %rdi
    and $~CR4_PGE, %rax
    mov %rax, %cr4
    mov %rdx, %cr3
    mov %rbx, %rsp
    ANNOTATE_RETPOLINE_SAFE     /* a thunk would be in Linux's text, which is not mapped here */
    jmp *%rcx
SYM_CODE_END(amalgam_enter)

/* long amalgam_leave(void), on an attached CPU. Returns 0 with the CPU bare, or an error with it attached. Interrupts
 * must be off. */
SYM_CODE_START(amalgam_leave)
    ENTRY_HINTS
    SAVE_CALLEES
    mov $ATTACH_CALL_DETACH, %eax
    vmmcall
/* Linux continues here after both functions, as the kernel's guest or without it. RAX holds the answer. */
SYM_INNER_LABEL(amalgam_resume, SYM_L_GLOBAL)
    ANNOTATE_NOENDBR            /* VMRUN or IRET comes here, no jump */
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    popf
    UNWIND_HINT_FUNC
    RET
SYM_CODE_END(amalgam_leave)

/* The kernel jumps here with GIF clear and RDI = struct attach_cpu, at the address where the kernel maps it. */
SYM_CODE_START(amalgam_back)
    ENTRY_HINTS
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmload %rax
    lgdt ATTACH_CPU_GDTR + 6(%rdi)
    lidt ATTACH_CPU_IDTR + 6(%rdi)
    mov ATTACH_CPU_DR6(%rdi), %rax
    mov %rax, %dr6
    mov ATTACH_CPU_DR7(%rdi), %rax
    mov %rax, %dr7
    mov ATTACH_CPU_CR2(%rdi), %rax
    mov %rax, %cr2
    mov ATTACH_CPU_CR0(%rdi), %rax
    mov %rax, %cr0
    mov ATTACH_CPU_CR3(%rdi), %rax
    mov ATTACH_CPU_CR4(%rdi), %rcx
    mov ATTACH_CPU_LINUX_SELF(%rdi), %rdi
    mov %rax, %cr3
    mov %rcx, %cr4
    mov ATTACH_CPU_RSP(%rdi), %rsp
    mov SELECTOR(SEG_SS), %eax
    mov %eax, %ss
    push %rax
    push ATTACH_CPU_RSP(%rdi)
    push ATTACH_CPU_RFLAGS(%rdi)
    mov SELECTOR(SEG_CS), %ecx
    push %rcx
    push ATTACH_CPU_RIP(%rdi)
    push %rcx
    lea 1f(%rip), %rax
    push %rax
    lretq
1:  ENTRY_HINTS
    mov SELECTOR(SEG_DS), %eax
    mov %eax, %ds
    mov SELECTOR(SEG_ES), %eax
    mov %eax, %es
    stgi
    mov $MSR_EFER, %ecx
    mov ATTACH_CPU_EFER(%rdi), %eax
    mov ATTACH_CPU_EFER + 4(%rdi), %edx
    wrmsr
    mov $HSAVE_PA, %ecx
    xor %eax, %eax
    xor %edx, %edx
    wrmsr
    mov REG(0), %rax
    mov REG(1), %rcx
    mov REG(2), %rdx
    mov REG(3), %rbx
    mov REG(5), %rbp
    mov REG(6), %rsi
    mov REG(8), %r8
    mov REG(9), %r9
    mov REG(10), %r10
    mov REG(11), %r11
    mov REG(12), %r12
    mov REG(13), %r13
    mov REG(14), %r14
    mov REG(15), %r15
    mov REG(7), %rdi
    iretq
SYM_CODE_END(amalgam_back)
    .globl amalgam_trampoline_end
amalgam_trampoline_end:
