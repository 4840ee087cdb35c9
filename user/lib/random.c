/* SPDX-License-Identifier: MIT */
/*
 * random.c - getrandom() and getentropy(): numbers of the processor's RDRAND (Intel SDM vol. 1, 7.3.17), or else drawn
 * by ChaCha20 from bytes that the kernel gives each start of a process where its board has a source (AT_RANDOM).
 * Without both they fail with ENOSYS instead of giving guessable bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "../../kernel/include/chacha.h"
#include "lock.h"
#include "thread.h"

#define MOST_ENTROPY 256 /* bytes of one getentropy() */

#if defined(__x86_64__)
#include <cpuid.h>

#define TRIES 10 /* Intel's advice: then the processor's source has failed */

static bool has_source(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_RDRND;
}

/* Some processors of AMD answer with all bits set for ever: such a number is taken for none. */
static bool draw(uint64_t *number)
{
    for (int i = 0; i < TRIES; i++) {
        bool done;
        __asm__ volatile("rdrand %0" : "=r"(*number), "=@ccc"(done));
        if (done && *number != UINT64_MAX)
            return true;
    }
    return false;
}
#else
static bool has_source(void) { return false; }
static bool draw(uint64_t *number)
{
    (void)number;
    return false;
}
#endif

/* --- drawn from the kernel's bytes ------------------------------------------------------------------------------- */

static uint32_t lock, key[CHACHA_KEY];

/* With the lock. Returns whether there is a key: the kernel's bytes, which are cleared where they were. */
static bool has_key(void)
{
    static bool has;
    if (!has && program_random) {
        memcpy(key, program_random, sizeof key);
        memset(program_random, 0, sizeof key);
        has = true;
    }
    return has;
}

/* Returns ENOSYS without a key. A handler waits, so that it may draw, too. */
static int fill_drawn(unsigned char *to, size_t n)
{
    uint32_t out[CHACHA_KEY];
    handlers_hold();
    lock_take(&lock);
    int error = has_key() ? 0 : ENOSYS;
    for (size_t part; n && !error; to += part, n -= part) {
        part = n < sizeof out ? n : sizeof out;
        chacha_draw(key, out);
        memcpy(to, out, part);
    }
    lock_drop(&lock);
    handlers_let();
    return error;
}

static int fill_by_processor(unsigned char *to, size_t n)
{
    while (n) {
        uint64_t number;
        size_t part = n < sizeof number ? n : sizeof number;
        if (!draw(&number))
            return EIO;
        memcpy(to, &number, part);
        to += part;
        n -= part;
    }
    return 0;
}

static int fill(unsigned char *to, size_t n)
{
    int error = has_source() ? fill_by_processor(to, n) : fill_drawn(to, n);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    if (flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM)) {
        errno = EINVAL;
        return -1;
    }
    return fill(to, n) ? -1 : (ssize_t)n;
}

int getentropy(void *to, size_t n)
{
    if (n > MOST_ENTROPY) {
        errno = EIO;
        return -1;
    }
    return fill(to, n);
}
