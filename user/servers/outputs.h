/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - the mailboxes by which a server answers. Each is opened when it is needed and kept; the one that was used
 * longest ago is closed where there are no more. No client can hold a server up: an answer for which its cluster has no
 * room, because nobody reads there, is dropped and counted.
 */
#ifndef AMALGAM_SERVERS_OUTPUTS_H
#define AMALGAM_SERVERS_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Answers that were dropped. */
extern uint64_t outputs_dropped;
/* Send `n` bytes, at most 128, to a port of a cluster. Never waits for it. Returns false: they were dropped. */
bool outputs_send(unsigned node, unsigned port, const void *data, size_t n);

#endif
