/* SPDX-License-Identifier: MIT */
/* amalgam/net.h - what went through the interfaces of a program's network stack. */
#ifndef AMALGAM_NET_H
#define AMALGAM_NET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The frames of interface `n`, by its place in NET, as its channel counts them: what earlier programs at this end of
 * the channel put and took is among them, and they come round. Returns 0; -1: there is no such interface. Any thread.
 */
int amalgam_net_frames(unsigned n, uint32_t *sent, uint32_t *received);

#ifdef __cplusplus
}
#endif

#endif
