/* SPDX-License-Identifier: MIT */
/*
 * core/domain.h - what is isolated: memory, devices, call rights, time.
 *
 * core/ owns identity, life cycle and bookkeeping; what a domain *is* (a virtual
 * machine, a native task) is behind `struct domain_ops`, which a component
 * registers for its kind.  So vm/ and task/ need not know each other.
 */
#ifndef AMALGAM_CORE_DOMAIN_H
#define AMALGAM_CORE_DOMAIN_H

#include <core/system_table.h>
#include <core/wait.h>

enum domain_state { DOMAIN_EMPTY, DOMAIN_STOPPED, DOMAIN_RUNNING, DOMAIN_STOPPING };

/* How a domain's last run ended. */
enum domain_end {
    END_NONE,
    END_POWER_OFF,
    END_RESET,
    END_TRIPLE_FAULT,
    END_WATCHDOG,
    END_STOPPED,
    END_FAULT,
    END_DONE,
    END_UNSTARTED, /* it could not be created or started: there was no run, and trying again changes nothing */
};

struct domain;

struct domain_ops {
    /* Its part of a record of a system image, whose common part is right: NULL, or the sentence that says what is
     * wrong. NULL: nothing to check. Pure. */
    const char *(*check)(const struct sys_header *h, const struct sys_domain *d);
    int (*create)(
        struct domain *d); /* allocate everything, once; what d->impl then holds is destroy's, also on failure */
    int (*start)(struct domain *d);  /* join the last run's threads, load images into fresh memory, run; thread context.
                                      * Fails only before any thread of the new run was started; may say why in
                                      * d->reason, which is empty before. */
    void (*kill)(struct domain *d);  /* make all its threads leave; returns at once */
    void (*stats)(struct domain *d); /* print its counters */
    void (*input)(struct domain *d, u8 byte); /* console input; interrupt context */
    /* Show `size` bytes, at most 1 MiB, at host-physical `pa` (0: nothing any more) at the place that this kind has for
     * channel `n` of the system; S2_* rights. NULL: cannot. Thread context. */
    int (*share)(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot);
    void (*doorbell)(struct domain *d, unsigned n); /* by the line that it has for channel n; any context */
    /* Free everything that create and start allocated, overwritten; no thread of any domain is left but ended ones.
     * Thread context. NULL where domains stay for good. */
    void (*destroy)(struct domain *d);
};

struct domain {
    unsigned id;
    u8 state;      /* enum domain_state */
    u8 end;        /* enum domain_end */
    bool starting; /* ops->start is at work */
    const struct sys_domain *conf;
    const struct domain_ops *ops;
    struct waitq changed; /* state changes; its lock guards state, end, starting, reason, live */
    unsigned live;        /* threads that still run for it; ops->start sets it before the first can run */
    unsigned restarts;
    void *impl;      /* the component's own record */
    char reason[96]; /* precise text for the last end */
};

extern struct domain domains[SYS_MAX_DOMAINS];
extern unsigned n_domains;

/* A component announces the kind that it implements (enum sys_kind). Boot. */
void domain_register_kind(unsigned kind, const struct domain_ops *ops);
/* By kind; NULL: nobody implements it. system_check.c, which asks them. */
extern const struct domain_ops *domain_kinds[SYS_KIND_NATIVE + 1];
/* Create all domains of the checked table, in order; a domain that cannot be is reported and left EMPTY. */
void domains_create(void);
/* Let a thread on core 0 start those that the table says, then see to restarts and the board's end. -ENOMEM. */
int domains_start(void);
/* Stop and destroy all; then there is none. Thread context on core 0, not a domain's. */
void domains_end(void);
/* Its part that ends what domains_start() began; no domain starts any more. */
void domains_keeper_end(void);
struct domain *domain_find(const char *name);
/* Say so and power the board off; returns where that is not possible. Thread context. */
void board_off(void);

int domain_start(struct domain *d); /* 0, -EBUSY, what ops->start says; then its end is END_UNSTARTED */
int domain_stop(struct domain *d);  /* waits until its last thread has left; thread context */
int domain_restart(struct domain *d);
/* The domain ends itself, from one of its own threads or an interrupt: record how and why, make all threads leave. */
void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...) __printf(3, 4);
/* One of its threads is about to exit and calls nothing but thread_exit() after this; the last one completes the stop.
 * A restart, if the table asks for one, happens in core's own thread. A domain whose threads leave unasked is DONE. */
void domain_thread_gone(struct domain *d);
const char *domain_end_name(enum domain_end end);
const char *domain_state_name(enum domain_state state);

#endif
