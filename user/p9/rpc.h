/* SPDX-License-Identifier: MIT */
/* rpc.h - a client's questions and answers: what client.c and paths.c stand on. */
#ifndef AMALGAM_P9_RPC_H
#define AMALGAM_P9_RPC_H

#include <errno.h>

#include "client.h"

#define ROOT 0u

/* Be connected, with the root's fid. Returns 0 or -EIO. */
int p9_connect(struct p9_client *c);
/* Begin a question; p9_say() puts it. At most P9_PLACES are under way. */
struct p9_cursor p9_question(struct p9_client *c);
void p9_say(struct p9_client *c, struct p9_cursor *q, uint8_t type);
/* A question of numbers of so many bytes: "48" is a fid and an offset. Each number is 64 bits. */
void p9_say_numbers(struct p9_client *c, uint8_t type, const char *form, ...);
/* Wait for the next answer, which is one to a question of `type`. *in is what it says, until the next question.
 * Returns 0, the error that it says, or -EIO. */
int p9_answer(struct p9_client *c, uint8_t type, struct p9_cursor *in);
/* client.c: the answer to a Tgetattr. */
int p9_take_attributes(struct p9_client *c, struct stat *s);
/* The next answer is to be dropped when it comes. */
void p9_drop(struct p9_client *c);
/* Returns a fid that means nothing, or P9_NO_FID. */
uint32_t p9_fid_take(struct p9_client *c);
/* Have it mean nothing here; with `there`, also at the server, without waiting. */
void p9_fid_give(struct p9_client *c, uint32_t fid, bool there);

#endif
