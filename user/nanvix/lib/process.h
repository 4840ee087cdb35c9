/* SPDX-License-Identifier: MIT */
/* process.h - process servers, for process.c, which asks them, and process_start.c, which starts programs by them. Each
 * function is called with nanvix_process_lock. */
#ifndef AMALGAM_NANVIX_PROCESS_H
#define AMALGAM_NANVIX_PROCESS_H

#include <amalgam/process_server.h>

#include "ask.h"

#define PROCESS_TRIES  3
#define PROCESS_SHIFT  24 /* of a number, from which on its cluster stands */
#define PROCESS_IN_ITS ((1u << PROCESS_SHIFT) - 1)

struct process_server {
    struct ask_server ask;
    uint32_t life; /* as far as it has said; 0: it has not */
    struct processes_handle handle;
};

extern uint32_t nanvix_process_lock;

/* Read the list of servers, once. Returns 0 or a negative error. */
int nanvix_process_begin(void);
/* Returns a cluster's server, or NULL. */
struct process_server *nanvix_process_server(int node);
/* Returns a request without data. */
struct processes_message nanvix_process_request(const struct process_server *s, enum processes_op op, uint32_t number);
/* Ask, again if no answer comes, which takes the request's place. Returns the result; -ETIMEDOUT: there was no answer;
 * -EIO: the server has begun anew, which is said once. */
int nanvix_process_ask(struct process_server *s, struct processes_message *m);
/* Ask what may have been done although no answer comes: to whoever asks, the server is lost then (-EIO). */
int nanvix_process_ask_deed(struct process_server *s, struct processes_message *m);
/* Returns whether a server's number of a process is one, behind `last`. A wrong one would be taken for another
 * cluster's, and a list without an order has no end. */
static inline bool process_is_number(uint32_t number, uint32_t last)
{
    return number > last && number <= PROCESS_IN_ITS;
}

#endif
