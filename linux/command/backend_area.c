/* SPDX-License-Identifier: MIT */
/*
 * backend_area.c - the entries that the kernel announces in the shared area: finds those that this process serves, and
 * checks them against the size of the area and of the file. The kernel is told which ones are used (`served`), so that
 * it gives their memory to no other system before this process has let go of it.
 */
#include <stdio.h>
#include <string.h>

#include "backend_area.h"

/* Returns the memory of an announced entry; NULL unless it lies in the area and is large enough for its type. */
static void *memory_of(const struct backend_entry *e)
{
    u64 need = e->type == BACKEND_BLOCK ? sizeof(struct backend_block) : sizeof(struct backend_net);

    if (e->size < need || e->offset % 4096 || (u64)e->offset + e->size > area->size)
        return NULL;
    return (u8 *)area + e->offset;
}

/* Find the entry of a back end and *memory of it. Returns -1 if none can be served. */
static int find_entry(const struct back *b, void **memory)
{
    int found = -1;

    for (u32 n = 0; n < load_acquire(&area->n_entries) && n < BACKEND_ENTRIES; n++) {
        const struct backend_entry *e = &area->entry[n];
        if (e->type != b->type || strncmp(e->name, b->name, BACKEND_NAME))
            continue;
        *memory = memory_of(e);
        if (!*memory)
            fprintf(stderr, "amalgam: backend: %s: its memory lies outside the area\n", b->name);
        else if (b->type == BACKEND_BLOCK && e->sectors * SECTOR > b->size)
            fprintf(stderr, "amalgam: backend: %s: %s has %llu bytes, the disk %llu: not served\n", b->name, b->path,
                    (unsigned long long)b->size, (unsigned long long)e->sectors * SECTOR);
        else
            found = (int)n; /* names are unique */
    }
    return found;
}

/* Say that this process uses the entry's memory from now on, in this generation. If the generation changes meanwhile
 * the loop lets go at once. A word of an older generation is one of a process that was killed; one of a later
 * generation is another process's. */
static void hold(struct back *b, u32 generation)
{
    u32 *served = &area->entry[b->entry].served, was = load_acquire(served);

    while (load_acquire(&area->generation) == generation &&
           !__atomic_compare_exchange_n(served, &was, generation, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    b->held = generation;
}

/* An entry that the kernel has taken back holds another word. */
void area_let_go(void)
{
    for (unsigned i = 0; i < n_backs; i++) {
        u32 held = backs[i].held;
        if (backs[i].entry >= 0)
            __atomic_compare_exchange_n(&area->entry[backs[i].entry].served, &held, 0, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
    }
}

/* Find each back end's entry, and print when it comes or goes. */
static void connect_all(u32 generation)
{
    for (unsigned i = 0; i < n_backs; i++) {
        struct back *b = &backs[i];
        void *memory = NULL;
        int found = find_entry(b, &memory);

        if (found != b->entry)
            printf("%s: %s %s\n", b->name, found < 0 ? "gone:" : "serves", b->path);
        b->entry = found;
        b->memory = found < 0 ? NULL : memory;
        if (found >= 0)
            hold(b, generation);
    }
    fflush(stdout);
}

bool area_follow(u32 *generation)
{
    u32 now = load_acquire(&area->generation), before = *generation;

    for (; now != *generation; now = __atomic_load_n(&area->generation, __ATOMIC_SEQ_CST)) {
        area_let_go();
        connect_all(now);
        *generation = now;
    }
    return now != before;
}
