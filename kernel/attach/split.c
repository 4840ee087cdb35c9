/* SPDX-License-Identifier: MIT */
/*
 * split.c - the entries of the area shared with Linux, and the thread that handles Linux's rings.
 *
 * The area's memory is allocated upwards and freed all at once, with the domains of a system (split_reset). A program
 * of Linux may be at work there and write late: who has said so is waited for. What such a program still uses after
 * that, with all that lies below, is not allocated again. A word that Linux can write is read once and bounded by its
 * reader; here these are a word of bits, and whether an entry is served.
 *
 * `lock` guards the table. The thread copies a callback under it and calls it without; this is safe because entries are
 * removed only when all domains are gone. Entries are added only by the thread that creates domains, one after the
 * other.
 */
#include <core/cpu.h>
#include <core/log.h>
#include <core/split.h>
#include <core/thread.h>
#include <core/wait.h>
#include <errors.h>
#include <life.h>
#include <string.h>

#define PAUSE_NS 1000000 /* until an entry with more work than one call does is called again */
#define LOOK_NS  1000000
#define LOOKS    1000 /* for programs that let go */

static struct {
    struct spinlock lock;
    struct backend_area *area;
    u32 size, used; /* bytes of the area; Linux can write the area's own field */
    u32 first;      /* where a system's first entry lies */
    u32 generation; /* of the entries (life.h) */
    unsigned n;
    struct {
        bool (*rung)(void *arg);
        void *arg;
        u32 end; /* of its memory in the area */
    } entry[BACKEND_ENTRIES];
    struct semaphore rung;
    struct thread *thread;
} split;

/* Call the entry's front end. Returns true if it asks to be called again. */
static bool call_entry(unsigned i)
{
    unsigned long flags = spin_lock_irqsave(&split.lock);
    bool (*rung)(void *) = i < split.n ? split.entry[i].rung : NULL;
    void *arg = split.entry[i].arg;
    spin_unlock_irqrestore(&split.lock, flags);
    return rung && rung(arg);
}

static void split_thread(void *unused)
{
    u32 again = 0; /* entries with more work */
    while (sem_wait(&split.rung, again ? time_after(PAUSE_NS) : TICKS_NEVER) != -ECANCELED) {
        u32 map = again | __atomic_exchange_n(&split.area->to_kernel, 0, __ATOMIC_ACQ_REL);
        again = 0;
        for (unsigned i = 0; i < BACKEND_ENTRIES; i++)
            if (map >> i & 1 && call_entry(i))
                again |= 1u << i;
    }
}

/* Find the area, at the first claim of all. Returns 0 or -ENODEV. */
static int open_area(void)
{
    size_t size;
    struct backend_area *area = hal_split_area(&size);
    if (!area || size < PAGE_SIZE)
        return -ENODEV;
    memset(area, 0, PAGE_SIZE);
    area->magic = BACKEND_MAGIC;
    area->version = BACKEND_VERSION;
    area->size = split.size = (u32)MIN(size, (size_t)1 << 30);
    split.used = split.first = PAGE_SIZE;
    split.area = area;
    return 0;
}

/* Start the thread, at the first claim of a system; it ends with the system. */
static int start_thread(void)
{
    sem_init(&split.rung, 0);
    struct thread *t = thread_create("split", 0, PRIO_HIGH, split_thread, NULL, NULL, false);
    if (!t)
        return -ENOMEM;
    thread_start(t);
    WRITE_ONCE(split.thread, t);
    return 0;
}

static int check(const struct split_entry *e)
{
    if (split.n == BACKEND_ENTRIES || e->size > split.size - split.used)
        return -ENOSPC;
    for (unsigned i = 0; i < split.n; i++)
        if (!strncmp(split.area->entry[i].name, e->name, BACKEND_NAME))
            return -EEXIST;
    return 0;
}

/* The entries are `n` from now on. split.lock is held. */
static void announce(unsigned n)
{
    split.n = n;
    split.generation = life_next(split.generation);
    __atomic_store_n(&split.area->n_entries, n, __ATOMIC_RELEASE);
    __atomic_store_n(&split.area->generation, split.generation, __ATOMIC_RELEASE);
}

int split_claim(const struct split_entry *e, void **memory)
{
    int err = split.area ? 0 : open_area();
    if (!err && !split.thread)
        err = start_thread();
    if (err)
        return err;
    err = check(e);
    if (err)
        return err;
    *memory = memset((u8 *)split.area + split.used, 0,
                     e->size); /* not in use yet; clearing may take long, so not under the lock */
    unsigned long flags = spin_lock_irqsave(&split.lock);
    unsigned i = split.n;
    struct backend_entry *b = &split.area->entry[i];
    *b = (struct backend_entry){
        .type = e->type, .flags = e->flags, .offset = split.used, .size = e->size, .sectors = e->sectors
    };
    strlcpy(b->name, e->name, sizeof(b->name));
    split.used += ALIGN_UP(e->size, PAGE_SIZE);
    split.entry[i].end = split.used;
    split.entry[i].rung = e->rung;
    split.entry[i].arg = e->arg;
    announce(i + 1);
    spin_unlock_irqrestore(&split.lock, flags);
    hal_split_kick();
    return (int)i;
}

void split_ring(unsigned entry)
{
    if (__atomic_fetch_or(&split.area->to_linux, 1u << entry, __ATOMIC_SEQ_CST) & 1u << entry)
        return; /* Linux has not handled the last ring yet */
    hal_split_kick();
}

/* Returns whether a program of Linux uses the memory of one of the first `n` entries. *end becomes the highest end of
 * such memory. */
static bool is_served(unsigned n, u32 *end)
{
    bool any = false;
    for (unsigned i = 0; i < n; i++)
        if (READ_ONCE(split.area->entry[i].served)) {
            *end = MAX(*end, split.entry[i].end);
            any = true;
        }
    return any;
}

/* Wait until no program uses what was announced, or has looked in vain for long. The fence: a program that has said
 * too late that it begins sees the new generation. */
static void wait_for_programs(unsigned n)
{
    u32 end = split.first;
    mp_fence();
    for (unsigned i = 0; i < LOOKS && is_served(n, &end); i++)
        thread_sleep_ns(LOOK_NS);
    end = split.first;
    if (is_served(n, &end)) {
        split.first = end;
        printk("split: a program of Linux does not let go of the shared area: its first %u KiB are lost until the "
               "kernel is loaded anew\n",
               end >> 10);
    }
}

static void announce_none(void)
{
    unsigned long flags = spin_lock_irqsave(&split.lock);
    announce(0);
    spin_unlock_irqrestore(&split.lock, flags);
    hal_split_kick();
}

void split_reset(void)
{
    struct thread *t = split.thread;
    unsigned n = split.n;
    if (!t)
        return;
    WRITE_ONCE(split.thread, NULL); /* first, so that nothing is posted to a thread that ends */
    WRITE_ONCE(t->stop, true);
    thread_wake(t);
    thread_join(t); /* its last callback has returned */
    announce_none();
    wait_for_programs(n);
    split.used = split.first;
    memset(split.area->entry, 0, sizeof(split.area->entry));
    WRITE_ONCE(split.area->to_linux, 0);
    WRITE_ONCE(split.area->to_kernel, 0);
}

void split_irq(void)
{
    if (READ_ONCE(split.thread))
        sem_post(&split.rung);
}
