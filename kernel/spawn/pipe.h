/* SPDX-License-Identifier: MIT */
/*
 * pipe.h - pipes between a process and what it starts.
 *
 * A pipe is an object; a handle of it with the right to read is its reading end, one with the right to write its
 * writing end. It is made by a process with slots, which gives its ends to what it starts, and passed on in no other
 * way: so the kernel knows how many handles of each end there are. Without a handle of the other end who reads finds
 * the end, and who writes is told -EPIPE; without any the pipe is free.
 */
#ifndef AMALGAM_SPAWN_PIPE_H
#define AMALGAM_SPAWN_PIPE_H

#include <errors.h>
#include <handle/table.h>

/* A slot of `owner` is made, as domain `slot`: make its owner's pipes for it. Returns 0 or -ENOMEM. Boot. */
int pipes_make(unsigned slot, unsigned owner);
/* The process of the domain has been given the handle `h` of a pipe. */
void pipe_hold(const struct handle *h, unsigned domain);

#endif
