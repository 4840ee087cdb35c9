/* SPDX-License-Identifier: MIT */
/*
 * bridge.c - connects a switch of guests to the network of the board: arguments [NAME, PORT, DEVICE], both 0 if not
 * said. The process has the switch's uplink as its port, and drives a card.
 *
 * Two threads, one a direction. The card hears all that is on its wire; what is from the switch comes back on no wire,
 * so it is not sent round. What the card has no place for waits, and the ring of the uplink fills meanwhile: then the
 * switch loses frames, as on a wire. A lock keeps a reset of the card, after an overflow, and sending apart; if the
 * reset fails, the process ends by a fault, so that `restart: [fault]` starts it again.
 */
#include <amalgam/port.h>
#include <pthread.h>
#include <stdlib.h>

#include "rtl8139.h"

#define PROGRAM "bridge"
#include "../programs/must.h"

#define CARD_HEARS_ALL 1u          /* RCR: frames for other cards, too */
#define SEND_NS        10000000ull /* the longest wait for a place */

static struct card card;
static unsigned port;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;
static uint32_t interrupts; /* counted, so that who waits for one misses none */

static int64_t hear_all(void) { return card_write(&card, CARD_RCR, 4, CARD_RECEIVES | CARD_HEARS_ALL); }

static void begin_again(void)
{
    pthread_mutex_lock(&sending);
    if (card_begin(&card) || hear_all())
        __builtin_trap();
    pthread_mutex_unlock(&sending);
}

static void from_card_for_ever(void)
{
    static uint8_t frame[CARD_FRAME];
    for (;;) {
        size_t n;
        unsigned before = card.lost;
        while ((n = card_take(&card, frame)))
            amalgam_port_send(port, frame, n);
        if (card.lost != before) {
            begin_again();
        } else if (!card_wait(&card, AMALGAM_NEVER)) {
            __atomic_fetch_add(&interrupts, 1, __ATOMIC_RELEASE);
            amalgam_wake(&interrupts, 1);
        }
    }
}

static bool send(const uint8_t *frame, size_t n)
{
    pthread_mutex_lock(&sending);
    bool sent = card_send(&card, frame, n);
    pthread_mutex_unlock(&sending);
    return sent;
}

static void send_when_it_can(const uint8_t *frame, size_t n)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(&interrupts, __ATOMIC_ACQUIRE);
        if (send(frame, n))
            return;
        amalgam_wait(&interrupts, seen, amalgam_clock() + SEND_NS);
    }
}

static void *to_card_for_ever(void *unused)
{
    static uint8_t frame[AMALGAM_PORT_FRAME];
    for (;;) {
        int64_t n = amalgam_port_receive(port, frame, sizeof(frame));
        if (n == -AMALGAM_EAGAIN)
            amalgam_port_wait(port, AMALGAM_NEVER);
        else if (n > 0 && n <= CARD_FRAME) /* a longer one has a VLAN's tag, and is lost */
            send_when_it_can(frame, (size_t)n);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t sender;
    port = (unsigned)RESULT(amalgam_port_open(argc > 1 ? (unsigned)atoi(argv[1]) : 0));
    MUST(amalgam_port_info(port, AMALGAM_PORT_INFO_UPLINK) == 1);
    RESULT(card_open(&card, argc > 2 ? (unsigned)atoi(argv[2]) : 0));
    RESULT(hear_all());
    printf("bridge: switch %d and a card\n", (int)amalgam_port_info(port, AMALGAM_PORT_INFO_NETWORK));
    MUST(!pthread_create(&sender, NULL, to_card_for_ever, NULL));
    from_card_for_ever();
}
