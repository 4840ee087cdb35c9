/* SPDX-License-Identifier: MIT */
/* pages.h - pages that come at the first access: lazy ones (lazy.c), and those that the pager brings (pager.c). */
#ifndef AMALGAM_PROCESS_PAGES_H
#define AMALGAM_PROCESS_PAGES_H

#include "process.h"

/* Lazy pages (lazy.c). Returns whether the thread may access address `at` (`access`: SPACE_WRITE, SPACE_EXEC, or 0 to
 * read), after it has given the page a frame if it was lazy; if so, the access is to be tried again. Under the lock. */
bool process_give(struct process_thread *t, u64 at, unsigned access);
/* The same without the lock; then the parts are asked (dispatch_fault()). */
bool process_touch(struct process_thread *t, u64 at, unsigned access);
/* process_give(), also of a page that the pager brings: then it lets go of the lock, with interrupts on, and takes it
 * again. Interrupts are off. */
bool process_bring(struct process_thread *t, u64 at, unsigned access);
/* user_copy_piece() of a word once more, after it has failed: the page of `at`, the process's address, may have
 * been one that process_bring() brings. As that. */
int process_copy_again(struct process_thread *t, void *to, const void *from, u64 at, unsigned access);
/* Page faults (pager.c). Hand the calling thread's fault at `address` to the process's pager, and sleep until that
 * sends the thread back. Returns whether to go on; false: there is no pager, or it is this thread, or no pager could
 * help. Interrupts on, no lock held. */
bool process_page_fault(struct process_thread *t, u64 address);
/* Bring the pages of [at, at + n), a user's addresses, for `access` as for process_give(): each lazy one, and the first
 * one that is not there by the pager. Returns whether to try again; false also with interrupts off. */
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access);
/* The thread has ended: if it was the pager, those that wait for it fault once more, and nobody helps. */
void process_pager_ended(struct process_thread *t);

#endif
