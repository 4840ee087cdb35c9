/* SPDX-License-Identifier: MIT */
/*
 * random.c - getrandom() and getentropy(): numbers of the processor's RDRAND (Intel SDM vol. 1, 7.3.17). A process
 * reaches no other source; a processor without RDRAND, and RISC-V, has ENOSYS instead of guessable bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

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

static int fill(unsigned char *to, size_t n)
{
    if (!has_source()) {
        errno = ENOSYS;
        return -1;
    }
    while (n) {
        uint64_t number;
        size_t part = n < sizeof number ? n : sizeof number;
        if (!draw(&number)) {
            errno = EIO;
            return -1;
        }
        memcpy(to, &number, part);
        to += part;
        n -= part;
    }
    return 0;
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
