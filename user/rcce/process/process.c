/* SPDX-License-Identifier: MIT */
/*
 * process.c - RCCE in a process. The library finds buffers and shared memory mapped (process/chip.h) and works on them
 * itself; the kernel is asked for time and sleep only. What a native program is told by its kernel is put together
 * here.
 *
 * The linker puts __wrap_main() in the place of main() (tools/amalgam/artifacts/rcce.py), which gets RCCE's arguments
 * before its own: the number of UEs, the clock, their cores.
 */
#include <amalgam/calls.h>
#include <process/chip.h>
#include <stdio.h>
#include <stdlib.h>

#include "../rcce.h"

#define REST_NS        20000 /* as kernel/native/calls.c */
#define EXIT_NO_MEMORY 127

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static void NATIVE_CALL rest(void) { amalgam_sleep_until((uint64_t)amalgam_clock() + REST_NS); }

static const struct chip_info *const info = (const struct chip_info *)CHIP_INFO;
static uint32_t met[RCCE_MAXNP];

static uint32_t NATIVE_CALL lost(void);
static bool NATIVE_CALL up(uint32_t core) { return core < RCCE_MAXNP && info->chosen[core / 32] >> core % 32 & 1; }

static struct native_calls calls = { .version = NATIVE_VERSION,
                                     .mpb_size = CHIP_MPB_SIZE,
                                     .rest = rest,
                                     .up = up,
                                     .lost = lost,
                                     .kernels = (const volatile uint32_t *)CHIP_LIVES,
                                     .met = met };

static uint32_t NATIVE_CALL lost(void) { return native_find_lost(&calls); }

static char numbers[RCCE_MAXNP + 1][12];

static char *number(unsigned place, unsigned value)
{
    snprintf(numbers[place], sizeof(numbers[place]), "%02u", value);
    return numbers[place];
}

/* Returns the arguments with RCCE's own, and their number. */
static char **with_hosts(int *argc, char **argv)
{
    unsigned n = 0, to = 0;
    static char clock[] = "1.0";
    char **made = calloc((size_t)*argc + RCCE_MAXNP + 4, sizeof(*made));
    if (!made)
        return NULL;
    made[to++] = argv[0];
    made[to++] = number(RCCE_MAXNP, 0);
    made[to++] = clock;
    for (unsigned core = 0; core < RCCE_MAXNP; core++)
        if (info->ues[core / 32] >> core % 32 & 1)
            made[to++] = number(n++, core);
    number(RCCE_MAXNP, n);
    for (int i = 1; i < *argc; i++)
        made[to++] = argv[i];
    *argc = (int)to;
    return made;
}

int __wrap_main(int argc, char **argv)
{
    if (info->version != CHIP_VERSION || !info->shared_size) {
        puts("rcce: the process has no memory of the chip: say 'shared: 64K' in the system file");
        return EXIT_NO_MEMORY;
    }
    calls.core = info->core;
    calls.cores = info->cores;
    calls.khz = info->khz;
    calls.mpb = (char *)CHIP_MPB;
    calls.shared = (char *)CHIP_SHARED;
    calls.shared_size = info->shared_size;
    rcce.calls = &calls;
    char **made = with_hosts(&argc, argv);
    if (!made) {
        puts("rcce: no memory for the arguments: give the process more 'memory'");
        return EXIT_NO_MEMORY;
    }
    return __real_main(argc, made);
}
