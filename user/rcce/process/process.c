/* SPDX-License-Identifier: MIT */
/*
 * process.c - RCCE in a process, or in a program of a Linux that joins one. The library works on buffers and shared
 * memory itself; chip.c, or ../linux/chip.c, finds them. What a native program is told by its kernel is put together
 * here.
 *
 * The linker puts __wrap_main() in the place of main() (tools/amalgam/artifacts/rcce.py), which gets RCCE's arguments
 * before its own: the number of UEs, the clock, their cores. With RCCE=again in the environment main() is called again
 * whenever it has returned 0: so who runs one of the UEs from a shell meets the others each time. If one leaves a run
 * in the middle it is a fault there, after which a process may be started again by its system file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "found.h"
#include "left.h"

#define EXIT_NO_MEMORY 127

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static struct chip_memory chip;
static uint32_t met[RCCE_MAXNP];

static uint32_t NATIVE_CALL lost(void);
static bool NATIVE_CALL up(uint32_t core) { return core < RCCE_MAXNP && chip.info->chosen[core / 32] >> core % 32 & 1; }

static struct native_calls calls = {
    .version = NATIVE_VERSION, .mpb_size = CHIP_MPB_SIZE, .rest = chip_rest, .up = up, .lost = lost, .met = met
};

/* Returns whether main() is to be called again, if it ends well. */
static bool again(void)
{
    const char *said = getenv("RCCE");
    return said && !strcmp(said, "again");
}

/* A UE's program may be killed, or a guest's begin a new life, while its core's kernel lives. */
static uint32_t NATIVE_CALL lost(void)
{
    u32 dead = native_find_lost(&calls), left = dead ? 0 : rcce_left();
    if (!left)
        return dead;
    printf("rcce: the program of core %u has left this run: it ends here, too\n", (unsigned)(left - 1));
    fflush(stdout);
    if (again())
        __builtin_trap();
    rcce_end();
}

static const char no_memory[] = "rcce: no memory for the arguments: give the process more 'memory'";
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
        if (chip.info->ues[core / 32] >> core % 32 & 1)
            made[to++] = number(n++, core);
    number(RCCE_MAXNP, n);
    for (int i = 1; i < *argc; i++)
        made[to++] = argv[i];
    *argc = (int)to;
    return made;
}

int __wrap_main(int argc, char **argv)
{
    int status;
    if (!chip_open(&chip))
        return EXIT_NO_MEMORY;
    calls.core = chip.info->core;
    calls.cores = chip.info->cores;
    calls.khz = chip.info->khz;
    calls.kernels = chip.lives;
    calls.mpb = chip.mpb;
    calls.shared = chip.shared;
    calls.shared_size = chip.info->shared_size;
    rcce.calls = &calls;
    char **made = with_hosts(&argc, argv);
    if (!made) {
        puts(no_memory);
        return EXIT_NO_MEMORY;
    }
    size_t n = (size_t)(argc + 1) * sizeof(*made);
    char **own = malloc(n); /* RCCE_init() writes to its arguments */
    if (!own) {
        puts(no_memory);
        return EXIT_NO_MEMORY;
    }
    do {
        memcpy(own, made, n);
        status = __real_main(argc, own);
        fflush(stdout);
    } while (!status && again());
    return status;
}
