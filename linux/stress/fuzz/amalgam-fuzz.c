/* SPDX-License-Identifier: MIT */
/*
 * amalgam-fuzz.c - calls the module's devices with random and wrong arguments.
 *
 * amalgam-fuzz SEED STEPS IMAGE BASE SIZE: STEPS random calls, the same for the same SEED: every ioctl with valid, odd
 * and broken arguments and numbers, reads, writes, seeks, polls and mappings, in any state. IMAGE is a kernel image, so
 * that some loads succeed; [BASE, BASE+SIZE) is offline memory, so that some gifts succeed.
 *
 * amalgam-fuzz threads: one thread maps and unmaps the area while another one loads from memory that is not paged in.
 *
 * The only check is that each call returns. At the end everything is taken back, and the numbers of calls of each kind
 * that succeeded and failed are printed, so that a test sees that not all of them were refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uapi.h"

#define FILES  6
#define MAPS   4
#define CPUS   8
#define PAGE   4096ul
#define BUFFER (4 * PAGE)

static uint64_t state;
static int file[FILES]; /* -1: closed; those with an odd index are of /dev/amalgam-split */
static struct {
    void *at;
    size_t size;
} map[MAPS];
static unsigned char *buffer; /* BUFFER bytes; the page behind them is unmapped */
static void *image;
static uint64_t image_size, base, size;

static const unsigned long calls[] = { AMALGAM_LOAD,      AMALGAM_UNLOAD,   AMALGAM_ATTACH,   AMALGAM_DETACH,
                                       AMALGAM_STATUS,    AMALGAM_CPU_GIVE, AMALGAM_CPU_TAKE, AMALGAM_CPU_STATE,
                                       AMALGAM_MEM_GIVE,  AMALGAM_MEM_TAKE, AMALGAM_WHY,      AMALGAM_MEM_WRITE,
                                       AMALGAM_MEM_CLAIM, AMALGAM_HELD };
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))
static const char *const names[] = { "load",      "unload",    "attach",   "detach",   "status", "cpu_give",
                                     "cpu_take",  "cpu_state", "mem_give", "mem_take", "why",    "mem_write",
                                     "mem_claim", "held",      "other",    "read",     "write",  "mmap" };
enum { OTHER = N_CALLS, READ, WRITE, MMAP, KINDS };
static unsigned passed[KINDS], failed[KINDS];

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static uint64_t below(uint64_t n) { return draw() % n; }

static void count(unsigned kind, long result) { (result < 0 ? failed : passed)[kind]++; }

static uint64_t number(void)
{
    static const uint64_t odd[] = { 0,          1,          0xfee00000,         ~0ull,
                                    1ull << 63, 1ull << 47, 0xffffffff80000000, 0xfffffffffffff000 };
    switch (below(6)) {
    case 0: return odd[below(sizeof(odd) / sizeof(odd[0]))];
    case 1: return draw();
    case 2: return below(CPUS);
    case 3: return base + below(4) * (2ull << 20);
    case 4: return below(4) ? size : below(64) << 20;
    default: return draw() >> below(64);
    }
}

/* Returns a pointer into the buffer, across its end, behind it, to anywhere, or NULL. */
static void *pointer(void)
{
    switch (below(8)) {
    case 0: return NULL;
    case 1: return buffer + BUFFER - below(64);
    case 2: return buffer + BUFFER;
    case 3: return (void *)number();
    default: return buffer + below(PAGE);
    }
}

/* Write valid arguments for the call. */
static void fill(unsigned long call, void *at)
{
    struct amalgam_range range = { base, size };
    struct amalgam_cpu cpu = { 1 + (uint32_t)below(3), 0 };
    struct amalgam_load load = { (uintptr_t)image, image_size, below(2) ? 0 : below(32) << 20 };
    struct amalgam_write data = { base + below(size / 2), below(below(2) ? BUFFER : size / 2), (uintptr_t)buffer };
    if (call == AMALGAM_MEM_GIVE || call == AMALGAM_MEM_TAKE || call == AMALGAM_MEM_CLAIM)
        memcpy(at, &range, sizeof(range));
    if (call == AMALGAM_CPU_GIVE || call == AMALGAM_CPU_TAKE || call == AMALGAM_CPU_STATE)
        memcpy(at, &cpu, sizeof(cpu));
    if (call == AMALGAM_HELD)
        *(uint32_t *)at = (uint32_t)below(4);
    if (call == AMALGAM_LOAD)
        memcpy(at, &load, sizeof(load));
    if (call == AMALGAM_MEM_WRITE)
        memcpy(at, &data, sizeof(data));
}

static void step_ioctl(int fd)
{
    unsigned which = (unsigned)below(N_CALLS);
    unsigned long call = calls[which];
    uint64_t *word = (uint64_t *)buffer;
    void *at = buffer;
    for (unsigned i = 0; i < 8; i++)
        word[i] = number();
    if (below(4))
        fill(call, buffer);
    else if (below(2))
        buffer[below(32)] ^= (unsigned char)(1u << below(8));
    if (!below(5))
        at = pointer();
    if (!below(8)) {
        call ^= 1ul << below(32);
        which = OTHER;
    }
    if (!below(64)) {
        call = draw();
        which = OTHER;
    }
    count(which, ioctl(fd, call, at));
}

static void step_map(int fd)
{
    unsigned i = (unsigned)below(MAPS);
    if (map[i].at) {
        if (below(2))
            (void)!write(fd, map[i].at, below(2 * PAGE)); /* the mapped area as the source of a write */
        size_t part = below(4) || map[i].size <= PAGE ? map[i].size : PAGE;
        munmap(map[i].at, part);
        map[i].size -= part;
        map[i].at = map[i].size ? (char *)map[i].at + part : NULL;
        return;
    }
    size_t bytes = below(3) ? (1 + below(8)) * PAGE : below(1ull << 26) + 1;
    off_t offset = (off_t)(below(3) ? below(600) * PAGE : number() & ~(PAGE - 1));
    void *at = mmap(NULL, bytes, (int)below(8), below(4) ? MAP_SHARED : MAP_PRIVATE, fd, offset);
    count(MMAP, at == MAP_FAILED ? -1 : 0);
    if (at != MAP_FAILED) {
        map[i].at = at;
        map[i].size = (bytes + PAGE - 1) & ~(PAGE - 1);
    }
}

static void reopen(unsigned i)
{
    if (file[i] >= 0)
        close(file[i]);
    file[i] = below(8) ? open(i % 2 ? "/dev/amalgam-split" : "/dev/amalgam", O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
}

static void step(void)
{
    unsigned i = (unsigned)below(FILES);
    struct pollfd p = { .fd = file[i], .events = (short)draw() };
    switch (below(16)) {
    case 0: reopen(i); break;
    case 1: count(READ, read(file[i], pointer(), below(2 * BUFFER))); break;
    case 2: count(WRITE, write(file[i], pointer(), below(300))); break;
    case 3: lseek(file[i], (off_t)(below(2) ? 0 : number()), (int)below(5)); break;
    case 4: poll(&p, 1, 0); break;
    case 5: step_map(file[i]); break;
    default: step_ioctl(file[i]);
    }
}

/* Take everything back, in whatever state it is, and print the counts. */
static int end(void)
{
    struct amalgam_range range = { base, size };
    struct amalgam_status s;
    for (unsigned i = 0; i < MAPS; i++)
        if (map[i].at)
            munmap(map[i].at, map[i].size);
    for (unsigned i = 0; i < FILES; i++)
        if (file[i] >= 0)
            close(file[i]);
    int fd = open("/dev/amalgam", O_RDWR | O_NONBLOCK);
    for (unsigned again = 0; again < 2; again++) /* twice, because the kernel's core 0 can only leave last */
        for (uint32_t i = CPUS; i-- > 1;) {
            struct amalgam_cpu cpu = { i, 0 };
            ioctl(fd, AMALGAM_CPU_TAKE, &cpu);
        }
    ioctl(fd, AMALGAM_MEM_TAKE, &range);
    ioctl(fd, AMALGAM_DETACH, buffer);
    ioctl(fd, AMALGAM_UNLOAD, 0);
    if (ioctl(fd, AMALGAM_STATUS, &s) || s.state != AMALGAM_EMPTY) {
        fprintf(stderr, "fuzz: state %u at the end, %u cores, %llu bytes given\n", s.state, s.cores, s.given);
        return 1;
    }
    for (unsigned i = 0; i < KINDS; i++)
        printf("%s %u %u\n", names[i], passed[i], failed[i]);
    return 0;
}

static int prepare(char **word)
{
    struct stat about;
    int fd = open(word[3], O_RDONLY);
    state = strtoull(word[1], NULL, 0);
    base = strtoull(word[4], NULL, 0);
    size = strtoull(word[5], NULL, 0);
    if (fd < 0 || fstat(fd, &about) || !size)
        return 1;
    image_size = (uint64_t)about.st_size;
    image = mmap(NULL, image_size, PROT_READ, MAP_PRIVATE, fd, 0);
    buffer = mmap(NULL, BUFFER + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image == MAP_FAILED || buffer == MAP_FAILED || munmap(buffer + BUFFER, PAGE))
        return 1;
    for (unsigned i = 0; i < FILES; i++) {
        file[i] = -1;
        reopen(i);
    }
    return 0;
}

#define LOADS  40
#define LENGTH (3ul << 20)

static bool over;

static void *map_often(void *unused)
{
    int fd = open("/dev/amalgam-split", O_RDWR | O_CLOEXEC);
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        void *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED)
            munmap(at, PAGE);
    }
    close(fd);
    return NULL;
}

/* Load an image of zeros, whose pages are all paged in while the call holds its locks. */
static int threads(void)
{
    pthread_t other;
    int fd = open("/dev/amalgam", O_RDWR | O_CLOEXEC), refusals = 0;
    if (fd < 0 || pthread_create(&other, NULL, map_often, NULL))
        return 1;
    for (unsigned i = 0; i < LOADS; i++) {
        void *nothing = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        struct amalgam_load load = { (uintptr_t)nothing, LENGTH, 0 };
        refusals += ioctl(fd, AMALGAM_LOAD, &load) && errno == ENOEXEC;
        munmap(nothing, LENGTH);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    return refusals != LOADS;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "threads"))
        return threads();
    if (argc != 6 || prepare(argv)) {
        fprintf(stderr, "usage: amalgam-fuzz SEED STEPS IMAGE BASE SIZE: %s\n", strerror(errno));
        return 2;
    }
    for (uint64_t n = strtoull(argv[2], NULL, 0); n; n--)
        step();
    return end();
}
