/* SPDX-License-Identifier: MIT */
/* tunnel_none.c - a kernel without channels (CONFIG_IPC); ipc/process.c is the other one. */
#include <errors.h>
#include <generated/process_calls.h>

#include "tunnel.h"

s64 process_call_tunnel_info(struct process_thread *t, u32 index, u32 field) { return -ENOSYS; }
s64 process_call_tunnel_notify(struct process_thread *t, u32 index) { return -ENOSYS; }
s64 process_call_tunnel_wait(struct process_thread *t, u32 index, u64 deadline) { return -ENOSYS; }
s64 process_call_tunnel_call(struct process_thread *t, u32 index, u64 deadline) { return -ENOSYS; }
s64 process_tunnel_check(struct process_thread *t, u64 word) { return 0; }
s64 process_wake_peer(struct process *p, u64 word, u64 count) { return 0; }
int process_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot) { return -ENODEV; }
void process_doorbell(struct domain *d, unsigned n) {}
void process_peer_ended(struct domain *d, unsigned n) {}
