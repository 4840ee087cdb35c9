/* SPDX-License-Identifier: MIT */
/* memory.h - what a part does with a process's memory: copies, pages that it holds for a while, pages of its own. */
#ifndef AMALGAM_PROCESS_MEMORY_H
#define AMALGAM_PROCESS_MEMORY_H

#include "process.h"

/* Copy `n` bytes from or to the memory of the calling thread's process (copy.c). Returns 0, or -EFAULT: an address is
 * not the process's, or its page does not permit it; some bytes may have been copied. Interrupts may be on or off; with
 * interrupts on a lazy page is given first, and one that is not there is the pager's matter. */
int process_read(struct process_thread *t, void *to, u64 from, size_t n);
int process_write(struct process_thread *t, u64 to, const void *from, size_t n);

#define PROCESS_PINS (MIB / PAGE_SIZE + 1) /* pages that lie in a range of a MiB, at most */
struct process_pins {
    char *memory;            /* the process's, as the kernel reaches it */
    u32 n, offset;           /* frames; the first byte's offset in the first one */
    u16 frame[PROCESS_PINS]; /* their numbers, in the order of the addresses */
};
/*
 * Find the frames of [at, at + n), `n` from 1 byte to a MiB of the calling thread's process, and hold them: until
 * process_unpin() they are no other page's and no table, whatever the process unmaps (pin.c). `write`: to be written.
 * A page that is not there is the pager's matter first. Returns 0 or -EFAULT, also where a process has more than
 * 256 MiB (a cluster has 16). Interrupts on, no lock held.
 */
int process_pin(struct process_thread *t, u64 at, size_t n, bool write, struct process_pins *pins);
void process_unpin(struct process_thread *t, const struct process_pins *pins);

/* Check a range whose pages a call is to change (map.c). Returns 0; -EINVAL: not whole pages, or none; -EFAULT: not
 * addresses whose pages calls may change. */
int process_check_pages(u64 address, u64 size);
/* Flush the process's cached translations on all cores and wait for it: after that no thread reaches what its tables
 * no longer map. `self` is the caller, one of the threads; or NULL, then the caller holds the domain (domain_hold).
 * Interrupts on, no lock held. */
void process_flush(struct process *p, struct process_thread *self);
/* Map [pa, pa+size) at `va`, whole pages, readable and SPACE_*. Tables come from page_alloc(). Returns 0; -EINVAL: not
 * pages, not users' addresses, writable and executable; -EEXIST: something is mapped there; -ENOMEM. Pages mapped
 * before a failure stay. The space is loaded nowhere. */
int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights);

#endif
