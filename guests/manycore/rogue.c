/* SPDX-License-Identifier: MIT */
/*
 * rogue.c - the kernel of a hostile cluster, the last one of its board, that is against servers which are processes of
 * cluster 0 (docs/servers.md), and against their clients in the others. It lies in each word of its outbox in one step
 * of LIE_EVERY only, so that its lanes stay up, from `seed=`. In the other steps it sends mails as a right kernel
 * would: requests to each server, and answers to who waits for one, whose first words are right. Each thousandth step
 * it says how many mails there were. With `pages=1` it is against the page servers of all clusters, too, and cluster 0
 * has the memory server alone; with `pages=2` half of what it sends them is what it has read in others' outboxes, a
 * part of it with another word.
 */
#include "lies.h"

static u32 mails, replays, pages; /* how it is against page servers */

#define PEERS     32
#define FIRST     0x100u /* the epoch of a cluster's first life */
#define LIE_EVERY 16
enum { FIRST_SERVER = 2, PAGES = 11, ANSWERS = 12 }; /* ports */
#define CAPS_MAGIC 0x31504143                        /* CAP1 */
#define CAPS_ENDED 4

static struct {
    u32 epoch, echoed, sent;
} lanes[PEERS];

/* What a page server has said, half the time to `peer`, as it stands in an outbox. Returns false: nothing does. */
static bool read_others(u32 peer, u32 *message)
{
    u32 from = draw() % (board.count - 1), to = draw() % 2 ? peer : draw() % (board.count - 1), number = draw() % 8;
    const volatile u32 *half = (const volatile u32 *)(board.noc + from * board.outbox_size + to * HALF);
    for (u32 i = 0; i < 32; i++)
        message[i] = half[SLOTS + 48 * number + 4 + i];
    return message[0] == CAPS_MAGIC;
}

/* What page servers say: a random one, or what others have said. */
static void write_pages_mail(u32 peer, u32 *message)
{
    bool replayed = pages == 2 && draw() % 2 && read_others(peer, message);
    replays += replayed;
    if (!replayed) {
        message[0] = CAPS_MAGIC;
        message[1] = draw() % 5 | (draw() % 2) << 7 | (draw() % 4) << 8 | (draw() % 48) << 16 | (draw() % 7) << 24;
        message[2] = draw() % 5;
    } else if (draw() % 2) { /* what has the key in it is said as another thing: that the page of cluster 0 is over */
        message[1] = draw() % 2 ? CAPS_ENDED : (message[1] & ~0x87u) | draw() % 5 | (draw() % 2) << 7;
    } else if (draw() % 2) {
        message[2 + draw() % 8] ^= 1u << draw() % 32;
    }
}

/* A request to a server's port in cluster 0, or an answer to the port where a client elsewhere waits for one. A port
 * that nobody has would hold up what comes behind. */
static void write_mail(u32 peer, u32 *slot, u32 number)
{
    static const u32 magics[] = { 0x314d414e, 0x314d454d, 0x314f5250, 0x314c4946 }; /* NAM1 MEM1 PRO1 FIL1 */
    u32 which = pages ? 1 : draw() % 4, *message = slot + 4, port = peer ? ANSWERS : FIRST_SERVER + which;
    bool to_pages = pages && (peer > 2 || draw() % 2); /* two clusters have clients of the memory server */
    port = to_pages ? PAGES : port;
    slot[0] = 2 * number;
    slot[1] = port << 8 | (draw() % 16) << 16 | 128u << 24;
    slot[2] = 0;
    for (u32 i = 2; i < 32; i++)
        message[i] = draw() % 3 ? draw() & 0x03030303 : draw();
    message[0] = magics[which];
    message[3] = draw() % 4 ? draw() % 4 / 3 : draw(); /* of no life, or of one */
    message[1] = draw() % 10 | (draw() % 16) << 8 | (draw() & 0x0303) << 16;
    if (to_pages)
        write_pages_mail(peer, message);
}

/* Send a mail as a right kernel would, or begin anew with a peer that has done so. */
static void mail(u32 peer, volatile u32 *ours, const volatile u32 *theirs)
{
    u32 bit = 1u << (SLOT_AT + lanes[peer].sent % 8);
    ours[EPOCH] = lanes[peer].epoch; /* it may have lied in these */
    ours[ECHO] = lanes[peer].echoed;
    if (!lanes[peer].epoch || lanes[peer].echoed != theirs[EPOCH]) {
        lanes[peer].epoch += lanes[peer].epoch ? 2 : FIRST;
        lanes[peer].echoed = theirs[EPOCH];
        lanes[peer].sent = 0;
        ours[ECHO] = 0;
        ours[PUT] = ours[TAKEN] = 0;
        ours[EPOCH] = lanes[peer].epoch;
        ours[ECHO] = lanes[peer].echoed;
    } else if (theirs[ECHO] == lanes[peer].epoch && !((ours[PUT] ^ theirs[TAKEN]) & bit)) {
        write_mail(peer, (u32 *)ours + SLOTS + 48 * (lanes[peer].sent % 8), lanes[peer].sent);
        __asm__ volatile("fence" ::: "memory");
        lanes[peer].sent++;
        mails++;
        ours[PUT] ^= bit;
    }
    __asm__ volatile("fence" ::: "memory");
    ours[NEWS] += 2;
    touch(STORE, board.doorbells + 4 * board.around[peer].master); /* it stores an odd number */
}

void guest_main(ulong hart, ulong start_number)
{
    state = argument("seed", 1);
    pages = (u32)argument("pages", 0);
    (void)hart;
    (void)start_number;
    for (u32 step = 1;; step++) {
        u32 peer = draw() % (board.count - 1);
        volatile u32 *ours = (volatile u32 *)(board.outbox + peer * HALF);
        const volatile u32 *theirs = (const volatile u32 *)(board.noc + peer * board.outbox_size + board.number * HALF);
        if (draw() % LIE_EVERY) {
            mail(peer, ours, theirs);
            ours[ANSWER] = theirs[ASK];
        } else {
            greet(ours, theirs);
            lie(ours, theirs);
        }
        if (draw() % 64 == 0)
            *(volatile u32 *)(board.outbox + draw() % (board.outbox_size / 4) * 4) = draw();
        if (step % 1000 == 0)
            say("%d steps, %d mails, %d replayed\n", step, mails, replays);
        sleep_until(csr_read(time) + 10);
    }
}

void guest_hart(ulong hart) { (void)hart; }
