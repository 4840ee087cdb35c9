/* SPDX-License-Identifier: MIT */
/* native.c - creates, starts and ends native programs; see native.h. */
#include "native.h"

#include <board/watch.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <string.h>

__optional int native_share(struct native *p) { return -ENOSYS; } /* without shared virtual memory */
__optional void native_tell_lost(const struct native *p) {}

static struct native natives[SYS_MAX_DOMAINS];

#define SHARED_PAGES (SCC_PROGRAMS_SIZE / PAGE_SIZE)

/* Check the program's part of the memory that cores share: it has room for the words, and is no other program's. */
static __init_text const char *check_shared(const struct sys_header *h, const struct sys_domain *d)
{
    u32 at = sys_process(d)->shared_page, end = at + sys_process(d)->shared_pages;
    bool right = sys_process(d)->shared_pages >= NATIVE_WORDS / PAGE_SIZE && end <= SHARED_PAGES;
    for (unsigned i = 0; i < h->n_domains; i++) {
        const struct sys_domain *other = sys_domain(h, i);
        if (other != d && other->kind == SYS_KIND_NATIVE)
            right &= end <= sys_process(other)->shared_page ||
                     at >= (u32)sys_process(other)->shared_page + sys_process(other)->shared_pages;
    }
    return right ? NULL : "a native program has no shared memory, or another one's";
}

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    u64 size;
    if (!sys_stack_is_right(sys_process(d)))
        return "a native program's stack is not from 16 KiB to 2 MiB";
    if (!IS_ALIGNED(d->memory, PAGE_SIZE) || d->memory <= sys_stack(sys_process(d)) || d->memory > NATIVE_MEMORY)
        return "a native program's memory is not a multiple of 4 KiB, above its stack and up to 8 MiB";
    if (!(sys_process(d)->ues[0] | sys_process(d)->ues[1]) || sys_process(d)->ues[1] >> (SCC_CORES - 32))
        return "a native program has no core, or one that does not exist";
    if (!sys_payload(h, sys_process(d)->program, &size))
        return "a native program has no file";
    bool given = sys_process(d)->strings == SYS_NONE ? !sys_process(d)->argc
                                                     : sys_payload(h, sys_process(d)->strings, &size) != NULL;
    return given ? check_shared(h, d) : "a native program's arguments are not there";
}

static __init_text int create(struct domain *d)
{
    struct native *p = &natives[d->id];
    u64 size;
    const char *why = "no memory for the program";
    const void *file = sys_payload(system_table, sys_process(d->conf)->program, &size);
    *p = (struct native){ .domain = d, .cores = sys_cores(sys_process(d->conf)) };
    d->impl = p;
    scc_beat_begin();
    int err = elf32_read(file, size, (u32)d->conf->memory, &p->image, &why);
    if (!err && !p->image.shared && native_is_here(p) && !(p->memory = pages_alloc(d->conf->memory / PAGE_SIZE)))
        err = -ENOMEM;
    if (err)
        strlcpy(d->reason, why, sizeof(d->reason));
    return err;
}

static void body(void *arg)
{
    struct native *p = arg;
    int err = p->image.shared ? native_share(p) : 0;
    void NATIVE_CALL (*entry)(const struct native_calls *) = (void *)(p->memory + p->image.entry);
    if (!err && native_is_here(p))
        entry(&p->calls);
    if (err)
        domain_end(p->domain, END_UNSTARTED, "%s", p->domain->reason);
    else
        domain_end(p->domain, END_DONE, "exit status 0");
    domain_thread_gone(p->domain);
}

static int native_start(struct domain *d)
{
    struct native *p = d->impl;
    if (!p->image.shared && !native_is_here(p))
        return domain_elsewhere(d);
    if (p->thread)
        thread_join(p->thread);
    p->thread = NULL;
    if (p->image.shared && p->memory) {
        strlcpy(d->reason, "a program on shared virtual memory begins once", sizeof(d->reason));
        return -EBUSY;
    }
    if (!p->image.shared)
        clear_pages(p->memory, d->conf->memory / PAGE_SIZE);
    int err = p->image.shared ? 0 : native_load(p, true);
    if (err)
        return err;
    p->thread = thread_create(d->conf->name, d->conf->core[0], d->conf->prio, body, p, d, true);
    if (!p->thread)
        return -ENOMEM;
    d->live = 1;
    thread_start(p->thread);
    return 0;
}

/* The program ends when it calls rest(); one that computes without end goes on. Its threads on other cores are told
 * unless it has called exit(). */
static void kill(struct domain *d)
{
    struct native *p = d->impl;
    if (p->image.shared && d->end != END_DONE)
        native_tell_lost(p);
    WRITE_ONCE(p->thread->stop, true);
    thread_wake(p->thread);
}

static void stats(struct domain *d)
{
    const struct native *p = d->impl;
    printk("%s: native program, %u KiB of %llu at %p\n", d->conf->name, p->image.size / 1024, d->conf->memory >> 10,
           (void *)p->memory);
}

static const struct domain_ops ops = {
    .check = check, .create = create, .start = native_start, .kill = kill, .stats = stats
};

static __init_text void native_init(void) { domain_register_kind(SYS_KIND_NATIVE, &ops); }
INIT_CALL(native_init);
