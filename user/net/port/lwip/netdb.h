/* SPDX-License-Identifier: MIT */
/* lwip/netdb.h - in place of lwIP's own: it goes by our <netdb.h>. */
#ifndef AMALGAM_NET_LWIP_NETDB_H
#define AMALGAM_NET_LWIP_NETDB_H

#include <netdb.h>

#include "lwip/inet.h"
#include "lwip/opt.h"
#include "lwip/sockets.h"

#define NETDB_ELEM_SIZE (sizeof(struct addrinfo) + sizeof(struct sockaddr_storage) + DNS_MAX_NAME_LENGTH + 1)

struct hostent *lwip_gethostbyname(const char *name);
int lwip_gethostbyname_r(const char *name, struct hostent *to, char *buffer, size_t size, struct hostent **result,
                         int *error);
int lwip_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list);
void lwip_freeaddrinfo(struct addrinfo *list);

#endif
