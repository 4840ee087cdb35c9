/* SPDX-License-Identifier: MIT */
/* svm_messages.h - messages between two ranks of a litmus test (svm_litmus.c, svm_touch.c): data in one page, a flag in
 * another one. Who sees the flag must see the data. */
#ifndef AMALGAM_TASK_SVM_MESSAGES_H
#define AMALGAM_TASK_SVM_MESSAGES_H

#include <task/task.h>

#include <errors.h>
#include <hal/cpu.h>

#define LINES  16u
#define STRIDE 8u /* words of a line */

/* Flags count up, and who writes one may be ahead. */
static inline int await(const volatile u32 *flag, u32 value)
{
    while (*flag < value) {
        if (task_stopping())
            return -ECANCELED;
        cpu_relax();
    }
    return 0;
}

static inline void fill(volatile u32 *data, u32 value)
{
    for (unsigned i = 0; i < LINES; i++)
        data[i * STRIDE] = value + i;
}

static inline unsigned count_wrong(const volatile u32 *data, u32 value)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < LINES; i++)
        wrong += data[i * STRIDE] != value + i;
    return wrong;
}

/* The flag counts up to `turns`; side 0 writes odd values after their data, side 1 even ones. */
static inline int pass_messages(unsigned side, volatile u32 *data, volatile u32 *flag, u32 turns, unsigned *wrong)
{
    for (u32 turn = 1; turn <= turns; turn++) {
        if (turn % 2 == side) {
            int err = await(flag, turn);
            if (err)
                return err;
            *wrong += count_wrong(data, turn << 16);
        } else {
            fill(data, turn << 16);
            *flag = turn;
        }
    }
    return 0;
}

#endif
