/* SPDX-License-Identifier: MIT */
/*
 * window.c - the major frame of a core, and its alarm.
 *
 * A frame is stored without gaps: time without a window is a segment of the shared group. The alarm interrupt moves on
 * to the segment of the present time and asks for a switch. It records how late that is, because temporal separation
 * promises a bound for it.
 */
#include <core/cpu.h>
#include <core/trace.h>
#include <hal/cpu.h>
#include <string.h>

static __noinline __init_text void add_segment(struct frame *f, ticks_t start, ticks_t end, u16 group)
{
    if (start >= end)
        return;
    f->window[f->n++] = (struct window){ .start = start, .length = end - start, .group = group };
}

__init_text void sched_set_frame(struct cpu *c, const struct window *w, unsigned n, ticks_t length, ticks_t epoch)
{
    unsigned long flags = spin_lock_irqsave(&c->sched.lock);
    struct frame *f = &c->sched.frame;
    ticks_t at = 0;
    f->n = 0;
    for (unsigned i = 0; i < n; i++) {
        add_segment(f, at, w[i].start, 0);
        at = w[i].start + w[i].length;
        add_segment(f, w[i].start, at, w[i].group);
    }
    add_segment(f, at, length, 0);
    f->length = length;
    f->epoch = epoch - length;
    f->current = f->n - 1;
    f->current_end = epoch; /* until `epoch`: the last segment of a frame before the first one */
    c->sched.active = &c->sched.group[f->window[f->current].group];
    spin_unlock_irqrestore(&c->sched.lock, flags);
}

void sched_clear_frame(struct cpu *c)
{
    struct sched *s = &c->sched;
    unsigned long flags = spin_lock_irqsave(&s->lock);
    s->frame.length = 0;
    s->frame.current_end = TICKS_NEVER;
    s->active = &s->group[0];
    s->window_switches = s->window_late_max = 0;
    memset(s->group_of, 0, sizeof(s->group_of));
    s->resched = true;
    spin_unlock_irqrestore(&s->lock, flags);
    if (c == this_cpu())
        sched_poll();
    else
        hal_ipi_resched(c->id);
}

/* Move to the segment in which `now` lies. Whole frames that were missed are skipped. */
static void seek(struct frame *f, ticks_t now)
{
    if (now - f->epoch >= 2 * f->length)
        f->epoch += (now - f->epoch) / f->length * f->length - f->length;
    do {
        if (++f->current >= f->n) {
            f->current = 0;
            f->epoch += f->length;
        }
        const struct window *w = &f->window[f->current];
        f->current_end = f->epoch + w->start + w->length;
    } while (now >= f->current_end);
}

__noinline void window_advance(struct cpu *c, ticks_t now)
{
    struct sched *s = &c->sched;
    if (!SCHED_WINDOWS)
        return;
    spin_lock(&s->lock);
    struct frame *f = &s->frame;
    if (f->length && now >= f->current_end) {
        ticks_t late = now - f->current_end; /* since the first missed edge, if several were missed */
        seek(f, now);
        const struct window *w = &f->window[f->current];
        if (late > s->window_late_max)
            s->window_late_max = (unsigned long)MIN(late, (ticks_t)-1ul);
        s->window_switches++;
        s->active = &s->group[w->group];
        s->resched = true;
        trace(TRACE_WINDOW, w->group, late);
    }
    spin_unlock(&s->lock);
}

ticks_t sched_window_began(void)
{
    unsigned long flags = irq_save();
    const struct frame *f = &this_cpu()->sched.frame;
    ticks_t began = f->length ? f->current_end - f->window[f->current].length : 0;
    irq_restore(flags);
    return began;
}

void alarm_refresh(struct cpu *c)
{
    struct sched *s = &c->sched;
    ticks_t due = timers_next(c), edge = SCHED_WINDOWS ? u64_peek_here(&s->frame.current_end, &s->lock) : TICKS_NEVER;
    /* Another core may set slice_end, or remove the frame; it then sends an interrupt. */
    ticks_t slice_end = u64_peek_here(&s->slice_end, &s->lock);
    due = MIN(due, edge);
    due = MIN(due, slice_end);
    c->alarm = due;
    if (slice_kind(due) < KIND_OVER)
        hal_timer_arm(due);
}
