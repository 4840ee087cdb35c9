/* SPDX-License-Identifier: MIT */
/*
 * capabilities.c - three processes of one cluster and pages that one of them revokes (docs/handles.md).
 *   capabilities owner ROUNDS  grants its pages to the holder, and revokes them while the other two write there; its
 * channels: to the holder, to the third.
 *   capabilities holder        derives a part for the third, and writes to all pages, by each of its threads, without
 * ever calling the kernel, which ends it by a fault; its channels: to the owner, to the third.
 *   capabilities third         the same with the part; its channels: to the holder, to the owner.
 * Both begin anew each time; nothing that they write comes after the revocation.
 */
#include <amalgam/pages.h>
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <string.h>

#define PROGRAM "capabilities"
#include "../../user/programs/must.h"

#define PAGE    4096u
#define PAGES   8u
#define FIRST   2u /* page of the part, and how many it has */
#define PART    3u
#define THREADS 3u

static _Alignas(PAGE) unsigned char memory[PAGES * PAGE];

/* In a channel's memory: the lives of the process at the other end, whether this one writes, the first page's frame. */
struct said {
    uint32_t lives, writes, frame;
};

static volatile struct said *said_at(uint32_t index)
{
    struct amalgam_tunnel t;
    MUST(!amalgam_tunnel_open(index, &t));
    return t.memory;
}

static void await(const volatile uint32_t *word, uint32_t value)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        amalgam_sleep_until(amalgam_clock() + 20000);
}

static unsigned receive(uint32_t from)
{
    int64_t got;
    while ((got = amalgam_handle_receive(from)) == -AMALGAM_EAGAIN)
        amalgam_sleep_until(amalgam_clock() + 20000);
    return (unsigned)RESULT(got);
}

/* Returns the frame of a page that may be read and written. */
static uint32_t frame_at(const void *page)
{
    int64_t found = RESULT(amalgam_pages_inspect(page));
    MUST(amalgam_pages_rights(found) == (AMALGAM_PAGES_READ | AMALGAM_PAGES_WRITE));
    return amalgam_pages_frame(found);
}

/* Returns the handle's memory, and says which frame is its first. */
static volatile unsigned char *map(unsigned handle, volatile struct said *to)
{
    void *at = (void *)(uintptr_t)RESULT(amalgam_handle_map(handle));
    to->frame = frame_at(at);
    return at;
}

/* Write for ever, and never call the kernel. */
static volatile unsigned char *written;
static uint32_t pages, begun;
static void *write_on(void *unused)
{
    __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
    for (;;)
        for (uint32_t i = 0; i < pages; i++)
            written[i * PAGE + 8] = 0xa5;
    return unused;
}

static void holder(void)
{
    volatile struct said *owner = said_at(0), *third = said_at(1);
    pthread_t others[THREADS - 1];
    owner->lives++;
    await(&third->writes, 0);
    unsigned got = receive(0);
    written = map(got, owner);
    pages = PAGES;
    MUST(amalgam_pages_revoke(got) == -AMALGAM_EPERM);
    int64_t part = RESULT(amalgam_pages_derive(got, FIRST * PAGE, PART * PAGE, 7));
    MUST(amalgam_handle_info((unsigned)part, AMALGAM_HANDLE_INFO_SIZE) == PART * PAGE);
    int64_t err;
    while ((err = amalgam_handle_send(1, (unsigned)part, 3)) == -AMALGAM_EPIPE)
        amalgam_sleep_until(amalgam_clock() + 20000);
    RESULT(err);
    for (unsigned i = 0; i < THREADS - 1; i++)
        MUST(!pthread_create(&others[i], NULL, write_on, NULL));
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < THREADS - 1)
        amalgam_yield();
    __atomic_store_n(&owner->writes, 1, __ATOMIC_SEQ_CST);
    write_on(NULL);
}

static void third(void)
{
    volatile struct said *holder = said_at(0), *owner = said_at(1);
    __atomic_store_n(&holder->writes, 0, __ATOMIC_SEQ_CST);
    owner->lives++;
    written = map(receive(0), owner);
    pages = PART;
    __atomic_store_n(&holder->writes, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&owner->writes, 1, __ATOMIC_SEQ_CST);
    write_on(NULL);
}

static void owner_round(unsigned mine, uint32_t round)
{
    volatile struct said *of[2] = { said_at(0), said_at(1) };
    uint32_t lives[2];
    for (unsigned i = 0; i < 2; i++) {
        await(&of[i]->lives, round + 1);
        lives[i] = of[i]->lives;
        of[i]->writes = 0;
    }
    RESULT(amalgam_handle_send(0, mine, 7));
    for (unsigned i = 0; i < 2; i++)
        await(&of[i]->writes, 1);
    MUST(of[0]->frame == frame_at(memory) && of[1]->frame == frame_at(memory + FIRST * PAGE));
    while (memory[8] != 0xa5 || memory[FIRST * PAGE + 8] != 0xa5)
        ;
    RESULT(amalgam_pages_revoke(mine));
    memset(memory, (int)round + 1, sizeof(memory));
    for (unsigned i = 0; i < 2; i++)
        await(&of[i]->lives, lives[i] + 1); /* it has ended by a fault */
    for (uint32_t i = 0; i < sizeof(memory); i++)
        MUST(memory[i] == round + 1);
}

static void owner(uint32_t rounds)
{
    unsigned mine = (unsigned)RESULT(amalgam_handle_memory(memory, sizeof(memory), 1));
    MUST(amalgam_pages_derive(mine, 1, PAGE, 1) == -AMALGAM_EINVAL);
    MUST(amalgam_pages_derive(mine, 0, PAGE, 8) == -AMALGAM_ERANGE);
    MUST(amalgam_pages_inspect(memory + 1) == -AMALGAM_EINVAL && amalgam_pages_inspect(NULL) == -AMALGAM_EFAULT);
    MUST(amalgam_pages_revoke(0) == -AMALGAM_EINVAL && amalgam_pages_revoke(31) == -AMALGAM_EBADF);
    for (uint32_t i = 0; i < rounds; i++)
        owner_round(mine, i);
    RESULT(amalgam_handle_close(mine));
    puts("capabilities: granted and revoked, right");
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    if (!strcmp(role, "owner"))
        owner(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1);
    else if (!strcmp(role, "holder"))
        holder();
    else if (!strcmp(role, "third"))
        third();
    else
        return 2;
    return 0;
}
