/* SPDX-License-Identifier: MIT */
/*
 * core/domain.h - domains: memory, devices, call rights and time that are isolated from each other.
 *
 * core/ keeps a domain's identity, life cycle and counters. Each kind of domain (virtual machine, native task, process)
 * is a component that registers its `struct domain_ops`, so the components need not know each other.
 */
#ifndef AMALGAM_CORE_DOMAIN_H
#define AMALGAM_CORE_DOMAIN_H

#include <core/system_table.h>
#include <core/wait.h>
#include <life.h>

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
    END_UNSTARTED, /* the domain could not be created or started; trying again changes nothing */
};

struct domain;

struct domain_ops {
    /* Check the kind's part of a record of a system image; the common part has been checked. Returns NULL, or a
     * sentence that says what is wrong. Pure. NULL: nothing to check. */
    const char *(*check)(const struct sys_header *h, const struct sys_domain *d);
    /* allocate everything that the domain will ever need; after a failure, too, destroy() frees what d->impl holds */
    int (*create)(struct domain *d);
    /* Join the last run's threads, load the images into cleared memory, start the threads. An error is returned only
     * before any new thread was started; d->reason, which is empty before, may then say why. Thread context. */
    int (*start)(struct domain *d);
    /* Make all its threads leave, at the caller's priority at least (thread_hurry). Does not wait for them; may be
     * called again while they leave. Thread context. */
    void (*kill)(struct domain *d);
    void (*stats)(struct domain *d);          /* print its counters */
    void (*input)(struct domain *d, u8 byte); /* a byte of console input; interrupt context */
    /* Map `size` bytes (at most 1 MiB) at host-physical address `pa`, with S2_* rights, at the address that this kind
     * has for channel `n` of the system; pa 0: unmap it. Returns 0 or a negative error. NULL: this kind has no
     * channels. Thread context. */
    int (*share)(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot);
    void (*doorbell)(struct domain *d,
                     unsigned n); /* raise the interrupt line that this kind has for channel n; any context */
    /* the domain at the other end of channel n has ended; NULL: rings the doorbell instead. Thread context */
    void (*peer_ended)(struct domain *d, unsigned n);
    /* Overwrite and free all that create and start allocated. All threads of all domains have ended. Thread context.
     * NULL where systems are never destroyed. */
    void (*destroy)(struct domain *d);
};

struct domain {
    unsigned id;
    u8 state;      /* enum domain_state */
    u8 end;        /* enum domain_end */
    bool starting; /* ops->start runs, or the domain is held */
    const struct sys_domain *conf;
    const struct domain_ops *ops;
    struct waitq changed; /* signals changes of state; its lock guards state, end, starting, reason, live, life */
    unsigned live;        /* threads that have not ended; ops->start sets it before the first one can run */
    u32 life;             /* the number of its present or last life (life.h); given by a start, under changed.lock */
    unsigned restarts;
    void *impl;      /* the record of the kind's component */
    char reason[96]; /* text about the end of the last run */
};

extern struct domain domains[SYS_MAX_DOMAINS];
extern unsigned n_domains;

/* Register the operations of a kind (enum sys_kind). Boot. */
void domain_register_kind(unsigned kind, const struct domain_ops *ops);
/* The registered operations by kind; NULL: no component implements this kind. Defined in system_check.c, which calls
 * their checks. */
extern const struct domain_ops *domain_kinds[SYS_KIND_NATIVE + 1];
/* Create all domains of the checked table, in order. A domain that cannot be created is reported and left EMPTY. */
void domains_create(void);
/* Start the keeper, a thread on core 0: it starts the domains that the table says, restarts domains, and powers the
 * board off. Returns 0 or -ENOMEM. */
int domains_start(void);
/* Stop and destroy all domains. Thread context on core 0, but not a domain's thread. */
void domains_end(void);
/* The part of domains_end() that ends the keeper; no domain is started after it. */
void domains_keeper_end(void);
#ifndef SPAWN
#define SPAWN 0 /* CONFIG_SPAWN */
#endif
/* With SPAWN: who is told of each domain with SYS_STARTED that has stopped, in thread context, no lock held. Boot. */
void domain_tell_stops(void (*to)(struct domain *d));
struct domain *domain_find(const char *name);
/* Log it and power the board off. Returns if the board cannot. Thread context. */
void board_off(void);

int domain_start(struct domain *d); /* returns 0, -EBUSY, or the error of ops->start; the end is then END_UNSTARTED */
/* End the present life, and any restart of it. Returns after its last thread has ended: 0; -ENOENT: it did not run and
 * was not to be restarted. -ETIMEDOUT: some have not ended for 10 s; the domain stops when they have. Thread context.
 */
int domain_stop(struct domain *d);
/* Wait for a change of the domain's state, under changed.lock; with hurry.c not for ever: 0 or -ETIMEDOUT. Then say so,
 * with no lock held. hurry.c or hurry_none.c. */
int domain_wait(struct domain *d);
void domain_is_late(struct domain *d);
int domain_restart(struct domain *d);
/* Hold a domain: until domain_release(), no start of it runs or begins, so the records of its threads stay. It may end
 * meanwhile. Thread context, but not one of its threads. */
void domain_hold(struct domain *d);
void domain_release(struct domain *d);
/* Hold a domain if nobody does: for threads that may be asked to end. */
bool domain_try_hold(struct domain *d);
/* End a domain, from one of its own threads or an interrupt: record how and why, and make all its threads leave. */
void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...) __printf(3, 4);
/* One of the domain's threads is about to exit and calls only thread_exit() after this. The last thread completes the
 * stop. A domain whose threads all leave unasked is DONE. The keeper does the restart, if the table asks for one. */
void domain_thread_gone(struct domain *d);
/* The start of a domain that only other kernels run (elsewhere.c): what ops->start returns. Returns 0. */
int domain_elsewhere(struct domain *d);
const char *domain_end_name(enum domain_end end);
const char *domain_state_name(enum domain_state state);

#endif
