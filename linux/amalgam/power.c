// SPDX-License-Identifier: MIT
/*
 * power.c - restart and suspend.
 *
 * Before a restart, a power-off or a kexec the module detaches the kernel, so the next system finds the machine
 * unchanged. If something is given the kernel cannot be detached; then the machine's reset ends the kernel and its
 * domains. A kexec would start a Linux that lacks what is given, and a reboot notifier cannot refuse it; therefore the
 * module resets the machine instead.
 *
 * A suspend would lose the kernel, so the module detaches it before and attaches it again after. In between nobody can
 * attach it: programs still run until Linux freezes them. If it cannot be detached the suspend is refused. Code that
 * writes the sleep registers directly is refused by the kernel. The module tells the kernel at load where these
 * registers are, because Linux is still trusted then.
 *
 * A panic calls no notifier and needs none: NMI, INIT and resets work while attached as without the kernel.
 */
#include <linux/acpi.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "module.h"

#define KEXEC "kexec reboot" /* the command that kernel_kexec() passes to reboot notifiers */

static bool suspending; /* from the first notice of a suspend to its end */
static bool again;      /* attach again after the suspend */

bool power_is_suspending(void) { return suspending; }

static int detach(void)
{
    struct amalgam_switched took;

    return amalgam.state == AMALGAM_ATTACHED ? detach_all(&took) : 0;
}

static int on_reboot(struct notifier_block *block, unsigned long action, void *data)
{
    const char *command = data;

    mutex_lock(&amalgam.lock);
    amalgam.why[0] = '\0';
    if (detach()) {
        pr_warn("amalgam: still attached at the restart: %s\n", amalgam.why);
        if (action == SYS_RESTART && command && !strcmp(command, KEXEC)) {
            pr_emerg("amalgam: a new Linux cannot have what is given: no kexec, the machine is reset\n");
            emergency_restart();
        }
    }
    mutex_unlock(&amalgam.lock);
    return NOTIFY_DONE;
}

static int before_suspend(void)
{
    bool attached = amalgam.state == AMALGAM_ATTACHED;
    int error = detach();

    if (error)
        pr_warn("amalgam: no suspend while attached: %s\n", amalgam.why);
    else
        again = attached;
    suspending = !error;
    return error ? notifier_from_errno(-EBUSY) : NOTIFY_OK;
}

static void after_suspend(void)
{
    struct amalgam_switched took;
    int error = again ? gate_check() : 0;

    suspending = false;
    if (again && (error || (error = attach_all(&took))))
        pr_warn("amalgam: not attached again after the suspend (%d): %s\n", error, amalgam.why);
    again = false;
}

static int on_suspend(struct notifier_block *block, unsigned long action, void *data)
{
    int result = NOTIFY_OK;

    mutex_lock(&amalgam.lock);
    amalgam.why[0] = '\0';
    switch (action) {
    case PM_SUSPEND_PREPARE:
    case PM_HIBERNATION_PREPARE:
    case PM_RESTORE_PREPARE: result = before_suspend(); break;
    case PM_POST_SUSPEND:
    case PM_POST_HIBERNATION:
    case PM_POST_RESTORE: after_suspend(); break;
    }
    mutex_unlock(&amalgam.lock);
    return result;
}

static struct notifier_block reboot_block = { .notifier_call = on_reboot, .priority = 1 };
static struct notifier_block suspend_block = { .notifier_call = on_suspend };

static const struct attach_register no_register = { .space = ATTACH_NO_REGISTER };

static bool is_known(const struct acpi_generic_address *a)
{
    return a->address && (a->space_id == ACPI_ADR_SPACE_SYSTEM_MEMORY || a->space_id == ACPI_ADR_SPACE_SYSTEM_IO);
}

/* Returns the byte at `offset` in a register. */
static struct attach_register register_at(const struct acpi_generic_address *a, unsigned int offset, u8 value)
{
    if (!is_known(a))
        return no_register;
    return (struct attach_register){
        .address = a->address + offset,
        .space = a->space_id == ACPI_ADR_SPACE_SYSTEM_IO ? ATTACH_IN_PORTS : ATTACH_IN_MEMORY,
        .value = value,
    };
}

static struct attach_register register_at_port(u32 port, u8 value)
{
    if (!port)
        return no_register;
    return (struct attach_register){ .address = port + 1, .space = ATTACH_IN_PORTS, .value = value };
}

/* PM1's SLP_EN and SLP_TYP are in its upper byte (ACPI 6.4, 4.8.3.2). The FADT has two addresses of each PM1 register;
 * if they differ one of them is wrong, so both are guarded. */
int power_describe(struct attach_power *power)
{
    const struct acpi_table_fadt *fadt = &acpi_gbl_FADT;
    u8 off[2] = { 8, 8 };

    if (acpi_disabled)
        return why(-EOPNOTSUPP, "ACPI is off, so nobody knows by which ports this machine sleeps");
    if (ACPI_FAILURE(acpi_get_sleep_type_data(ACPI_STATE_S5, &off[0], &off[1])))
        off[0] = off[1] = 8;
    *power = (struct attach_power){
        .sleep = { register_at(&fadt->xpm1a_control_block, 1, off[0]),
                   register_at(&fadt->xpm1b_control_block, 1, off[1]),
                   register_at_port(fadt->pm1a_control_block, off[0]),
                   register_at_port(fadt->pm1b_control_block, off[1]), register_at(&fadt->sleep_control, 0, off[0]) },
        .reset = fadt->flags & ACPI_FADT_RESET_REGISTER ? register_at(&fadt->reset_register, 0, fadt->reset_value)
                                                        : no_register,
        .smi_command = fadt->smi_command,
        .s4bios = fadt->smi_command <= U16_MAX ? fadt->s4_bios_request : 0,
    };
    return 0;
}

int power_start(void)
{
    int error = register_reboot_notifier(&reboot_block);

    if (error)
        return error;
    error = register_pm_notifier(&suspend_block);
    if (error)
        unregister_reboot_notifier(&reboot_block);
    return error;
}

void power_stop(void)
{
    unregister_pm_notifier(&suspend_block);
    unregister_reboot_notifier(&reboot_block);
}
