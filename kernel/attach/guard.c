/* SPDX-License-Identifier: MIT */
/*
 * guard.c - guards Linux before anything is given: all of its CPUs have this kernel beneath them, and none can be
 * started without it.
 *
 *      GUARD on   no CPU that Linux may have is bare; interrupt commands are checked from now on (attach/apic.c)
 *      FLUSH      on each CPU of Linux, so that it uses no older permission to write them
 *      GIVE       of CPUs and memory is refused unless all that holds
 *      GUARD off  nothing is given any more: Linux uses its APIC without exits again
 *
 * A CPU that is offline and bare would be a way around the kernel even if it could not be started: it waits in Linux's
 * own code. All under the lock of the calls.
 */
#include <attach/upcalls.h>
#include <errors.h>
#include <hal/attach.h>

#include "given.h"

static bool armed;
static u64 armed_version;

bool attach_guarded(void) { return READ_ONCE(armed); }

bool attach_may_give(void) { return armed && !linux_any_bare() && linux_all_flushed(armed_version); }

static int begin(void)
{
    if (linux_any_bare())
        return -ENODEV;
    if (armed)
        return 0;
    WRITE_ONCE(armed, true);
    linux_guard(true);
    armed_version = linux_space_version;
    return 0;
}

bool attach_anything_given(void) { return armed && (attach_memory_given() || cores_given()); }

static int end(void)
{
    if (attach_anything_given())
        return -EBUSY;
    if (armed)
        linux_guard(false);
    WRITE_ONCE(armed, false);
    return 0;
}

int attach_guard(u64 on) { return on > 1 ? -EINVAL : on ? begin() : end(); }
