/* SPDX-License-Identifier: MIT */
/*
 * request.c - messages that the receiver's interrupt handles, whatever runs there (mail/mail.h).
 *
 * Each sender has one line at each receiver, in shared memory; the tiles' buffers are for mail. The sender sets its bit
 * in the receiver's word and interrupts it. The receiver clears the word before it reads the lines, so a sender that
 * fills a line after that has set its bit again.
 */
#include <board/scc.h>
#include <core/lock.h>
#include <errors.h>
#include <hal/cpu.h>

#include "request.h"
#include "line.h"

_Static_assert(sizeof(struct mail_line) == sizeof(((struct scc_shared *)NULL)->request[0][0]), "board/scc.h has room");

static struct spinlock ask_lock;
static void (*server)(const struct mail *m);
static u32 dropped;

static struct mail_line *request_line(unsigned to, unsigned from)
{
    return (struct mail_line *)scc_shared()->request[to][from];
}

int mail_request(unsigned to, const void *data, unsigned bytes)
{
    if (to >= SCC_CORES || !bytes || bytes > MAIL_BYTES)
        return -EINVAL;
    if (!scc_up(to))
        return -ENODEV;
    unsigned long flags = spin_lock_irqsave(&ask_lock);
    bool free = line_put(request_line(to, scc_core), data, bytes, 0);
    spin_unlock_irqrestore(&ask_lock, flags);
    if (!free)
        return -EAGAIN;
    __atomic_fetch_or(&scc_shared()->mail[to].asked[scc_core / 32], 1u << scc_core % 32, __ATOMIC_SEQ_CST);
    scc_interrupt(to);
    return 0;
}

void mail_serve(void (*serve)(const struct mail *m)) { WRITE_ONCE(server, serve); }

u32 requests_dropped(void) { return dropped; }

static void serve(unsigned from)
{
    struct mail m;
    struct mail_line *l = request_line(scc_core, from);
    u32 word = __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);
    if (!word)
        return;
    if (!word_is_good(word)) {
        line_free(l);
        dropped++;
        return;
    }
    line_copy(&m, l, from, word);
    line_free(l);
    if (server)
        server(&m);
    else
        dropped++;
}

void requests_rang(void)
{
    u32 *asked = scc_shared()->mail[scc_core].asked;
    if (!(READ_ONCE(asked[0]) | READ_ONCE(asked[1])))
        return;
    for (unsigned half = 0; half < 2; half++) {
        if (!READ_ONCE(asked[half]))
            continue;
        u32 bits = __atomic_exchange_n(&asked[half], 0, __ATOMIC_SEQ_CST);
        for (bits &= half ? (1u << (SCC_CORES - 32)) - 1 : ~0u; bits; bits &= bits - 1)
            serve(half * 32 + bit_msb32(bits & -bits));
    }
}
