/* SPDX-License-Identifier: MIT */
/*
 * random.c - numbers that an outsider cannot guess: from getrandom(), where the board has a source (docs/library.md).
 * Elsewhere they begin with the time, and are guessable by who knows when the program began (docs/network.md).
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "hooks.h"
#include "lwip/sys.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t key[2];
static uint32_t number; /* how many were drawn; as it comes round, the time is another one */

static void draw_key(void)
{
    struct timespec t;
    if (getrandom(key, sizeof key, 0) == (ssize_t)sizeof key)
        return;
    clock_gettime(CLOCK_REALTIME, &t);
    key[0] = (uint64_t)t.tv_sec * 1000000007 + (uint64_t)t.tv_nsec;
    clock_gettime(CLOCK_MONOTONIC, &t);
    key[1] = (uint64_t)t.tv_sec * 998244353 + (uint64_t)t.tv_nsec;
}

static inline uint64_t turned(uint64_t x, unsigned n) { return x << n | x >> (64 - n); }

static void mix(uint64_t v[4])
{
    v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
    v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012) of whole words. */
static uint64_t hash(const uint64_t *words, unsigned n)
{
    pthread_once(&once, draw_key);
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                      key[1] ^ 0x7465646279746573 };
    for (unsigned i = 0; i <= n; i++) {
        uint64_t m = i < n ? words[i] : (uint64_t)n * 8 << 56;
        v[3] ^= m;
        mix(v), mix(v);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    mix(v), mix(v), mix(v), mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint32_t net_random(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t words[2] = { __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED), (uint64_t)t.tv_sec };
    return (uint32_t)hash(words, 2);
}

static void words_of(uint64_t to[2], const ip_addr_t *address)
{
    to[0] = to[1] = 0;
    if (IP_IS_V6(address))
        memcpy(to, ip_2_ip6(address)->addr, 16);
    else
        to[0] = ip4_addr_get_u32(ip_2_ip4(address));
}

/* RFC 6528: a clock of 4 us, and a number of the connection's own. */
u32_t net_first_number(const ip_addr_t *own, u16_t own_port, const ip_addr_t *other, u16_t other_port)
{
    uint64_t words[5] = { 0, 0, 0, 0, (uint64_t)own_port << 16 | other_port };
    struct timespec t;
    words_of(words, own);
    words_of(words + 2, other);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u32_t)((uint64_t)t.tv_sec * 250000 + (uint64_t)t.tv_nsec / 4000 + hash(words, 5));
}
