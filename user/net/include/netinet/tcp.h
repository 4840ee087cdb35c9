/* SPDX-License-Identifier: MIT */
/* netinet/tcp.h - options of TCP. */
#ifndef AMALGAM_NETINET_TCP_H
#define AMALGAM_NETINET_TCP_H

#include <netinet/in.h>

#define TCP_NODELAY   0x01
#define TCP_KEEPALIVE 0x02 /* milliseconds */
#define TCP_KEEPIDLE  0x03 /* seconds */
#define TCP_KEEPINTVL 0x04
#define TCP_KEEPCNT   0x05

#endif
