/* SPDX-License-Identifier: MIT */
/* requests.h - the mailbox at which requests come to a server. */
#ifndef AMALGAM_SERVERS_REQUESTS_H
#define AMALGAM_SERVERS_REQUESTS_H

#define REQUESTS_BYTES 128 /* of a message */

/* Wait for a request at mailbox `in`, and write it to `message`, which has REQUESTS_BYTES. Returns the cluster that it
 * is from; -1: the mailbox fails, which is said with the server's name. */
int requests_receive(const char *server, unsigned in, void *message);

#endif
