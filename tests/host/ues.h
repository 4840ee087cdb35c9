/* SPDX-License-Identifier: MIT */
/*
 * ues.h - UEs of RCCE on the host: processes that share the message passing buffers and the off-chip memory, each with
 * the library's state of its own. ues(n, body) starts n, which call RCCE_init(), body and RCCE_finalize(); a check that
 * fails in one of them, or one that does not come to its end, fails the test.
 */
#ifndef AMALGAM_TESTS_UES_H
#define AMALGAM_TESTS_UES_H

#include <rcce.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define UES_CORES  48
#define UES_KERNEL 3072
#define UES_SHARED (1u << 20)
#define UES_TIME   60 /* seconds that a UE may take */

static char *ues_mpb, *ues_shared;
static int ues_failed;

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "UE %d: %s:%d: %s\n", rcce.ue, __FILE__, __LINE__, #what);                                 \
            ues_failed = 1;                                                                                            \
        }                                                                                                              \
    } while (0)

static void ues_rest(void) { sched_yield(); }
static void ues_write(const char *text, uint32_t bytes) { fwrite(text, 1, bytes, stderr); }
static bool ues_up(uint32_t core) { return core < UES_CORES; }
static uint32_t ues_lost(void) { return native_find_lost(rcce.calls); }
static uint32_t *ues_kernels; /* of each core: its kernel's number; shared */
static uint32_t ues_met[UES_CORES];
/* What UEs that begin ask and do. */
static uint32_t (*ues_asks)(void) = ues_lost;
static void (*ues_rests)(void) = ues_rest;
static void ues_exit(int status) { _exit(status); }

static struct native_calls ues_calls(unsigned core)
{
    return (struct native_calls){ .version = NATIVE_VERSION,
                                  .core = core,
                                  .cores = UES_CORES,
                                  .khz = 1000000,
                                  .mpb = ues_mpb,
                                  .mpb_size = RCCE_BUFF_SIZE_MAX,
                                  .mpb_kernel = UES_KERNEL,
                                  .shared = ues_shared,
                                  .shared_size = UES_SHARED,
                                  .write = ues_write,
                                  .rest = ues_rests,
                                  .up = ues_up,
                                  .exit = ues_exit,
                                  .lost = ues_asks,
                                  .kernels = ues_kernels,
                                  .met = ues_met };
}

/* As the launcher does: UE i is on core 2 i. */
static int ues_init(int n, int ue, int (*init)(int *, char ***))
{
    static struct native_calls calls;
    static char words[UES_CORES + 4][12], *argv[UES_CORES + 6];
    int argc = 0;
    calls = ues_calls((unsigned)ue * 2 % UES_CORES);
    rcce.calls = &calls;
    argv[argc++] = "program";
    snprintf(words[0], sizeof(words[0]), "%d", n);
    argv[argc++] = words[0];
    argv[argc++] = "1.0";
    for (int i = 0; i < n; i++) {
        snprintf(words[i + 1], sizeof(words[0]), "%02d", i * 2 % UES_CORES);
        argv[argc++] = words[i + 1];
    }
    argv[argc++] = "own";
    argv[argc] = NULL;
    char **at = argv;
    int error = init(&argc, &at);
    if (!error) {
        CHECK(argc == 2 && !strcmp(at[0], "program") && !strcmp(at[1], "own"));
        CHECK(RCCE_ue() == ue && RCCE_num_ues() == n);
    }
    return error;
}

static void ues_with(int n, void (*body)(void), int (*init)(int *, char ***))
{
    pid_t pid[UES_CORES];
    for (int i = 0; i < n; i++) {
        pid[i] = fork();
        if (pid[i])
            continue;
        alarm(UES_TIME);
        CHECK(ues_init(n, i, init) == RCCE_SUCCESS);
        body();
        CHECK(RCCE_finalize() == RCCE_SUCCESS);
        _exit(ues_failed);
    }
    int bad = 0;
    for (int i = 0; i < n; i++) {
        int status;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
}

static void ues(int n, void (*body)(void)) { ues_with(n, body, RCCE_init); }

static int ues_setup(void **state)
{
    (void)state;
    size_t mpb = UES_CORES * RCCE_BUFF_SIZE_MAX;
    ues_mpb = mmap(NULL, mpb + UES_SHARED + sizeof(ues_met), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ues_shared = ues_mpb + mpb;
    ues_kernels = (uint32_t *)(ues_shared + UES_SHARED);
    return ues_mpb == MAP_FAILED ? -1 : 0;
}

/* A test before may have failed. */
static int ues_clear(void **state)
{
    (void)state;
    memset(ues_mpb, 0, UES_CORES * RCCE_BUFF_SIZE_MAX + UES_SHARED);
    for (unsigned core = 0; core < UES_CORES; core++)
        ues_kernels[core] = 1;
    return 0;
}

#endif
