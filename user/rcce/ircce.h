/* SPDX-License-Identifier: MIT */
/* ircce.h - what the files of iRCCE share. */
#ifndef AMALGAM_USER_IRCCE_H
#define AMALGAM_USER_IRCCE_H

#include "rcce.h"

#define ANY (-1) /* source or length */

/* Source and length of the message that iRCCE received or probed last. */
extern int rcce_recent_source;
extern size_t rcce_recent_length;

void rcce_push_all(void);
/* Returns the next source from which a message waits that is for no request; ANY: there is none. */
int rcce_find_source(void);
/* iRCCE_isend() and iRCCE_irecv() with a request that is not NULL. `sync`: an empty message is sent, too. */
int rcce_post_send(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request, bool sync);
int rcce_post_receive(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request, bool sync);
/* Wait for a request whose call returned `result`. */
int rcce_wait_receive(int result, iRCCE_RECV_REQUEST *request);

#endif
