/* SPDX-License-Identifier: MIT */
/*
 * attach/switch.h - attaches the layer below a running kernel, and detaches it: on all cores, or on none (Mercury,
 * 4.1.1, 4.2).
 *
 * The control processor, core 0, calls all cores by an interrupt. Each answers in the handler whether it can switch.
 * Only if all can does core 0 let them; otherwise all return, and a timer calls again 10 ms later as long as the reason
 * may pass: a count of an object's users that is not zero, a core that did not come in time. When all have switched (or
 * one has failed, and all have switched back) they leave the handler. So two cores never run the kernel in different
 * modes.
 *
 * Two kinds of words carry this: the control processor's, and one for each core. Each has one writer and holds the
 * number of the round, so that a late core cannot take one round for another.
 *
 *      control     CALL -> GO -> KEEP                        core    YES | BUSY | CANNOT -> DONE | FAILED -> UNDONE
 *                  CALL -> GO -> UNDO -> END
 *                  CALL -> BACK
 *
 * tests/model/self_switch.pml checks that the following cannot happen: a function of an object begins on one object and
 * ends on the other; two cores are in different modes; a request is never answered.
 */
#ifndef AMALGAM_ATTACH_SWITCH_H
#define AMALGAM_ATTACH_SWITCH_H

#include <attach/object.h>

#define SWITCH_RETRY_NS   10000000ull   /* between two attempts (the paper's interval) */
#define SWITCH_PATIENCE   1000000000ull /* ns for the other cores to come */
#define SWITCH_MOST_TRIES 300           /* then the request fails with -ETIMEDOUT */

struct switch_report {
    unsigned deferred;   /* number of deferred attempts before the last */
    unsigned busy, late; /* cores that were busy or late in the last deferred attempt */
    ticks_t ended;       /* when core 0 let the others continue */
    struct switch_core { /* the core's part in the last attempt: */
        ticks_t came;    /* it was stopped from then to `ended` */
        ticks_t changed; /* ticks for its switch, without waiting for others */
        int err;         /* why it could not switch */
    } core[MAX_CPUS];
};

/*
 * Run the kernel on `to`. Returns when that is done: 0; -EEXIST: it runs on `to`; -ETIMEDOUT: deferred too often; or
 * the error of a core's check or reload. `report` may be NULL. Thread context on core 0.
 */
int self_switch(const struct vobject *to, struct switch_report *report);
/* Handle the switch's interrupt on this core. */
void self_switch_interrupt(void);

#endif
