/* SPDX-License-Identifier: MIT */
/* process.c - creates, starts and ends processes; see process.h. */
#include "arguments.h"
#include "frames.h"
#include "memory.h"
#include "part.h"
#include "signal.h"
#include "tunnel.h"
#include "watchdog.h"

#include <core/cpu.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

/* Creation */

/* domain_ops.check */
static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    u64 size;
    const struct sys_process *p = sys_process(d);
    if (!sys_stack_is_right(p))
        return "a process's stack is not from 16 KiB to 2 MiB";
    if (!IS_ALIGNED(d->memory, PAGE_SIZE) || d->memory <= sys_stack(p) || d->memory > PROCESS_MEMORY)
        return "a process's memory is not a multiple of 4 KiB, above its stack and up to 1 GiB";
    if (!p->threads || p->threads > PROCESS_THREADS)
        return "a process has no threads or more than 64";
    if (!(SPAWN && p->spawner) && !sys_payload(h, p->program, &size))
        return "a process has no program";
    if (p->files != SYS_NONE && !sys_payload(h, p->files, &size))
        return "a process's files are not there";
    if (p->strings == SYS_NONE ? p->argc + p->envc : !sys_payload(h, p->strings, &size))
        return "a process's arguments are not there";
    const char *why = process_watchdog_check(d);
    return why ? why : process_parts_check(h, d);
}

/* Map image, stack and files; unmap all else but the tunnels. All other frames are free then. What others start has no
 * image at first, and nothing mapped at a start (process_clean). */
static int map_program(struct process *p)
{
    u64 memory = p->memory;
    int err = 0;
    if (!process_image(p) || !p->fresh)
        space_clear(&p->space, memory, memory + p->size);
    p->fresh = true;
    if (process_image(p) && !p->program.n)
        return 0;
    for (unsigned i = 0; i < p->program.n && !err; i++) {
        const struct program_segment *s = &p->program.segment[i];
        err = space_map(&p->space, USER_BASE + s->at, p->memory + s->at, s->size, s->rights);
    }
    memory += p->program.size;
    p->stack = USER_BASE + p->program.size + PAGE_SIZE + p->stack_size;
    p->heap = p->stack + PAGE_SIZE;
    p->heap_end = p->heap + p->size - p->program.size - p->stack_size - p->files_pages;
    p->files = p->heap_end + PAGE_SIZE;
    p->map_hint = p->files_pages ? p->files + p->files_pages : p->heap_end;
    process_frames_init(p);
    if (!err)
        err = space_map(&p->space, p->stack - p->stack_size, memory, p->stack_size, SPACE_WRITE);
    return err ? err : space_map(&p->space, p->files, memory + p->stack_size, p->files_pages, 0);
}

static __init_text int read_program(struct process *p)
{
    u64 size;
    if (process_image(p))
        return 0; /* it comes later */
    const char *why;
    const void *file = sys_payload(system_table, sys_process(p->domain->conf)->program, &size);
    u64 max = p->domain->conf->memory;
    int err = program_parse(file, size, max, &p->program, &why);
    if (process_files(p, &size))
        p->files_pages = ALIGN_UP(size, PAGE_SIZE);
    if (!err && (p->files_pages > max || p->program.size + p->stack_size > max - p->files_pages)) {
        why = "the program, its stack and its files do not fit into its memory";
        err = -ENOMEM;
    }
    if (err)
        strlcpy(p->domain->reason, why, sizeof(p->domain->reason));
    return err;
}

static __init_text int allocate(struct process *p)
{
    u64 frames = p->size / PAGE_SIZE, threads = process_threads(p) * sizeof(struct process_thread);
    p->memory = frames_alloc_clean(frames, frames < 2 * RUN_FRAMES ? PAGE_SIZE : RUN_FRAMES * PAGE_SIZE);
    if (p->memory == (paddr_t)-1)
        p->memory = frames_alloc_clean(frames, PAGE_SIZE);
    p->skew = SPACE_LARGE ? (u32)(p->memory / PAGE_SIZE % RUN_FRAMES) : 0;
    u64 runs = process_runs(p) * sizeof(*p->run);
    p->records = ALIGN_UP(threads + runs + frames * sizeof(*p->frame), PAGE_SIZE) / PAGE_SIZE;
    p->thread = pages_alloc(p->records);
    p->run = (struct process_run *)(p->thread + process_threads(p));
    p->frame = (u32 *)(p->run + process_runs(p));
    return p->thread && p->memory != (paddr_t)-1 ? space_init(&p->space) : -ENOMEM;
}

static __init_text void make_thread(struct process *p, unsigned i)
{
    u8 core = (u8)(i % p->domain->conf->n_vcpus);
    struct process_thread *t = &p->thread[i]; /* the rest is zero: it comes from pages_alloc() */
    t->process = p;
    t->number = (u8)i;
    t->core = core;
    process_signals_init(t);
}

static __init_text int create(struct domain *d)
{
    struct process *p = pages_alloc(PROCESS_PAGES);
    if (!p)
        return -ENOMEM;
    d->impl = p;
    p->domain = d;
    p->size = d->conf->memory;
    p->stack_size = sys_stack(sys_process(d->conf));
    list_init(&p->waiters);
    if (process_parts(p, PROCESS_CREATES))
        return 0;
    process_epoch();
    int err = read_program(p);
    if (!err)
        err = allocate(p);
    if (!err)
        err = process_parts(p, PROCESS_MAPS);
    if (!err)
        err = map_program(p);
    for (unsigned i = 0; i < process_threads(p) && !err; i++)
        make_thread(p, i);
    return err;
}

/* Start */

/* Copy the program's segments into its memory. */
static int copy_program(struct process *p)
{
    u64 size;
    const struct process_image *image = process_image(p);
    const u8 *file = image ? NULL : sys_payload(system_table, sys_process(p->domain->conf)->program, &size);
    int err = 0;
    for (unsigned i = 0; i < p->program.n && !err; i++) {
        const struct program_segment *s = &p->program.segment[i];
        u8 *to = (u8 *)phys_to_virt(p->memory + s->at) + s->skip;
        if (image)
            err = image->copy(to, s->file, s->file_size, image->arg);
        else
            memcpy(to, file + s->file, s->file_size);
    }
    return err;
}

/* Load the program: clear its memory, in which the last run, if there was one, may have tables, then copy the segments
 * and the archive of its files. */
static int process_load(struct process *p)
{
    u64 size;
    bool fresh = p->fresh;
    int err = 0;
    if (process_image(p))
        p->program = process_image(p)->program;
    if (!fresh || process_image(p))
        err = map_program(p);
    if (!fresh)
        clear_pages(phys_to_virt(p->memory), p->size / PAGE_SIZE);
    p->fresh = false;
    if (!err)
        err = copy_program(p);
    const void *files = process_files(p, &size);
    if (files)
        memcpy(phys_to_virt(p->memory + p->program.size + p->stack_size), files, size);
    return err;
}

/* What the thread sleeps by and its alarm wait for the process's windows. */
static void join_timers(struct process_thread *t)
{
    struct timer_set *set = &t->process->timers[t->core];
    timer_set_init(set, t->thread->rq);
    t->thread->timer.set = t->alarm.set = set;
}

static int make_threads(struct process *p)
{
    const struct sys_domain *conf = p->domain->conf;
    for (unsigned i = 0; i < process_threads(p); i++) {
        struct process_thread *t = &p->thread[i];
        t->thread = thread_create(conf->name, conf->core[t->core], conf->prio, process_thread_body, t, p->domain, true);
        if (!t->thread)
            return -ENOMEM;
        join_timers(t);
        t->state = PROCESS_FREE;
        process_signals_begin(t);
        p->n++;
    }
    return 0;
}

static void release_threads(struct process *p, void (*release)(struct thread *))
{
    while (p->n)
        release(p->thread[--p->n].thread);
}

#if SPAWN
void process_clean(struct process *p)
{
    if (p->fresh)
        return;
    release_threads(p, thread_join);
    space_clear(&p->space, p->memory, p->memory + p->size);
    clear_pages(phys_to_virt(p->memory), p->size / PAGE_SIZE);
    p->fresh = true;
}
#endif

static int process_start(struct domain *d)
{
    struct process *p = d->impl;
    if (process_image(p) && process_image(p)->by != thread_self()) {
        strlcpy(d->reason, "only its owner starts it", sizeof(d->reason));
        return -EPERM;
    }
    unsigned long flags = spin_lock_irqsave(&p->lock); /* a peer may still be waking a thread of the last run */
    list_init(&p->waiters);
    p->pager = NULL;
    p->keeps_faults = false;
    p->signal_entry = 0;
    spin_unlock_irqrestore(&p->lock, flags);
    release_threads(p, thread_join);
    sem_init(&p->console, 1);
    p->alive = 0;
    int err = process_load(p);
    if (err)
        return err;
    u64 stack = process_arguments(p);
    if (!stack) {
        strlcpy(d->reason, "the arguments do not fit, or are not what the record says", sizeof(d->reason));
        return -E2BIG;
    }
    if (make_threads(p)) {
        release_threads(p, thread_discard);
        return -ENOMEM;
    }
    d->live = p->n;
    p->space_users = p->n;
    struct process_thread *first = &p->thread[0];
    user_start(&first->user, &p->space, &first->thread->turns, USER_BASE + p->program.entry, stack, 0, 0);
    first->cores = ~0u;
    first->lost = 0;
    p->first = first + 1;
    first->state = PROCESS_READY;
    p->alive = 1;
    process_watchdog_start(p);
    process_parts(p, PROCESS_BEGINS);
    thread_start(first->thread); /* the others begin when they are wanted: no core is woken for nothing */
    sched_poll();
    return 0;
}

static void kill(struct domain *d)
{
    struct process *p = d->impl;
    process_watchdog_stop(p);
    for (unsigned i = 0; i < p->n; i++)
        process_thread_leave(&p->thread[i], thread_self()->prio);
}

static void stats(struct domain *d)
{
    const struct process *p = d->impl;
    printk("%s: %llu KiB, %u free, %u promised, %u pages of tables, %u of %u threads, %llu calls, %llu faults\n",
           d->conf->name, p->size >> 10, p->n_free << (PAGE_SHIFT - 10), p->promised << (PAGE_SHIFT - 10),
           space_pages(&p->space), p->alive, process_threads(p), p->calls, p->faults);
}

static const struct domain_ops ops = {
    .check = check,
    .create = create,
    .start = process_start,
    .kill = kill,
    .stats = stats,
    .share = process_share,
    .doorbell = process_doorbell,
    .peer_ended = process_peer_ended,
    .input = SPAWN ? process_input : NULL,
    .destroy = process_destroy,
};

static __init_text void process_init(void)
{
    user_init(process_fast, process_blocking);
    domain_register_kind(SYS_KIND_PROCESS, &ops);
}
INIT_CALL(process_init);
