// SPDX-License-Identifier: MIT
/*
 * hotplug.c - CPUs that go offline and come online while the kernel is attached.
 *
 * A CPU that Linux sets offline is detached before; a CPU that comes online is attached after. Linux's INIT and
 * start-up interrupts therefore always reach a bare CPU. Only a CPU that is given goes offline attached: the module
 * announces it to the kernel, which takes it at its last HLT. It cannot come online before the kernel has released it
 * (parked it). The kernel then sees Linux's INIT and start-up interrupts and starts the CPU itself, so it comes online
 * attached.
 *
 * Where Linux flushes translations by INVLPGB no CPU may be bare beside attached ones, not even for the moment in which
 * it goes or comes: INVLPGB reaches the translations of its own address space identifier, and that of a bare CPU is 0.
 *
 * The callbacks run on the CPU itself, before ordinary tasks come to it and after they have left it. They hold the lock
 * for hotplug, so `state` does not change meanwhile. If Linux gives up setting a CPU offline after on_offline(), it
 * calls on_online().
 */
#include <linux/acpi.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <acpi/processor.h>

#include "compat.h"
#include "module.h"

#define TAKE_TRIES 1000 /* milliseconds to wait for a core to come back */

static int going = -1;       /* the CPU that cpu_give() sets offline; -1: none */
static struct cpumask given; /* CPUs that the kernel has, or will take at their last HLT */
static enum cpuhp_state online_state, prepare_state;

static u32 apic_id(unsigned int cpu) { return cpu_physical_id(cpu); }

/* Returns enum attach_cpu_state, or an error. The CPU that calls must be attached. */
static s64 state_of(unsigned int cpu) { return kernel_call(ATTACH_CALL_CPU_STATE, apic_id(cpu), 0); }

static bool attached(void) { return READ_ONCE(amalgam.state) == AMALGAM_ATTACHED; }

static int on_online(unsigned int cpu)
{
    s64 state;
    int error;

    if (!attached())
        return 0;
    state = state_of(cpu);
    if (state == ATTACH_CPU_DYING) /* Linux gave up setting it offline: it is still attached */
        kernel_call(ATTACH_CALL_CPU_CANCEL, 0, 0);
    if (state == ATTACH_CPU_DYING || state == ATTACH_CPU_LINUX) { /* LINUX: the kernel has started it, attached */
        cpumask_clear_cpu(cpu, &given);
        return 0;
    }
    error = attach_this_cpu();
    if (error)
        pr_warn("amalgam: CPU %u stays offline: it cannot be attached (%d)\n", cpu, error);
    return error;
}

/* Find the ports that ACPI's idle driver reads on a CPU that is offline: those of its two deepest idle states. */
static void idle_ports(unsigned int cpu, u32 port[2])
{
    const struct acpi_processor *pr = IS_ENABLED(CONFIG_ACPI_PROCESSOR) ? per_cpu(processors, cpu) : NULL;
    unsigned int i, n = 0;

    for (i = ACPI_PROCESSOR_MAX_POWER; pr && i-- > 1 && n < 2;)
        if (pr->power.states[i].valid && pr->power.states[i].entry_method == ACPI_CSTATE_SYSTEMIO)
            port[n++] = pr->power.states[i].address;
}

static int refuse_bare(unsigned int cpu)
{
    pr_warn("amalgam: CPU %u cannot go or come while attached, because Linux uses INVLPGB: amalgam detach first\n",
            cpu);
    return -EBUSY;
}

static int on_offline(unsigned int cpu)
{
    u32 port[2] = {};
    s64 error;

    if (!attached())
        return 0;
    bell_leave(cpu);
    if (going != (int)cpu && uses_invlpgb())
        return refuse_bare(cpu);
    if (going != (int)cpu) {
        error = detach_this_cpu();
        if (error)
            pr_warn("amalgam: CPU %u stays online: while domains exist a CPU leaves only by being given (%lld)\n", cpu,
                    error);
        return error;
    }
    idle_ports(cpu, port);
    error = kernel_call(ATTACH_CALL_CPU_GIVE, port[0], port[1]);
    if (error < 0)
        return error;
    cpumask_set_cpu(cpu, &given);
    return 0;
}

/* Called on another CPU before Linux sends INIT. Refuses a CPU that the kernel has not released. */
static int on_prepare(unsigned int cpu)
{
    s64 state;

    if (!attached())
        return 0;
    if (!cpumask_test_cpu(cpu, &given))
        return uses_invlpgb() ? refuse_bare(cpu) : 0;
    state = state_of(cpu);
    if (state != ATTACH_CPU_PARKED) {
        pr_warn("amalgam: CPU %u belongs to the kernel below\n", cpu);
        return -EBUSY;
    }
    return 0; /* it stays on record until it is online: Linux may still fail to start it */
}

/* Called on another CPU when the CPU is dead, or does not come. Linux ignores an NMI on a CPU that is offline: the
 * kernel's doorbell, which went to this CPU until bell_leave(), may be lost with it. */
static int on_dead(unsigned int cpu)
{
    if (attached())
        bell_look();
    return 0;
}

static int wait_for_state(unsigned int cpu, enum attach_cpu_state wanted)
{
    unsigned int i;

    for (i = 0; i < TAKE_TRIES; i++) {
        if (state_of(cpu) == wanted)
            return 0;
        msleep(1);
    }
    return -ETIMEDOUT;
}

static int check_number(u32 cpu)
{
    return cpu < nr_cpu_ids && cpu_possible(cpu) ? 0 : why(-EINVAL, "there is no CPU %u", cpu);
}

static void flush_cpu(void *unused) { kernel_call(ATTACH_CALL_FLUSH, 0, 0); }

void flush_all(void) { on_each_cpu(flush_cpu, NULL, 1); }

int guard_begin(void)
{
    s64 error = kernel_call(ATTACH_CALL_GUARD, 1, 0);

    if (error == -ENODEV)
        return why(error, "a CPU is offline, so it could be started with nothing beneath it: set it online first");
    if (error < 0)
        return why(error, "the kernel cannot guard what is given (%lld)", error);
    flush_all();
    return 0;
}

void guard_end(void) { kernel_call(ATTACH_CALL_GUARD, 0, 0); }

/* The CPU is offline and is not a core after TAKE_TRIES. Whoever asked does not have it. */
static int undo_give(struct amalgam_cpu *args)
{
    if (cpu_take(args))
        return why(-ETIMEDOUT, "CPU %u went offline and did not become a core: amalgam recover takes it back later",
                   args->cpu);
    return why(-ETIMEDOUT, "CPU %u went offline and did not become a core in time: it is Linux's again", args->cpu);
}

int cpu_give(struct amalgam_cpu *args)
{
    int error = check_number(args->cpu);

    if (error)
        return error;
    if (cpumask_test_cpu(args->cpu, &given))
        return why(-EALREADY, "CPU %u is given already", args->cpu);
    if (!cpu_online(args->cpu))
        return why(-EBUSY, "CPU %u is not online", args->cpu);
    if (num_online_cpus() == 1)
        return why(-EBUSY, "CPU %u is the last one that Linux has", args->cpu);
    error = guard_begin();
    if (error)
        return error;
    going = args->cpu;
    error = remove_cpu(args->cpu);
    going = -1;
    if (error) {
        guard_end();
        return why(error, "Linux cannot do without CPU %u (%d)", args->cpu, error);
    }
    return wait_for_state(args->cpu, ATTACH_CPU_CORE) ? undo_give(args) : cpu_state(args);
}

/* Make the kernel release a given CPU, in whichever state an earlier call left it. */
static int park(unsigned int cpu)
{
    s64 answer;

    if (state_of(cpu) == ATTACH_CPU_PARKED) /* an earlier call parked it, and Linux could not start it */
        return 0;
    if (state_of(cpu) == ATTACH_CPU_DYING && wait_for_state(cpu, ATTACH_CPU_CORE))
        return why(-ETIMEDOUT, "CPU %u went offline and has not become a core: it cannot be taken back", cpu);
    answer = kernel_call(ATTACH_CALL_CPU_TAKE, apic_id(cpu), 0);
    if (answer < 0)
        return why(answer, "the kernel does not give back CPU %u (%lld)", cpu, answer);
    if (wait_for_state(cpu, ATTACH_CPU_PARKED))
        return why(-ETIMEDOUT, "CPU %u is not given back: a domain still uses it", cpu);
    return 0;
}

int cpu_take(struct amalgam_cpu *args)
{
    int error = check_number(args->cpu);

    if (error)
        return error;
    if (!cpumask_test_cpu(args->cpu, &given))
        return cpu_online(args->cpu) ? why(-EALREADY, "CPU %u is Linux's already", args->cpu)
                                     : why(-ENOENT, "CPU %u was not given", args->cpu);
    error = park(args->cpu);
    if (error)
        return error;
    error = add_cpu(args->cpu);
    guard_end();
    return error ? why(error, "CPU %u does not come online (%d)", args->cpu, error) : cpu_state(args);
}

int cpu_state(struct amalgam_cpu *args)
{
    int error = check_number(args->cpu);
    s64 state;

    if (error)
        return error;
    state = state_of(args->cpu);
    if (state < 0)
        return why(state, "the kernel does not know CPU %u (%lld)", args->cpu, state);
    args->state = state;
    return 0;
}

bool hotplug_given(u32 *skip, struct amalgam_held *held)
{
    unsigned int cpu;

    for_each_cpu(cpu, &given)
    {
        if ((*skip)--)
            continue;
        held->kind = AMALGAM_HELD_CPU;
        held->cpu = cpu;
        held->state = max_t(s64, 0, state_of(cpu));
        return true;
    }
    return false;
}

int hotplug_start(void)
{
    int state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "amalgam:prepare", on_prepare, on_dead);

    if (state < 0)
        return state;
    prepare_state = state;
    state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "amalgam:online", on_online, on_offline);
    if (state < 0) {
        cpuhp_remove_state_nocalls(prepare_state);
        return state;
    }
    online_state = state;
    return 0;
}

void hotplug_stop(void)
{
    cpuhp_remove_state_nocalls(online_state);
    cpuhp_remove_state_nocalls(prepare_state);
}
