/* SPDX-License-Identifier: MIT */
/* timer_set_none.c - in place of timer_set.c in a kernel without sets of timers: a core's own list has all timers. */
#include "timer_set.h"

#include <core/cpu.h>

struct list *timer_list(struct cpu *c, struct timer *t) { return &c->timers; }
void timer_taken(struct timer *t) {}
bool timer_sets_any(struct cpu *c) { return false; }
struct timer *timer_sets_first(struct cpu *c) { return NULL; }
