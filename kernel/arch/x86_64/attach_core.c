/* SPDX-License-Identifier: MIT */
/*
 * attach_core.c - a CPU that Linux gave up becomes a core of the kernel, and Linux's again.
 */
#include <arch/attach.h>
#include <attach/attach.h>
#include <errors.h>
#include <hal/cpu.h>

int core_prepare(struct linux_cpu *l)
{
    cpus[n_cpus] = &l->core;
    return -ENOSYS;
}
void core_cancel(struct linux_cpu *l) {}
void core_take(struct linux_cpu *l) { hal_halt(); }
bool core_is_running(unsigned core) { return false; }
unsigned cores_given(void) { return 0; }
int core_ask_back(struct linux_cpu *l) { return -ENOSYS; }
