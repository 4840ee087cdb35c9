/* SPDX-License-Identifier: MIT */
/* ircce.h - what the files of iRCCE share. */
#ifndef AMALGAM_USER_IRCCE_H
#define AMALGAM_USER_IRCCE_H

#include "rcce.h"

#define ANY (-1) /* source or length */

/* Of the message that was received by iRCCE, or probed, last. */
extern int rcce_recent_source;
extern size_t rcce_recent_length;

void rcce_push_all(void);
/* The next source from which a message waits that nobody is to receive; ANY: there is none. */
int rcce_find_source(void);
/* iRCCE_isend() and iRCCE_irecv(), which must have a request. `sync`: a size of 0 is a message. */
int rcce_post_send(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request, bool sync);
int rcce_post_receive(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request, bool sync);
/* Wait for a request about which `result` was told. */
int rcce_wait_receive(int result, iRCCE_RECV_REQUEST *request);

#endif
