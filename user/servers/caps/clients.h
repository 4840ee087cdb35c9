/* SPDX-License-Identifier: MIT */
/*
 * clients.h - what the processes of this cluster ask of their page server (amalgam/page_server.h).
 *
 * The server's first channels are its clients', and each has a thread that carries out one request after the other.
 * That lets the server's lock go only where it waits for other clusters (ask.h). What a client has ends with the
 * client: when its channel says so, or when the first request of its next life comes.
 */
#ifndef AMALGAM_SERVERS_CAPS_CLIENTS_H
#define AMALGAM_SERVERS_CAPS_CLIENTS_H

#include "copies.h"
#include "homes.h"

/* Begin to serve as many as `h` says. */
void clients_begin(struct homes *h, struct copies *c);

#endif
