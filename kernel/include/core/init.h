/* SPDX-License-Identifier: MIT */
/*
 * core/init.h - how a component takes part without core/ naming it: it leaves an
 * INIT_CALL in one of its files, the linker gathers them, core_start() calls them
 * once on cpu 0 before domains are created.  What is not linked is not there.
 */
#ifndef AMALGAM_CORE_INIT_H
#define AMALGAM_CORE_INIT_H

typedef void (*init_call)(void);

#define INIT_CALL(fn) static const init_call initcall_##fn __attribute__((used, section(".initcalls"))) = fn

extern const init_call __initcalls_start[], __initcalls_end[];

#endif
