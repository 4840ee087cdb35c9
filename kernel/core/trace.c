/* SPDX-License-Identifier: MIT */
/* trace.c - per-core rings of trace records; see core/trace.h. */
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/time.h>

struct ring {
    u64 next; /* number of records written */
    struct trace_record record[TRACE_RING];
};

#define RING_PAGES (ALIGN_UP(sizeof(struct ring), PAGE_SIZE) >> PAGE_SHIFT)

bool trace_on;
static struct ring *rings[MAX_CPUS];

static const char *const names[TRACE_EVENTS] = { "switch", "wake", "window", "exit", "inject", "irq", "hypercall" };

void trace_record(enum trace_event event, u64 a, u64 b)
{
    unsigned long flags = irq_save();
    struct ring *r = rings[this_cpu()->id];
    if (r)
        r->record[r->next++ % TRACE_RING] = (struct trace_record){ time_now(), event, a, b };
    irq_restore(flags);
}

int trace_enable(bool on)
{
    for (unsigned i = 0; on && i < n_cpus; i++) {
        if (!rings[i])
            rings[i] = pages_alloc(RING_PAGES);
        if (!rings[i])
            return -ENOMEM;
    }
    WRITE_ONCE(trace_on, on);
    return 0;
}

void trace_free(void)
{
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        if (rings[i])
            frames_clean(virt_to_phys(rings[i]), RING_PAGES);
        rings[i] = NULL;
    }
}

/* A record that is being written when recording stops may be printed half old, half new: at most one for each core. */
void trace_dump(void)
{
    bool was_on = trace_on;
    WRITE_ONCE(trace_on, false);
    for (unsigned i = 0; i < n_cpus; i++) {
        struct ring *r = rings[i];
        if (!r)
            continue;
        u64 end = r->next, at = end > TRACE_RING ? end - TRACE_RING : 0;
        for (; at < end; at++) {
            const struct trace_record *e = &r->record[at % TRACE_RING];
            printk("T %u %llu %s %llx %llx\n", i, e->when, names[e->event], e->a, e->b);
        }
        r->next = 0;
    }
    printk("trace end\n");
    WRITE_ONCE(trace_on, was_on);
}
