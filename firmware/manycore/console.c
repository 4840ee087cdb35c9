/* SPDX-License-Identifier: MIT */
/*
 * console.c - one serial line (16550) for all clusters, with the tags of kernel/include/core/console.h: in both
 * directions 0xff and a number precede the bytes of that cluster; 0xff 0xff is the byte 0xff. The firmware's own number
 * is SPEAKER_FIRMWARE.
 *
 * Harts get the line in the order in which they came (a ticket lock), so a cluster that prints without end delays a
 * call of another cluster by one piece for each hart (sbi.c limits its size). A hart that asks for input reads the
 * bytes that have arrived and puts each into its cluster's buffer, until its own one is full. A byte for another
 * cluster's full buffer is lost, as on any serial line.
 */
#include "csr.h"
#include "hart.h"

#define TAG              0xff
#define SPEAKER_FIRMWARE 0xfe
#define TYPED            64 /* bytes kept for a cluster */
#define PUMP             64 /* bytes read from the line in one call */

enum { UART_DATA = 0, UART_FCR = 2, UART_LSR = 5 };
enum { FCR_ENABLE = 1, LSR_READY = 1 << 0, LSR_EMPTY = 1 << 5 };

static struct {
    u32 next, serving; /* tickets: the next one to be given out; the one that has the line */
    u32 speaker, listener;
    bool tag; /* the last byte that was typed was 0xff */
} line = { .speaker = TAG, .listener = TAG };

static struct typed {
    u32 head, tail; /* counts; the buffer holds head - tail bytes */
    char text[TYPED];
} typed[FW_CLUSTERS];

static volatile u8 *uart(unsigned reg) { return (volatile u8 *)(UART + reg); }

static u32 lock(void)
{
    u32 me = (u32)csr_read(mhartid), turn = __atomic_fetch_add(&line.next, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&line.serving, __ATOMIC_ACQUIRE) != turn)
        relax(me);
    return turn;
}

static void unlock(u32 turn) { __atomic_store_n(&line.serving, turn + 1, __ATOMIC_RELEASE); }

void console_init(void) { *uart(UART_FCR) = FCR_ENABLE; }

static void put(u8 byte)
{
    while (!(*uart(UART_LSR) & LSR_EMPTY))
        ;
    *uart(UART_DATA) = byte;
}

static void put_text(u32 speaker, const char *text, size_t size)
{
    if (speaker != line.speaker) {
        put(TAG);
        put((u8)speaker);
        line.speaker = speaker;
    }
    for (size_t i = 0; i < size; i++) {
        if ((u8)text[i] == TAG)
            put(TAG);
        put((u8)text[i]);
    }
}

void console_put(u32 speaker, const char *text, size_t size)
{
    u32 turn = lock();
    put_text(speaker, text, size);
    unlock(turn);
}

void console_say(u32 cluster, const char *text)
{
    char digits[10];
    size_t n = sizeof(digits), size = 0;
    do
        digits[--n] = (char)('0' + cluster % 10);
    while (cluster /= 10);
    while (text[size])
        size++;
    u32 turn = lock();
    put_text(SPEAKER_FIRMWARE, "cluster ", 8);
    put_text(SPEAKER_FIRMWARE, digits + n, sizeof(digits) - n);
    put_text(SPEAKER_FIRMWARE, ": ", 2);
    put_text(SPEAKER_FIRMWARE, text, size);
    put_text(SPEAKER_FIRMWARE, "\n", 1);
    unlock(turn);
}

static void keep(u8 byte)
{
    if (line.listener >= table()->n_clusters)
        return;
    struct typed *t = &typed[line.listener];
    if (t->head - t->tail < TYPED)
        t->text[t->head++ % TYPED] = (char)byte;
}

/* Read what has arrived, but nothing while the cluster that asks has no room: it has to take what it has first. */
static void pump(const struct typed *own)
{
    for (unsigned i = 0; i < PUMP && *uart(UART_LSR) & LSR_READY && own->head - own->tail < TYPED; i++) {
        u8 byte = *uart(UART_DATA);
        if (line.tag && byte != TAG)
            line.listener = byte;
        else if (line.tag || byte != TAG)
            keep(byte);
        line.tag = !line.tag && byte == TAG;
    }
}

size_t console_get(u32 cluster, char *text, size_t size)
{
    struct typed *t = &typed[cluster];
    size_t n = 0;
    u32 turn = lock();
    pump(t);
    while (n < size && t->tail != t->head)
        text[n++] = t->text[t->tail++ % TYPED];
    unlock(turn);
    return n;
}
