/* SPDX-License-Identifier: MIT */
/*
 * attach/switch.h - attach and detach the layer beneath a running kernel: all cores, or none (Mercury, 4.1.1, 4.2).
 *
 * The control processor, core 0, calls all cores by an interrupt; each answers, in the handler, whether it can go. Only
 * if all can does it let them go; else all return, and a timer calls again 10 ms later as long as the reason may pass:
 * a count of an object's users that is not zero, a core that did not come in time.  When all have changed (or one has
 * failed, and all have changed back) they leave the handler, so no two cores ever run the kernel in different modes.
 *
 * Two words carry that, each with one writer, each with the number of the round in it, so that who comes late never
 * takes one round for another: the control processor's, and one of each core.
 *
 *     control     CALL -> GO -> KEEP                        core    YES | BUSY | CANNOT -> DONE | FAILED -> UNDONE
 *                 CALL -> GO -> UNDO -> END
 *                 CALL -> BACK
 *
 * tests/model/self_switch.pml checks it, with what must not happen: an object's function that begins on one object and
 * ends on the other, cores in different modes, a request that nobody answers.
 */
#ifndef AMALGAM_ATTACH_SWITCH_H
#define AMALGAM_ATTACH_SWITCH_H

#include <attach/object.h>

#define SWITCH_RETRY_NS   10000000ull   /* between two attempts (the paper's interval) */
#define SWITCH_PATIENCE   1000000000ull /* ns: how long the others may take to come */
#define SWITCH_MOST_TRIES 300           /* then the request is given up, and said so */

struct switch_report {
    unsigned deferred;   /* attempts that were put off before the last */
    unsigned busy, late; /* cores that were, in the last attempt that was put off */
    ticks_t ended;       /* when core 0 let the others go on */
    struct switch_core { /* the core's part in the last attempt: */
        ticks_t came;    /* it stood still from then to `ended` */
        ticks_t changed; /* ticks it took to change, without waiting for others */
        int err;         /* why it could not */
    } core[MAX_CPUS];
};

/*
 * Run the kernel on `to`: 0; -EEXIST it does; -ETIMEDOUT put off too often; what a core's check or reload said. Thread
 * context on core 0; returns when that is done. `report` may be NULL.
 */
int self_switch(const struct vobject *to, struct switch_report *report);
/* The switch's interrupt on this core. */
void self_switch_interrupt(void);

#endif
