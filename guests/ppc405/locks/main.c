/* SPDX-License-Identifier: MIT */
/*
 * main.c - what the lock's routines cost, for one to eight cores: the kernel's own files, natively, on one core
 * whose rivals are words in memory. Counted between marks by tools/plugin/visits.c.
 *     locks: cores=4 done
 */
#include <guest.h>
#include <core/bakery.h>
#include <core/partition.h>

#define ROUNDS 16
#define MARK() __asm__ volatile("ori %r31,%r31,0" ::: "memory")

u32 core_count;

u32 hal_now(void) { return ticks(); }

/* One function a place, so that its marks have addresses of their own; noinline keeps them apart. */
#define MEASURED(name, call)                                                                                           \
    __attribute__((noinline, noclone)) static void measure_##name(struct semaphore *s)                                 \
    {                                                                                                                  \
        MARK();                                                                                                        \
        call;                                                                                                          \
        MARK();                                                                                                        \
    }
MEASURED(mutex_start, (void)!mutex_start(&s->mutex, 0))
MEASURED(mutex_stop, mutex_stop(&s->mutex, 0))
MEASURED(wait_short, (void)!sem_wait(s, 0))
MEASURED(signal_short, (void)!sem_signal(s, 0))
MEASURED(signal_long, (void)!sem_signal(s, 0))

static struct semaphore lock;

void guest_main(void)
{
    core_count = arg_number("cores", 4);
    for (u32 i = 0; i < ROUNDS; i++) {
        lock.free = 1;
        measure_mutex_start(&lock);
        measure_mutex_stop(&lock);
        measure_wait_short(&lock);
        measure_signal_short(&lock);
        measure_wait_short(&lock);
        lock.queue[lock.tail++ % PT_CORES] = 1; /* core 1 waits */
        measure_signal_long(&lock);
    }
    print("locks: cores=%u done\n", core_count);
}
