/* SPDX-License-Identifier: MIT */
/* report_none.c - for a kernel without CONFIG_CONSOLE: a message of the kernel is a number in the core's record, which
 * a host can read. */
#include <partition/partition.h>
#include <partition/shared.h>

void hal_report(const char *what, u32 a, u32 b) { shared.cores[core.id].boot = a; }

void hal_report_event(u32 id, const char *what, u32 a, u32 b) { hal_report(what, a, b); }
