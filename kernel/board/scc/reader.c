/* SPDX-License-Identifier: MIT */
/*
 * reader.c - a thread of core 0 prints the other kernels' text, in lines with the core's number.
 *
 * The rings are in the other kernels' memory. Positions are bounded, a byte that is not printable becomes '?', and no
 * kernel has more than PIECE bytes printed before the next one's turn. So a kernel that writes all the time only delays
 * the other kernels' text. The thread has the lowest priority, but now and then a high one (hurry.c).
 */
#include <arch/cpu.h>
#include <board/scc.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/thread.h>

#include "ring.h"

#define PIECE      256
#define LINE       120
#define STUCK_MS   500
#define QUIET_MS   5000
#define DRAIN_MOST (SCC_CORES * 65536u) /* bytes */

static struct thread *reader;
static struct {
    u32 tail, dropped;
    unsigned n;
    char text[LINE + 1];
} line[SCC_CORES];
static bool all_said;

__optional void ring_reader_hurry(struct thread *t) {}
__optional void ring_reader_waits(struct thread *t) {}
__optional void ring_reader_has_read(struct thread *t, bool some) {}

void ring_reader_wake(void)
{
    if (!reader)
        return;
    ring_reader_waits(reader);
    thread_wake(reader);
}

void ring_reader_expect(void) { WRITE_ONCE(all_said, false); }

/* Return how many bytes of the other kernels' text are not printed. *all: each of them has come to its power-off. */
static u32 count_unsaid(bool *all)
{
    u32 n = 0;
    *all = true;
    for (unsigned core = 1; core < SCC_CORES; core++) {
        n += MIN(READ_ONCE(scc_shared()->ring[core].head) - line[core].tail, SCC_RING_SIZE);
        *all &= !scc_up(core) || READ_ONCE(scc_shared()->off[core]);
    }
    return n;
}

/* `stuck` counts the milliseconds since some text was printed. `quiet` counts all without text to print, so that a
 * kernel that speaks now and then does not keep the board on. */
void ring_reader_drain(void)
{
    const u32 *printed = &scc_shared()->printed;
    unsigned quiet = 0, stuck = 0;
    u32 begin = *printed, left;
    bool all;
    while ((left = count_unsaid(&all)) || !all) {
        u32 was = *printed;
        if (!reader || quiet == QUIET_MS || stuck == STUCK_MS || was - begin > DRAIN_MOST)
            break;
        ring_reader_hurry(reader);
        thread_wake(reader);
        thread_sleep_ns(1000000);
        quiet += !left;
        stuck = *printed == was ? stuck + 1 : 0;
    }
    if (left)
        printk("scc: %u bytes of other kernels' text are lost\n", left);
}

static void say_line(unsigned core)
{
    line[core].text[line[core].n] = '\0';
    printk("core %u: %s\n", core, line[core].text);
    line[core].n = 0;
}

static void put_byte(unsigned core, u8 byte)
{
    if (byte == '\n' || line[core].n == LINE)
        say_line(core);
    if (byte != '\n' && byte != '\r')
        line[core].text[line[core].n++] = byte >= ' ' && byte < 0x7f ? (char)byte : '?';
}

/* Print some of the core's text, and how much of it is lost. Returns whether there was any text. */
static bool print_some(unsigned core)
{
    u32 dropped = READ_ONCE(scc_shared()->dropped[core]) - line[core].dropped;
    if (dropped) {
        line[core].dropped += dropped;
        printk("core %u: %u bytes are lost\n", core, dropped);
    }
    struct scc_ring *r = &scc_shared()->ring[core];
    u32 head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE), n = head - line[core].tail;
    if (n > SCC_RING_SIZE) { /* its writer is wrong: continue at its head */
        line[core].tail = head;
        n = 0;
    }
    n = MIN(n, PIECE);
    for (u32 i = 0; i < n; i++)
        put_byte(core, READ_ONCE(r->text[(line[core].tail + i) % SCC_RING_SIZE]));
    line[core].tail += n;
    scc_shared()->printed += n;
    __atomic_store_n(&r->tail, line[core].tail, __ATOMIC_RELEASE);
    if (n && READ_ONCE(r->full))
        scc_bell(core);
    return n;
}

static unsigned count_up(void)
{
    unsigned n = 0;
    for (unsigned core = 0; core < SCC_CORES; core++)
        n += scc_up(core) != 0;
    return n;
}

/* Print the cores in the chip's layout: rows of tiles, two cores in a tile, the first row at the bottom. */
static int show(const char *arg)
{
    for (unsigned row = SCC_TILES / SCC_ACROSS; row--;) {
        char text[SCC_ACROSS * 2 * 5 + 1];
        size_t n = 0;
        for (unsigned core = row * SCC_ACROSS * 2; core < (row + 1) * SCC_ACROSS * 2; core++)
            n += (size_t)ksnprintf(text + n, sizeof(text) - n, "%s%s%02u", core % 2 ? " " : "  ",
                                   scc_up(core) ? "" : "-", core);
        printk("%s\n", text);
    }
    printk("%u of %u kernels run\n", count_up(), SCC_CORES);
    return 0;
}

static void say_when_all_are_up(void)
{
    unsigned wanted = 0;
    for (unsigned core = 0; core < SCC_CORES; core++)
        wanted += scc_chosen(core);
    all_said = count_up() == wanted;
    if (!all_said)
        return;
    show(NULL);
    printk("scc: all %u kernels are up\n", wanted);
}

static void reader_run(void *arg)
{
    for (;;) {
        bool some = false;
        for (unsigned core = 1; core < SCC_CORES; core++)
            some |= print_some(core);
        if (!all_said)
            say_when_all_are_up();
        ring_reader_has_read(reader, some);
        if (!some)
            thread_block(TICKS_NEVER);
    }
}

static __init_text void reader_start(void)
{
    if (scc_core)
        return;
    reader = thread_create("reader", 0, RING_READER_PRIO, reader_run, NULL, NULL, false);
    if (!reader)
        panic("scc: no memory for the reader of the other kernels");
    thread_start(reader);
}
INIT_CALL(reader_start);

MONITOR_COMMAND(kernels, "kernels", "", "which cores' kernels run, as they lie on the chip", .run = show);
