/* SPDX-License-Identifier: MIT */
/*
 * handles.c - processes that pass memory on by handles (docs/handles.md).
 *   handles giver ROUNDS   shares pages with the processes at its two channels, and withdraws them while they read:
 *                          first the one that reads, which ends by that, then the one that asks. After each round the
 *                          pages are its own, as if nobody had had them.
 *   handles reader         maps what it receives, and reads until it is gone, which ends it; it begins anew each time
 *   handles asker          maps what it receives, asks for it until it is withdrawn, and says how that was answered
 *   handles wrong          makes each call in each wrong way, alone but for a channel to a process that does not run
 *   handles hostile STEPS  random calls of handles, by two threads; the process at its channel does the same
 */
#include <amalgam/handle.h>
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <string.h>

#define PROGRAM "handles"
#include "../../user/programs/must.h"

#define PAGE    4096u
#define PAGES   40u
#define HANDLES 32u

static _Alignas(PAGE) unsigned char memory[PAGES * PAGE];

/* The giver and its peers. In the channel's memory: what a round asks for, and what the peer has to say. */
struct round {
    uint32_t number, pages, answer;
};

static volatile struct round *round_of(uint32_t index)
{
    struct amalgam_tunnel t;
    MUST(!amalgam_tunnel_open(index, &t));
    return t.memory;
}

/* Send the handle to a peer, in whatever life that is. */
static void send_to(uint32_t peer, int64_t handle, unsigned rights, uint32_t number, uint32_t pages)
{
    volatile struct round *r = round_of(peer);
    int64_t err;
    r->number = number;
    r->pages = pages;
    __atomic_store_n(&r->answer, 0, __ATOMIC_SEQ_CST);
    while ((err = amalgam_handle_send(peer, (unsigned)handle, rights)) == -AMALGAM_EPIPE)
        amalgam_sleep_until(amalgam_clock() + 1000000);
    RESULT(err);
    amalgam_tunnel_notify(peer);
}

static void await(uint32_t peer, uint32_t answer)
{
    volatile struct round *r = round_of(peer);
    while (__atomic_load_n(&r->answer, __ATOMIC_SEQ_CST) != answer)
        amalgam_tunnel_wait(peer, amalgam_clock() + 1000000);
}

static void say(uint32_t peer, uint32_t answer)
{
    __atomic_store_n(&round_of(peer)->answer, answer, __ATOMIC_SEQ_CST);
    amalgam_tunnel_notify(peer);
}

static unsigned char byte_of(uint32_t number, uint32_t page) { return (unsigned char)(number * 7 + page + 1); }

static void fill(uint32_t number, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        memset(memory + i * PAGE, byte_of(number, i), PAGE);
}

static void check(const volatile unsigned char *at, uint32_t number, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        MUST(at[i * PAGE] == byte_of(number, i) && at[(i + 1) * PAGE - 1] == byte_of(number, i));
}

#define READER 0u
#define ASKER  1u
#define BEGUN  3u /* what the reader answers first in each life: what was sent to the one before ended with that */

static void give(uint32_t peer, uint32_t number, uint32_t pages)
{
    unsigned rights = AMALGAM_HANDLE_READ | (peer == ASKER ? AMALGAM_HANDLE_WRITE : 0);
    fill(number, pages);
    if (peer == READER)
        await(peer, BEGUN);
    int64_t mine = RESULT(amalgam_handle_memory(memory, pages * PAGE, peer == ASKER));
    send_to(peer, mine, rights, number, pages);
    await(peer, 1);
    if (peer == ASKER)
        MUST(memory[0] == 0xa5); /* it has written there */
    RESULT(amalgam_handle_close((unsigned)mine));
    fill(number + 1, pages);
    if (peer == ASKER)
        await(peer, 2);
    check(memory, number + 1, pages);
}

static void giver(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        give(READER, i, 1 + i * 7 % PAGES);
        give(ASKER, i, 1 + i * 5 % PAGES);
    }
    await(READER, BEGUN); /* after its last end */
    puts("handles: given and withdrawn, right");
}

static unsigned receive(void)
{
    int64_t got;
    while ((got = amalgam_handle_receive(0)) == -AMALGAM_EAGAIN)
        amalgam_tunnel_wait(0, amalgam_clock() + 10000000);
    return (unsigned)RESULT(got);
}

static void reader(void)
{
    say(0, BEGUN);
    const volatile unsigned char *at = (void *)(uintptr_t)RESULT(amalgam_handle_map(receive()));
    uint32_t number = round_of(0)->number, pages = round_of(0)->pages;
    check(at, number, pages);
    printf("handles: reads %u pages at %p\n", (unsigned)pages, (void *)(uintptr_t)at);
    say(0, 1);
    for (;;)
        MUST(at[(pages - 1) * PAGE] == byte_of(number, pages - 1)); /* never what the giver writes afterwards */
}

static void asker(void)
{
    for (;;) {
        unsigned handle = receive();
        volatile unsigned char *at = (void *)(uintptr_t)RESULT(amalgam_handle_map(handle));
        uint32_t number = round_of(0)->number, pages = round_of(0)->pages;
        check(at, number, pages);
        MUST(amalgam_handle_info(handle, AMALGAM_HANDLE_INFO_SIZE) == pages * PAGE);
        MUST(amalgam_handle_map(handle) == -AMALGAM_EEXIST);
        at[0] = 0xa5;
        say(0, 1);
        while (RESULT(amalgam_handle_info(handle, AMALGAM_HANDLE_INFO_VALID)))
            amalgam_yield();
        MUST(amalgam_handle_map(handle) == -AMALGAM_ESTALE);
        MUST(!amalgam_handle_close(handle) && amalgam_handle_close(handle) == -AMALGAM_EBADF);
        say(0, 2);
    }
}

/* Calls */

static void wrong(void)
{
    const unsigned all = AMALGAM_HANDLE_READ | AMALGAM_HANDLE_WRITE | AMALGAM_HANDLE_SEND;
    MUST(amalgam_handle_info(0, AMALGAM_HANDLE_INFO_KIND) == 1);
    MUST(amalgam_handle_info(0, AMALGAM_HANDLE_INFO_RIGHTS) == 3);
    MUST(amalgam_handle_info(0, (enum amalgam_handle_info)4) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_info(1, AMALGAM_HANDLE_INFO_KIND) == -AMALGAM_EBADF);
    MUST(amalgam_handle_info(HANDLES, AMALGAM_HANDLE_INFO_KIND) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_close(1) == -AMALGAM_EBADF && amalgam_handle_close(HANDLES) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_map(0) == -AMALGAM_EINVAL && amalgam_handle_map(1) == -AMALGAM_EBADF);
    MUST(amalgam_handle_memory(memory + 1, PAGE, 0) == -AMALGAM_EINVAL);
    MUST(amalgam_handle_memory(memory, PAGE + 1, 0) == -AMALGAM_EINVAL);
    MUST(amalgam_handle_memory(memory, 0, 0) == -AMALGAM_EINVAL);
    MUST(amalgam_handle_memory(memory, 0x101000, 0) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_memory(memory, PAGE, 2) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_memory(NULL, PAGE, 0) == -AMALGAM_EFAULT);
    MUST(amalgam_handle_memory((void *)((uintptr_t)memory + (16u << 20)), PAGE, 0) == -AMALGAM_EFAULT);
    unsigned mine = (unsigned)RESULT(amalgam_handle_memory(memory, PAGE, 1));
    unsigned read = (unsigned)RESULT(amalgam_handle_memory(memory, PAGE, 0));
    MUST(amalgam_handle_receive(0) == -AMALGAM_EAGAIN && amalgam_handle_receive(mine) == -AMALGAM_EINVAL);
    MUST(amalgam_handle_receive(9) == -AMALGAM_EBADF && amalgam_handle_receive(HANDLES) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_send(0, mine, all) == -AMALGAM_EPIPE);
    MUST(amalgam_handle_send(0, read, all) == -AMALGAM_EPERM);
    MUST(amalgam_handle_send(0, mine, all | AMALGAM_HANDLE_OWN) == -AMALGAM_EPERM);
    MUST(amalgam_handle_send(0, mine, 16) == -AMALGAM_ERANGE);
    MUST(amalgam_handle_send(0, 0, 0) == -AMALGAM_EPERM);
    MUST(amalgam_handle_send(0, 9, all) == -AMALGAM_EBADF && amalgam_handle_send(9, mine, all) == -AMALGAM_EBADF);
    MUST(amalgam_handle_send(mine, mine, all) == -AMALGAM_EINVAL);
    /* Its own memory, seen twice, and gone when it is closed; the page itself stays. */
    volatile unsigned char *at = (void *)(uintptr_t)RESULT(amalgam_handle_map(mine));
    at[5] = 77;
    MUST(memory[5] == 77);
    MUST(amalgam_protect(memory, PAGE, AMALGAM_PROTECT_EXEC) == -AMALGAM_EACCES);
    MUST(amalgam_unmap((void *)(uintptr_t)at, PAGE) == -AMALGAM_EFAULT);
    MUST(amalgam_handle_memory((void *)(uintptr_t)at, PAGE, 0) == -AMALGAM_EFAULT);
    MUST(!amalgam_handle_close(mine) && !amalgam_handle_close(read));
    MUST(memory[5] == 77);
    puts("handles: right");
}

static uint64_t state;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static unsigned number(void) { return (unsigned)(any() % 8 ? any() % 6 : any() % 8 ? any() % HANDLES : any()); }

/* Write where memory may be shown: in pages that it has or has not, so `fault` says whether it may. */
static void hostile_step(void)
{
    uintptr_t at = (uintptr_t)memory + any() % (PAGES + 2) * PAGE + (any() % 8 ? 0 : any() % PAGE);
    switch (any() % 8) {
    case 0:
    case 1: amalgam_call(AMALGAM_HANDLE_SEND, number(), number(), any() % 4 ? any() % 8 : any(), 0); break;
    case 2:
    case 3: amalgam_call(AMALGAM_HANDLE_RECEIVE, number(), 0, 0, 0); break;
    case 4: amalgam_call(AMALGAM_HANDLE_CLOSE, number(), 0, 0, 0); break;
    case 5: amalgam_call(AMALGAM_HANDLE_INFO, number(), any() % 6, 0, 0); break;
    case 6: amalgam_call(AMALGAM_HANDLE_MEMORY, at, any() % 8 ? any() % PAGES * PAGE : any(), any() % 3, 0); break;
    case 7: amalgam_call(AMALGAM_HANDLE_MAP, number(), 0, 0, 0); break;
    }
    if (any() % 64 == 0)
        amalgam_call(AMALGAM_UNMAP, (uintptr_t)memory + any() % PAGES * PAGE, PAGE, 0, 0);
    if (any() % 64 == 0)
        amalgam_call(AMALGAM_MAP, (uintptr_t)memory + any() % PAGES * PAGE, PAGE, AMALGAM_MAP_WRITE, 0);
}

static unsigned long steps;
static void *attack(void *unused)
{
    for (unsigned long i = 0; i < steps; i++)
        hostile_step();
    return unused;
}

static void hostile(unsigned long n)
{
    pthread_t other;
    state = amalgam_clock() | 1;
    steps = n;
    MUST(!pthread_create(&other, NULL, attack, NULL));
    attack(NULL);
    pthread_join(other, NULL);
    puts("handles: done");
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (!strcmp(role, "giver"))
        giver((uint32_t)n);
    else if (!strcmp(role, "reader"))
        reader();
    else if (!strcmp(role, "asker"))
        asker();
    else if (!strcmp(role, "wrong"))
        wrong();
    else if (!strcmp(role, "hostile"))
        hostile(n);
    else
        return 2;
    return 0;
}
