/* SPDX-License-Identifier: MIT */
/*
 * outside.h - files whose bytes come from outside the process: the console (tty.c), pipes to other processes
 * (outside_pipe.c). The kernel counts what happens there (amalgam_spawn_events); files_changes() adds that count
 * to its own, and files_wait() sleeps at both. Programs that are linked with none of these files have none of it.
 */
#ifndef AMALGAM_USER_OUTSIDE_H
#define AMALGAM_USER_OUTSIDE_H

#include "files.h"

/* From now on the process looks for what comes from outside. Any thread, again and again. */
void outside_begin(void);
/* With the lock. Returns whether ^C was typed at the console since the last time that this was asked, or since
 * outside_begin(). */
bool outside_interrupted(void);
/* Give an end of a pipe a number. `handle` is the number's from then on. Returns it, or -EMFILE or -ENOMEM. */
int outside_pipe_open(unsigned handle, bool writes);
/* With the lock. Returns the handle of an open file, or -1: it is no such pipe. */
int outside_pipe_handle(const struct open_file *f);
/* pipe2() by the kernel: -ENOSYS where it has none. */
int outside_pipe_make(int ends[2], int flags);

#endif
