/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - one end of a tunnel: arguments [tunnel, ROLE, INDEX, ...]; INDEX among this process's tunnels, default 0.
 *   pong INDEX                          answers for ever (guests/include/tunnel.h has the protocol)
 *   ping INDEX ROUNDS LENGTH PAUSE_MS   asks; 0 rounds: for ever; default 1000 rounds of 64 bytes without a pause
 *   turn INDEX ROUNDS 0|1               two processes take turns by wait and wake on words of the memory; 0 begins
 *   check INDEX DEAD                    right and wrong values of every argument of the calls; DEAD: the number of a
 *                                       tunnel whose peer does not run, and whose memory only the peer may write
 *   lost INDEX                          checks a tunnel that the operator withdraws and grants again
 *   left INDEX                          prints a line each time that its peer ends, which the doorbell and a word tell
 *   touch INDEX                         writes the memory, whatever its rights are
 */
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../guests/include/tunnel.h"

#define PROGRAM "tunnel"
#include "must.h"

#define SECOND 1000000000ull
#if defined(__x86_64__)
#define TUNNELS (0x10000000000ul - (16ul << 20))
#elif defined(__i386__)
#define TUNNELS (0xe0000000ul - (16ul << 20))
#else
#define TUNNELS (0x2000000000ul - (16ul << 20))
#endif

static struct amalgam_tunnel tunnel;

static uint64_t in(uint64_t ns) { return amalgam_clock() + ns; }

/* --- ping and pong ---------------------------------------------------------------------------------------------- */

/* Ring and wait for the answer. Ring again if it does not come, because the peer may have been restarted. Returns
 * whether the answer rang. */
static bool ask(const struct tunnel_box *answer, uint32_t seen)
{
    int64_t r = amalgam_tunnel_call(tunnel.index, in(SECOND));
    while (tunnel_seq(answer) == seen) {
        if (r == -AMALGAM_EAGAIN || r == -AMALGAM_EPIPE) /* the peer does not run, or has just ended */
            amalgam_sleep_until(in(SECOND / 100));
        else if (r && r != -AMALGAM_ETIMEDOUT)
            MUST(!"a tunnel that rings");
        r = r ? amalgam_tunnel_call(tunnel.index, in(SECOND)) : amalgam_tunnel_wait(tunnel.index, in(SECOND));
    }
    return r == 0;
}

static void ping(unsigned long rounds, uint32_t length, unsigned long pause_ms)
{
    static uint8_t out[TUNNEL_BOX_DATA], back[TUNNEL_BOX_DATA];
    struct tunnel_box *box = tunnel.memory;
    unsigned long wrong = 0, rang = 0, lot = pause_ms ? 4 : 1000;
    uint64_t sum = 0;
    for (unsigned long i = 1; !rounds || i <= rounds; i++) {
        for (uint32_t b = 0; b < length; b++)
            out[b] = (uint8_t)(i * 7 + b);
        uint32_t seen = tunnel_seq(&box[1]);
        uint64_t began = amalgam_clock();
        tunnel_put(&box[0], out, length);
        rang += ask(&box[1], seen);
        int good = tunnel_take(&box[1], back) == (int)length;
        sum += amalgam_clock() - began;
        for (uint32_t b = 0; good && b < length; b++)
            good = (back[b] ^ out[b]) == 0xff;
        wrong += !good;
        if (i % lot == 0)
            printf("tunnel: ping n=%lu wrong=%lu mean=%lu ns\n", i, wrong, (unsigned long)(sum / i));
        if (pause_ms)
            amalgam_sleep_until(in(pause_ms * 1000000));
    }
    printf("tunnel: %s after %lu rounds, %lu of them answered by a ring\n", wrong ? "WRONG" : "right", rounds, rang);
}

static void pong(void)
{
    static uint8_t data[TUNNEL_BOX_DATA];
    struct tunnel_box *box = tunnel.memory;
    uint32_t seen = tunnel_seq(&box[0]) ? tunnel_seq(&box[0]) - 1 : 0; /* answer a question that is there already */
    for (unsigned long n = 1;; n++) {
        while (tunnel_seq(&box[0]) == seen) {
            int64_t r = amalgam_tunnel_wait(tunnel.index, AMALGAM_NEVER);
            MUST(r == 0 || r == -AMALGAM_EPIPE); /* wait for its next run */
        }
        seen = tunnel_seq(&box[0]);
        int length = tunnel_take(&box[0], data);
        for (int b = 0; b < length; b++)
            data[b] = (uint8_t)~data[b];
        tunnel_put(&box[1], data, length < 0 ? 0 : (uint32_t)length);
        amalgam_tunnel_notify(tunnel.index); /* ignore errors: a peer that has ended asks again when it runs again */
        if (n == 1 || n % 1000 == 0)
            printf("tunnel: pong n=%lu\n", n);
    }
}

/* --- words ------------------------------------------------------------------------------------------------------ */

static void turn(unsigned long rounds, uint32_t me)
{
    uint32_t *word = tunnel.memory;
    unsigned long slept = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        uint32_t whose;
        while ((whose = __atomic_load_n(word, __ATOMIC_ACQUIRE)) % 2 != me)
            slept += amalgam_wait(word, whose, in(10 * SECOND)) == 0;
        MUST(whose == i * 2 + me);
        if (i % 2) /* the other side falls asleep meanwhile */
            amalgam_sleep_until(in(2000000));
        __atomic_store_n(word, whose + 1, __ATOMIC_RELEASE);
        amalgam_wake(word, 1);
    }
    printf("tunnel: %lu turns, %s\n", rounds, slept > rounds / 4 ? "right" : "nobody slept");
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

static int64_t result;

static void *wait_a_little(void *unused)
{
    __atomic_store_n(&result, amalgam_tunnel_wait(tunnel.index, in(SECOND / 4)), __ATOMIC_RELEASE);
    return unused;
}

static void check(uint32_t index, uint32_t dead)
{
    pthread_t other;
    uint32_t *word = tunnel.memory;
    int64_t number = amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_NUMBER);
    MUST(number >= 0 && (uintptr_t)word == TUNNELS + ((uintptr_t)number << 20) && tunnel.size == 8192);
    MUST(tunnel.rights == (AMALGAM_TUNNEL_WRITE | AMALGAM_TUNNEL_PEER_WRITE) &&
         amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_STATE) == 1);
    MUST(amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_RUNNING) == 1 &&
         amalgam_tunnel_info(dead, AMALGAM_TUNNEL_INFO_RUNNING) == 0);
    MUST(amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_PEER) != amalgam_info(AMALGAM_INFO_DOMAIN));
    MUST(amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_PEER) >= 0 &&
         amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_RUNNING + 1) == -AMALGAM_ERANGE);
    MUST(amalgam_tunnel_info(dead, AMALGAM_TUNNEL_INFO_RIGHTS) == AMALGAM_TUNNEL_PEER_WRITE);
    word[2047] = 7; /* the whole tunnel is mapped, and nothing behind it or where another process has its tunnel */
    MUST(amalgam_wait(&word[2047], 6, 0) == -AMALGAM_EAGAIN && amalgam_wait(&word[2048], 0, 0) == -AMALGAM_EFAULT);
    for (unsigned n = 0; n < 16; n++)
        if (n != number && n != amalgam_tunnel_info(dead, AMALGAM_TUNNEL_INFO_NUMBER))
            MUST(amalgam_wait((uint32_t *)(TUNNELS + (n << 20)), 0, 0) == -AMALGAM_EFAULT);

    MUST(amalgam_tunnel_info(2, AMALGAM_TUNNEL_INFO_SIZE) == -AMALGAM_ENOENT &&
         amalgam_tunnel_info(16, AMALGAM_TUNNEL_INFO_SIZE) == -AMALGAM_ERANGE);
    MUST(amalgam_tunnel_notify(2) == -AMALGAM_ENOENT && amalgam_tunnel_notify(16) == -AMALGAM_ERANGE &&
         amalgam_tunnel_notify(dead) == -AMALGAM_EAGAIN);
    MUST(amalgam_tunnel_wait(2, 0) == -AMALGAM_ENOENT && amalgam_tunnel_wait(16, 0) == -AMALGAM_ERANGE &&
         amalgam_tunnel_wait(dead, 0) == -AMALGAM_ETIMEDOUT);
    MUST(amalgam_tunnel_call(2, 0) == -AMALGAM_ENOENT && amalgam_tunnel_call(16, 0) == -AMALGAM_ERANGE &&
         amalgam_tunnel_call(dead, 0) == -AMALGAM_EAGAIN);
    MUST(amalgam_tunnel_wait(index, in(SECOND / 100)) == -AMALGAM_ETIMEDOUT);
    ((struct tunnel_box *)tunnel.memory)->seq++;
    MUST(amalgam_tunnel_call(index, in(10 * SECOND)) == 0); /* a `pong` answers at the other end */

    /* A wake on any word must not end a wait for the doorbell. */
    result = 1;
    MUST(pthread_create(&other, NULL, wait_a_little, NULL) == 0);
    while (!__atomic_load_n(&result, __ATOMIC_ACQUIRE) || result == 1)
        for (uint64_t at = TUNNELS; at < TUNNELS + (16ul << 20); at += 1ul << 20)
            for (unsigned odd = 1; odd < 4; odd++)
                MUST(amalgam_wake((uint32_t *)(uintptr_t)(at + odd), 64) == 0);
    MUST(result == -AMALGAM_ETIMEDOUT && pthread_join(other, NULL) == 0);
    MUST(amalgam_wake((uint32_t *)(TUNNELS + (16ul << 20)), 1) == 0 && amalgam_wake((uint32_t *)-4ul, 1) == 0);
    puts("tunnel: right");
}

/* Wait until the tunnel is withdrawn; the peer may end before. */
static void *wait_for_good(void *unused)
{
    int64_t r;
    do
        r = amalgam_tunnel_wait(tunnel.index, AMALGAM_NEVER);
    while (r == -AMALGAM_EPIPE);
    __atomic_store_n(&result, r, __ATOMIC_RELEASE);
    return unused;
}

static void await_state(int state)
{
    while (amalgam_tunnel_info(tunnel.index, AMALGAM_TUNNEL_INFO_STATE) != state)
        amalgam_sleep_until(in(SECOND / 100));
}

static void lost(void)
{
    pthread_t other;
    uint32_t *word = tunnel.memory;
    word[5] = 12345;
    result = 1;
    MUST(pthread_create(&other, NULL, wait_for_good, NULL) == 0);
    puts("tunnel: here");
    await_state(0);
    MUST(pthread_join(other, NULL) == 0 && result == -AMALGAM_EACCES);
    MUST(amalgam_tunnel_notify(tunnel.index) == -AMALGAM_EACCES &&
         amalgam_tunnel_wait(tunnel.index, 0) == -AMALGAM_EACCES);
    MUST(amalgam_tunnel_call(tunnel.index, 0) == -AMALGAM_EACCES && amalgam_wait(word, 0, 0) == -AMALGAM_EFAULT);
    MUST(amalgam_wake(word, 1) == 0 && amalgam_tunnel_open(tunnel.index, &tunnel) == -AMALGAM_EACCES);
    puts("tunnel: gone");
    await_state(1);
    MUST(word[5] == 12345 && amalgam_tunnel_open(tunnel.index, &tunnel) == 0);
    puts("tunnel: back");
    for (;;)
        ++*(volatile uint32_t *)word; /* write without a call, until the tunnel is withdrawn once more: a fault */
}

/* --- the peer ends ---------------------------------------------------------------------------------------------- */

static void *wait_at_a_word(void *unused)
{
    result = amalgam_wait((uint32_t *)tunnel.memory + 1, 0, AMALGAM_NEVER);
    return unused;
}

static void left(void)
{
    pthread_t other;
    for (unsigned n = 1;; n++) {
        MUST(pthread_create(&other, NULL, wait_at_a_word, NULL) == 0);
        MUST(amalgam_tunnel_wait(tunnel.index, AMALGAM_NEVER) == -AMALGAM_EPIPE);
        int64_t running = amalgam_tunnel_info(tunnel.index, AMALGAM_TUNNEL_INFO_RUNNING);
        MUST(pthread_join(other, NULL) == 0 && result == -AMALGAM_EPIPE);
        MUST(amalgam_tunnel_wait(tunnel.index, in(SECOND / 100)) == -AMALGAM_ETIMEDOUT); /* the end is reported once */
        printf("tunnel: left n=%u running=%d\n", n, (int)running);
    }
}

static unsigned long number(int argc, char **argv, int i, unsigned long otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "pong";
    uint32_t index = (uint32_t)number(argc, argv, 2, 0);
    int64_t error = amalgam_tunnel_open(index, &tunnel);
    if (error) {
        printf("tunnel: there is no tunnel %u: error %d\n", (unsigned)index, (int)-error);
        return 1;
    }
    printf("tunnel: %s at %p, %zu bytes, rights %u\n", role, tunnel.memory, tunnel.size, (unsigned)tunnel.rights);
    if (!strcmp(role, "pong"))
        pong();
    else if (!strcmp(role, "ping"))
        ping(number(argc, argv, 3, 1000), (uint32_t)number(argc, argv, 4, 64) % TUNNEL_BOX_DATA,
             number(argc, argv, 5, 0));
    else if (!strcmp(role, "turn"))
        turn(number(argc, argv, 3, 1000), (uint32_t)number(argc, argv, 4, 0));
    else if (!strcmp(role, "check"))
        check(index, (uint32_t)number(argc, argv, 3, 1));
    else if (!strcmp(role, "lost"))
        lost();
    else if (!strcmp(role, "left"))
        left();
    else if (!strcmp(role, "touch"))
        *(volatile uint32_t *)tunnel.memory = 1;
    return 0;
}
