/* SPDX-License-Identifier: MIT */
/*
 * core/init.h - how a component is initialized without core/ naming it: one of its files has an INIT_CALL, the linker
 * gathers all of them, and core_start() calls them on cpu 0 before domains are created. A component that is not linked
 * has none.
 */
#ifndef AMALGAM_CORE_INIT_H
#define AMALGAM_CORE_INIT_H

typedef void (*init_call)(void);

#define INIT_CALL(fn) static const init_call initcall_##fn __attribute__((used, section(".initcalls"))) = fn
/* The same, before the others: it finds out what they ask (x86 only). */
#define INIT_CALL_FIRST(fn) static const init_call initcall_##fn __attribute__((used, section(".initcalls.first"))) = fn

extern const init_call __initcalls_start[], __initcalls_end[];

#endif
