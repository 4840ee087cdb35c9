/* SPDX-License-Identifier: MIT */
/*
 * handle_test.h - processes with handles, each with a channel to each other one. Their memory is the host's. A
 * process's addresses are OWN pages from USER_BASE on, and the places where it shows memory of others.
 */
#ifndef AMALGAM_TESTS_HANDLE_TEST_H
#define AMALGAM_TESTS_HANDLE_TEST_H

#include "records.h"
#include "threads.h"

#include <core/domain.h>
#include <generated/handle_calls.h>
#include <generated/process_calls.h>
#include <stdlib.h>

#include "handle/memory.h"
#include "handle/views.h"
#include "process/frames.h"
#include "process/memory.h"
#include "process/pages.h"
#include "process/part.h"

#define P                3u  /* processes: the domains 0 to 2 */
#define OWN              24u /* pages that a process can map itself */
#define FRAMES           40u
#define VIEW_PAGES       (MIB / PAGE_SIZE)
#define PAGE_AT(n)       (USER_BASE + (n)*PAGE_SIZE)
#define CHANNELS         3u
#define CHANNEL(p, peer) ((peer) > (p) ? (peer)-1 : (peer)) /* of p's handles, the channel to peer */

static const struct sys_channel channel[CHANNELS] = {
    { .name = "01", .domain_a = 0, .domain_b = 1 },
    { .name = "02", .domain_a = 0, .domain_b = 2 },
    { .name = "12", .domain_a = 1, .domain_b = 2 },
};
static struct sys_header header = { .n_channels = CHANNELS };
const struct sys_header *system_table = &header;
struct domain domains[SYS_MAX_DOMAINS];
static struct sys_domain conf[P];
static struct process process[P];
static struct process_thread thread[P];
static struct thread kernel_thread[P];
static u8 *memory[P];
static u32 frame[P][FRAMES];
static struct process_run run[P][1];
static space_entry_t own[P][ALIGN_UP(OWN, SPACE_GROUP)], shown[P][VIEWS * VIEW_PAGES];
static unsigned tables[P];

const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i) { return &channel[i]; }
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access) { return false; }
void user_refresh(struct user *u) { u->turn = 1; }
int user_copy_piece(struct user *u, void *to, const void *from, size_t n) { return -EFAULT; }

static space_entry_t *entry_of(unsigned p, u64 va)
{
    if (va >= VIEWS_AT && va < VIEWS_AT + VIEWS * MIB)
        return &shown[p][(va - VIEWS_AT) / PAGE_SIZE];
    assert_true(va >= USER_BASE && va < PAGE_AT(OWN + 1));
    static space_entry_t none;
    return va < PAGE_AT(OWN) ? &own[p][(va - USER_BASE) / PAGE_SIZE] : &none;
}

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    *size = PAGE_SIZE;
    return entry_of((unsigned)(container_of(s, struct process, space) - process), va);
}

/* Where tables are wanted. */
int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    assert_true(IS_ALIGNED(va, MIB) && size == PAGE_SIZE && va >= VIEWS_AT);
    tables[container_of(s, struct process, space) - process]++;
    return 0;
}

/* A run of the process begins: all its frames are free and zero, nothing is mapped. */
static inline void run_begin(unsigned i)
{
    struct process *p = &process[i];
    memset(memory[i], 0, FRAMES * PAGE_SIZE);
    memset(own[i], 0, sizeof(own[i]));
    p->fresh = false;
    process_frames_init(p);
    assert_int_equal(process_parts(p, PROCESS_BEGINS), 0);
}

static inline void run_end(unsigned i) { assert_int_equal(process_parts(&process[i], PROCESS_ENDS), 0); }

/* Once: as at boot. */
static inline void processes_make(void)
{
    host_boot(2);
    for (unsigned i = 0; i < P; i++) {
        struct process *p = &process[i];
        memory[i] = aligned_alloc(PAGE_SIZE, FRAMES * PAGE_SIZE);
        process_record(&conf[i])->threads = 1;
        domains[i] = (struct domain){ .id = i, .conf = &conf[i] };
        *p = (struct process){ .domain = &domains[i],
                               .memory = (uintptr_t)memory[i],
                               .size = FRAMES * PAGE_SIZE,
                               .frame = frame[i],
                               .run = run[i],
                               .thread = &thread[i],
                               .n = 1,
                               .tunnels = 7,
                               .map_hint = USER_BASE,
                               .n_channels = 2 };
        for (unsigned n = 0, k = 0; n < CHANNELS; n++)
            if (channel[n].domain_a == i || channel[n].domain_b == i)
                p->channel[k++] = (u8)n;
        list_init(&p->waiters);
        thread[i] = (struct process_thread){ .process = p, .thread = &kernel_thread[i] };
        kernel_thread[i] = (struct thread){ .cpu = 1 };
        assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
        assert_int_equal(tables[i], VIEWS);
    }
}

/* Calls, with interrupts as the kernel has them. */
#define WITHOUT_IRQS(call)                                                                                             \
    ({                                                                                                                 \
        host_irq_on = false;                                                                                           \
        s64 result_ = (call);                                                                                          \
        host_irq_on = true;                                                                                            \
        result_;                                                                                                       \
    })
static inline s64 do_send(unsigned p, u32 c, u32 h, u32 rights)
{
    return WITHOUT_IRQS(handle_call_handle_send(&thread[p].user, c, h, rights));
}
static inline s64 do_receive(unsigned p, u32 c) { return WITHOUT_IRQS(handle_call_handle_receive(&thread[p].user, c)); }
static inline s64 do_map(unsigned p, u32 h) { return handle_call_handle_map(&thread[p], h); }
static inline s64 do_close(unsigned p, u32 h) { return WITHOUT_IRQS(handle_call_handle_close(&thread[p], h)); }
static inline s64 do_memory(unsigned p, u64 at, u32 n, u32 write)
{
    return handle_call_handle_memory(&thread[p], at, n, write);
}
static inline s64 do_info(unsigned p, u32 h, u32 field)
{
    return WITHOUT_IRQS(handle_call_handle_info(&thread[p].user, h, field));
}

#endif
