/* SPDX-License-Identifier: MIT */
/*
 * spawncost.c - what it costs to start a program, for bench/spawn, in ticks of the time stamp counter, which under
 * icount are instructions. Prints lines `bench NAME MINIMUM MEDIAN SAMPLES`. Its program is its own file, /spawncost,
 * of 64 KiB, which it has in memory; `spawncost child` is what it starts.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "spawncost"
#include "../../include/await_end.h"
#include "../../../user/programs/must.h"
#include "../../include/ticks.h"

#define PAGE    4096u
#define LARGEST (80u << 10)
#define LEAST   (64u << 10)
#define WARM    8
#define SAMPLES 1000

static const char filling[44 << 10] = { 1 }; /* 64 KiB with the rest */
static const char *volatile kept = filling;
static _Alignas(PAGE) char image[LARGEST];
static _Alignas(PAGE) volatile uint64_t page[PAGE / sizeof(uint64_t)]; /* [0]: when main() was called */

static uint32_t read_image(void)
{
    int file = open("/spawncost", O_RDONLY);
    MUST(file >= 0 && *kept);
    ssize_t n = read(file, image, LARGEST);
    MUST(n >= (ssize_t)LEAST && n < (ssize_t)LARGEST);
    close(file);
    return (uint32_t)n;
}

static void report(const char *name, uint64_t *sample)
{
    qsort(sample, SAMPLES, sizeof *sample, by_size);
    printf("bench %s %lu %lu %u\n", name, sample[0], sample[SAMPLES / 2], SAMPLES);
}

int main(int argc, char **argv)
{
    uint64_t now = ticks();
    static uint64_t begun[SAMPLES], whole[SAMPLES];
    static const char texts[] = "spawncost\0child";
    if (argc > 1 && !strcmp(argv[1], "child")) {
        *(volatile uint64_t *)(uintptr_t)RESULT(amalgam_handle_map(0)) = now;
        return 0;
    }
    struct amalgam_program p = { .size = read_image(), .argc = 2, .length = sizeof texts, .texts = (uintptr_t)texts };
    p.image = (uint32_t)RESULT(amalgam_handle_memory(image, LARGEST, 0));
    p.n_handles = 1;
    p.handle[0] = (uint8_t)RESULT(amalgam_handle_memory((const void *)(uintptr_t)page, PAGE, 1));
    p.rights[0] = AMALGAM_HANDLE_READ | AMALGAM_HANDLE_WRITE;
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t before = ticks();
        await_end((uint32_t)RESULT(amalgam_spawn_start(&p)));
        uint64_t after = ticks();
        if (i >= 0) {
            begun[i] = page[0] - before;
            whole[i] = after - before;
        }
    }
    report("spawn", begun);
    report("spawn-end", whole);
    printf("spawncost: done\n");
    return 0;
}
