/* SPDX-License-Identifier: MIT */
/*
 * capcost.c - grants a page and revokes it between marks, for bench/nanvix-servers (tools/plugin/clocks.c counts).
 *   capcost owner ROUNDS  its channel goes to the holder
 *   capcost holder        its threads compute on cores of their own, and do not call the kernel
 * Marks: 1 before the page is sent, 2 behind that; 3 before it is received, 4 when it is mapped; 5 before it is
 * revoked, 6 behind that.
 *
 * The holder's threads look at memory only, so under icount each would have 100 million instructions a turn, and
 * fifteen of them 1.5 thousand million for each answer to a revocation. Run it without, harts in turns (thread=single).
 */
#include <amalgam/pages.h>
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <string.h>

#define PROGRAM "capcost"
#include "../../../user/programs/mark.h"
#include "../../../user/programs/must.h"

#define PAGE    4096u
#define THREADS 15
#define PAUSE   20000 /* ns from one look at a word to the next */

static _Alignas(PAGE) unsigned char page[PAGE];

/* In the channel's memory: for which grant the holder waits, how many are mapped, and revoked; and a word of each of
 * its threads, so that the owner's clock is not behind those of harts that computed while it slept (clocks.c). */
struct said {
    uint32_t waits, mapped, revoked, at[THREADS];
};
static volatile struct said *said;

static void open_said(void)
{
    struct amalgam_tunnel t;
    MUST(!amalgam_tunnel_open(0, &t));
    said = t.memory;
}

static uint32_t begun;
static void *compute(void *at)
{
    __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
    for (;;)
        (*(volatile uint32_t *)at)++;
    return NULL;
}

static void await(const volatile uint32_t *word, uint32_t value)
{
    while (*word != value)
        amalgam_sleep_until(amalgam_clock() + PAUSE);
}

static void await_bell(void)
{
    while (amalgam_tunnel_wait(0, AMALGAM_NEVER))
        ;
}

static void holder(void)
{
    pthread_t others[THREADS - 1];
    for (unsigned i = 0; i < THREADS - 1; i++)
        MUST(!pthread_create(&others[i], NULL, compute, (void *)(uintptr_t)&said->at[i + 1]));
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < THREADS - 1)
        amalgam_yield();
    for (uint32_t round = 1;; round++) {
        said->waits = round;
        await_bell();
        MARK(3);
        unsigned got = (unsigned)amalgam_handle_receive(0);
        int64_t at = amalgam_handle_map(got);
        MARK(4);
        MUST(at > 0 && *(unsigned char *)(uintptr_t)at == (unsigned char)round);
        said->mapped = round;
        while (said->revoked != round)
            said->at[0]++;
        RESULT(amalgam_handle_close(got));
    }
}

static void owner(uint32_t rounds)
{
    unsigned mine = (unsigned)RESULT(amalgam_handle_memory(page, PAGE, 0));
    amalgam_sleep_until(amalgam_clock() + 10000000); /* the holder's threads compute */
    for (uint32_t round = 1; round <= rounds; round++) {
        memset(page, (int)round, PAGE);
        await(&said->waits, round);
        MARK(1);
        int64_t sent = amalgam_handle_send(0, mine, AMALGAM_HANDLE_READ);
        MARK(2);
        MUST(!sent && !amalgam_tunnel_notify(0));
        await(&said->mapped, round);
        amalgam_sleep_until(amalgam_clock() + 10 * PAUSE);
        for (unsigned i = 0; i < THREADS; i++)
            (void)said->at[i];
        MARK(5);
        int64_t revoked = amalgam_pages_revoke(mine);
        MARK(6);
        MUST(!revoked);
        said->revoked = round;
    }
    puts("capcost: done");
}

int main(int argc, char **argv)
{
    open_said();
    if (argc > 2 && !strcmp(argv[1], "owner"))
        owner((uint32_t)strtoul(argv[2], NULL, 10));
    else if (argc > 1 && !strcmp(argv[1], "holder"))
        holder();
    else
        return 2;
    return 0;
}
