/* SPDX-License-Identifier: MIT */
/*
 * console.c - the tagged channel as two rings in memory shared with Linux, where /dev/amalgam continues it. There is no
 * human port: the command offers one.
 *
 * Linux may write anything into the shared words, so indices are masked at each use and never trusted to be in order.
 * Linux's doorbell is an NMI, which nothing in Linux can delay. A flag before it makes one NMI serve for all that is
 * written until Linux looks. A domain that prints must not take Linux's time, so NMIs are BELL_PAUSE apart: one that
 * comes too early is owed, and a timer sends it.
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <board/linux.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/lock.h>
#include <core/split.h>
#include <core/timer.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <hal/upcalls.h>

#define TAGGED     1
#define ICR_NMI    (4u << 8)
#define PIECE      16     /* input bytes taken at once */
#define PAUSE_NS   125000 /* pause before the next ones, because input takes the time of core 0's domains */
#define BELL_PAUSE 100000 /* ns between two doorbells */

static struct attach_shared *shared;
static u64 shared_size;
static u32 out_head, in_tail; /* our own copies, which Linux cannot change */
static bool attached;
static u64 epoch_ns;      /* Linux' wall clock when the counter was 0 */
static unsigned piece;    /* input bytes that may still be taken now */
static struct timer more; /* armed during a pause */

static struct {
    struct spinlock lock;
    ticks_t quiet; /* until then */
    bool owed;
    struct timer timer; /* armed while it is owed, unless its core has left */
} bell;

static void send_owed(void *unused);
static void end_pause(void *unused) { core_irq_console(TAGGED); }

void board_linux_init(const struct attach_boot *boot)
{
    shared = phys_to_virt(boot->shared);
    shared_size = boot->shared_size;
    time_hz = boot->tsc_khz * 1000;
    epoch_ns = boot->wall_ns - time_to_ns(time_now());
    timer_init(&more, end_pause, NULL);
    timer_init(&bell.timer, send_owed, NULL);
}

paddr_t board_shared_base(void) { return virt_to_phys(shared); }
u64 board_shared_size(void) { return shared_size; }

void board_linux_attached(void) { attached = true; }

/* bell.lock is held. */
static void send_bell(void)
{
    bell.owed = false;
    bell.quiet = time_after(BELL_PAUSE);
    apic_icr(READ_ONCE(shared->bell_apic), ICR_NMI);
}

static void send_owed(void *unused)
{
    unsigned long flags = spin_lock_irqsave(&bell.lock);
    if (bell.owed)
        send_bell();
    spin_unlock_irqrestore(&bell.lock, flags);
}

void board_linux_core_leaves(void) { send_owed(NULL); }

/* In a panic locks do not count. A CPU of Linux's has no timers, and prints little. */
static void ring_bell(void)
{
    if (!attached)
        return;
    bool rung = __atomic_exchange_n(&shared->bell, 1, __ATOMIC_SEQ_CST);
    if (READ_ONCE(cpus_stopping)) {
        apic_icr(READ_ONCE(shared->bell_apic), ICR_NMI);
        return;
    }
    unsigned long flags = spin_lock_irqsave(&bell.lock);
    if ((!rung || bell.owed) && (time_now() >= bell.quiet || this_cpu()->id >= MAX_CPUS)) {
        send_bell();
    } else if (!rung && !bell.owed) {
        bell.owed = true;
        timer_arm(&bell.timer, bell.quiet);
    }
    spin_unlock_irqrestore(&bell.lock, flags);
}

/* The split drivers' area begins on the next page. */
void *hal_split_area(size_t *size)
{
    *size = shared_size - ALIGN_UP(sizeof(*shared), PAGE_SIZE);
    return (u8 *)shared + ALIGN_UP(sizeof(*shared), PAGE_SIZE);
}

void hal_split_kick(void) { ring_bell(); }

bool hal_console_present(unsigned port) { return port == TAGGED && shared; }

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    if (!hal_console_present(port))
        return n;
    u32 used = out_head - __atomic_load_n(&shared->out.tail, __ATOMIC_ACQUIRE);
    n = used >= ATTACH_OUT_SIZE ? 0 : MIN(n, ATTACH_OUT_SIZE - used);
    for (unsigned i = 0; i < n; i++)
        shared->out_bytes[(out_head + i) % ATTACH_OUT_SIZE] = bytes[i];
    out_head += n;
    if (READ_ONCE(cpus_stopping))
        WRITE_ONCE(shared->dead, 1);
    __atomic_store_n(&shared->out.head, out_head, __ATOMIC_RELEASE);
    if (n)
        ring_bell();
    return n;
}

/* console_poll() calls this first with 0 and at last with RX; both are used to limit input. TX may come from any
 * thread and needs nothing: Linux's NOTIFY interrupts when there is room. */
void hal_console_irqs(unsigned port, unsigned which)
{
    if (port != TAGGED || which & CONSOLE_IRQ_TX || more.armed)
        return;
    if (!which)
        piece = PIECE;
    else if (!piece)
        timer_arm(&more, time_after(PAUSE_NS));
}

int hal_console_getc(unsigned port)
{
    if (!hal_console_present(port) || !piece || __atomic_load_n(&shared->in.head, __ATOMIC_ACQUIRE) == in_tail)
        return -1;
    piece--;
    int byte = READ_ONCE(shared->in_bytes[in_tail % ATTACH_IN_SIZE]);
    __atomic_store_n(&shared->in.tail, ++in_tail, __ATOMIC_RELEASE);
    return byte;
}

u64 hal_wall_clock_at(u64 ns) { return epoch_ns + ns; }
