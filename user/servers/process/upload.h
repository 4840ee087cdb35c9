/* SPDX-License-Identifier: MIT */
/* upload.h - programs that clients send a process server, in messages (upload.c); see table.h. */
#ifndef AMALGAM_SERVERS_PROCESS_UPLOAD_H
#define AMALGAM_SERVERS_PROCESS_UPLOAD_H

#include "table.h"

/* Begin a client's upload anew; each cluster has one. */
enum processes_result upload_begin(struct processes *p, unsigned node, const struct processes_message *m, uint64_t now);
/* Take a part of it. What is not the next one is dropped. */
void upload_put(struct processes *p, unsigned node, const struct processes_message *m);
/* Returns the client's upload if all of it has come, or NULL. */
struct processes_upload *upload_whole(struct processes *p, unsigned node, uint64_t client);
/* Write the program's name into `name`, zeros behind it: its first text, without folders. It may be cut. */
void upload_name(const struct processes_upload *u, char name[PROCESSES_NAME]);

#endif
