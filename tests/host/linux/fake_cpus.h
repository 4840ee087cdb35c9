/* SPDX-License-Identifier: MIT */
/*
 * fake_cpus.h - CPUs of a Linux that come and go: what linux/amalgam/hotplug.c calls. A test is the machine: it plays
 * what Linux does with a CPU in remove_cpu() and add_cpu(), and what others do while msleep() sleeps.
 */
#ifndef AMALGAM_TESTS_FAKE_CPUS_H
#define AMALGAM_TESTS_FAKE_CPUS_H

#include "fake_linux.h"

#define CPUS 4

struct cpumask {
    u64 bits;
};
extern struct cpumask host_online;

#define nr_cpu_ids                ((u32)CPUS)
#define cpu_possible(cpu)         ((cpu) < CPUS)
#define cpu_online(cpu)           (host_online.bits >> (cpu)&1)
#define num_online_cpus()         ((unsigned)__builtin_popcountll(host_online.bits))
#define cpu_physical_id(cpu)      ((u32)(cpu) + 16)
#define cpumask_test_cpu(cpu, m)  ((m)->bits >> (cpu)&1)
#define cpumask_set_cpu(cpu, m)   ((void)((m)->bits |= 1ull << (cpu)))
#define cpumask_clear_cpu(cpu, m) ((void)((m)->bits &= ~(1ull << (cpu))))
#define for_each_cpu(cpu, m)                                                                                           \
    for ((cpu) = 0; (cpu) < CPUS; (cpu)++)                                                                             \
        if (cpumask_test_cpu(cpu, m))
#define on_each_cpu(fn, arg, wait) fn(arg)
#define max_t(type, a, b)          ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define pr_warn(...)               ((void)0)

int remove_cpu(unsigned cpu);
int add_cpu(unsigned cpu);
void msleep(unsigned ms);

enum cpuhp_state { CPUHP_BP_PREPARE_DYN = 1, CPUHP_AP_ONLINE_DYN };
int cpuhp_setup_state(enum cpuhp_state state, const char *name, int (*up)(unsigned), int (*down)(unsigned));
static inline void cpuhp_remove_state_nocalls(enum cpuhp_state state) {}

/* No CPU of this machine idles by a port. */
#define IS_ENABLED(option)       0
#define ACPI_PROCESSOR_MAX_POWER 1
#define ACPI_CSTATE_SYSTEMIO     1
#define per_cpu(processors, cpu) NULL
struct acpi_processor {
    struct {
        struct {
            u8 valid, entry_method;
            u32 address;
        } states[ACPI_PROCESSOR_MAX_POWER];
    } power;
};

#endif
