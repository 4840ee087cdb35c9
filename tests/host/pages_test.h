/* SPDX-License-Identifier: MIT */
/*
 * pages_test.h - a process, all of whose memory is the host's, for tests of pages larger than the smallest. Before it,
 * the test includes a machine's space.c and process/frames.h, and defines: BEFORE, the frames before the first aligned
 * address; RUNS, the large pages from there on; FRAMES, all; USED, those of the first stack, which are more than
 * BEFORE.
 */
#ifndef AMALGAM_TESTS_PAGES_TEST_H
#define AMALGAM_TESTS_PAGES_TEST_H

#include <stdlib.h>

#define AREA ((RUNS + 2) * SPACE_LARGE)

static u8 *area;
static u32 frame[FRAMES];
static struct process_run run[RUNS + 2];
static struct process p;
static struct process_thread self;
static struct thread thread;

u64 user_pc(const struct user *u) { return 0; }
int process_write(struct process_thread *t, u64 to, const void *from, size_t n) { return -EFAULT; }
int user_copy_piece(struct user *u, void *to, const void *from, size_t n) { return -EFAULT; }

/* Then the test enters what its space needs, and calls process_frames_init(). */
static inline void pages_begin(void)
{
    area = aligned_alloc(SPACE_LARGE, AREA);
    memset(area, 0, AREA);
    p = (struct process){ .memory = (uintptr_t)area + SPACE_LARGE - BEFORE * PAGE_SIZE,
                          .size = FRAMES * PAGE_SIZE,
                          .stack_size = USED * PAGE_SIZE,
                          .frame = frame,
                          .run = run,
                          .skew = RUN_FRAMES - BEFORE,
                          .thread = &self,
                          .map_hint = USER_BASE };
    self = (struct process_thread){ .process = &p, .thread = &thread };
    thread = (struct thread){ 0 };
    list_init(&p.waiters);
    assert_int_equal(space_init(&p.space), 0);
    assert_int_equal(process_runs(&p), RUNS + 2);
}

static inline void pages_end(void)
{
    space_clear(&p.space, p.memory, p.memory + p.size);
    space_free(&p.space);
    free(area);
}

static inline bool is_zero(const u8 *at, size_t n)
{
    while (n--)
        if (*at++)
            return false;
    return true;
}

#endif
