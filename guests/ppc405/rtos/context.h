/* SPDX-License-Identifier: MIT */
/* context.h - a task's state on its stack, for C and assembly. */
#ifndef CONTEXT_H
#define CONTEXT_H

/* Kinds: interrupted, with all registers saved; or in context_switch(), with only r13-r31, LR and CR saved. */
#define CONTEXT_INTERRUPTED 0
#define CONTEXT_WAITS       1

#define CONTEXT_KIND 8
#define CONTEXT_GPR  16
#define CONTEXT_PC   144
#define CONTEXT_MSR  148
#define CONTEXT_CR   152
#define CONTEXT_LR   156
#define CONTEXT_CTR  160
#define CONTEXT_XER  164
#define CONTEXT_SIZE 176

#endif
