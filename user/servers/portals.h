/* SPDX-License-Identifier: MIT */
/* portals.h - the portals by which a server sends pages. Each is opened when it is needed and kept; the oldest ones are
 * closed where there are no more. No client can hold a server up. */
#ifndef AMALGAM_SERVERS_PORTALS_H
#define AMALGAM_SERVERS_PORTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORTALS_NONE 255

/* Send up to 4 KiB from cluster `self` to the portal at *port of a cluster; *port becomes the port from which they go,
 * PORTALS_NONE if there is none. Returns false, with nothing sent: the cluster has not read what was sent to it before,
 * or it was lost. */
bool portals_send(unsigned self, unsigned node, uint8_t *port, const void *data, size_t n);

#endif
