/* SPDX-License-Identifier: MIT */
/* nouser.c - guests without processes beside them (user.c): the host is as it is. */
#include <arch/cpu.h>
#include "state.h"

u64 vmx_host_root(void) { return read_cr3(); }
u64 vmx_host_efer(void) { return rdmsr(MSR_EFER); }
