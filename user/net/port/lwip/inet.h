/* SPDX-License-Identifier: MIT */
/* lwip/inet.h - in place of lwIP's own: it goes by our <netinet/in.h>, so that there is one set of names and numbers.
 */
#ifndef AMALGAM_NET_LWIP_INET_H
#define AMALGAM_NET_LWIP_INET_H

#include <arpa/inet.h>
#include <netinet/in.h>

#include "lwip/def.h"
#include "lwip/ip6_addr.h"
#include "lwip/ip_addr.h"
#include "lwip/opt.h"

#define inet_addr_from_ip4addr(to, from)  ((to)->s_addr = ip4_addr_get_u32(from))
#define inet_addr_to_ip4addr(to, from)    (ip4_addr_set_u32(to, (from)->s_addr))
#define inet6_addr_from_ip6addr(to, from) memcpy((to)->s6_addr32, (from)->addr, sizeof(struct in6_addr))
#define inet6_addr_to_ip6addr(to, from)                                                                                \
    do {                                                                                                               \
        memcpy((to)->addr, (from)->s6_addr32, sizeof(struct in6_addr));                                                \
        ip6_addr_clear_zone(to);                                                                                       \
    } while (0)

#endif
