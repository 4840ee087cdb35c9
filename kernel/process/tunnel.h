/* SPDX-License-Identifier: MIT */
/* tunnel.h - channels that end at a process: ipc/process.c, or tunnel_none.c without CONFIG_IPC. */
#ifndef AMALGAM_PROCESS_TUNNEL_H
#define AMALGAM_PROCESS_TUNNEL_H

#include "process.h"

/* Returns 0, or why the thread cannot wait at a word in the channels' memory: -EACCES: withdrawn; -EPIPE: the peer has
 * ended, which the thread is told once. Under the lock. */
s64 process_tunnel_check(struct process_thread *t, u64 word);
/* Wake up to `count` threads of the process at a channel's other end that wait on a word in the channel's memory.
 * Returns their number. Interrupts are off. */
s64 process_wake_peer(struct process *p, u64 word, u64 count);
/* domain_ops.share, .doorbell, .peer_ended */
int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot);
void process_doorbell(struct domain *d, unsigned n);
void process_peer_ended(struct domain *d, unsigned n);

#endif
