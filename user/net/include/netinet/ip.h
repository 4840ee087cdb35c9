/* SPDX-License-Identifier: MIT */
/* netinet/ip.h - the header of IPv4 (RFC 791), for raw sockets, and values of IP_TOS. */
#ifndef AMALGAM_NETINET_IP_H
#define AMALGAM_NETINET_IP_H

#include <netinet/in.h>

#define IPVERSION    4
#define IP_MAXPACKET 65535
#define MAXTTL       255
#define IPDEFTTL     64
#define IPOPT_EOL    0
#define IPOPT_NOP    1
#define IPOPT_LSRR   131
#define IPOPT_SSRR   137

#define IPTOS_LOWDELAY    0x10
#define IPTOS_THROUGHPUT  0x08
#define IPTOS_RELIABILITY 0x04

struct ip {
    uint8_t ip_hl : 4, ip_v : 4;
    uint8_t ip_tos;
    uint16_t ip_len, ip_id, ip_off;
    uint8_t ip_ttl, ip_p;
    uint16_t ip_sum;
    struct in_addr ip_src, ip_dst;
};
#define IP_DF      0x4000
#define IP_MF      0x2000
#define IP_OFFMASK 0x1fff

#endif
