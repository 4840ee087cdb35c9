/* SPDX-License-Identifier: MIT */
/* netinet/in.h - addresses of the Internet's protocols, and options of IP. */
#ifndef AMALGAM_NETINET_IN_H
#define AMALGAM_NETINET_IN_H

#include <endian.h>
#include <inttypes.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;

struct in_addr {
    in_addr_t s_addr;
};

struct in6_addr {
    union {
        uint8_t bytes[16];
        uint32_t words[4];
    } amalgam;
#define s6_addr   amalgam.bytes
#define s6_addr32 amalgam.words
};

struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};

struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    in_port_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};

/* In the machine's order. */
#define INADDR_ANY       ((in_addr_t)0)
#define INADDR_BROADCAST ((in_addr_t)0xffffffff)
#define INADDR_NONE      ((in_addr_t)0xffffffff)
#define INADDR_LOOPBACK  ((in_addr_t)0x7f000001)
#define IN_LOOPBACKNET   127
#define IN_CLASSA(a)     (((uint32_t)(a)&0x80000000u) == 0)
#define IN_CLASSB(a)     (((uint32_t)(a)&0xc0000000u) == 0x80000000u)
#define IN_CLASSC(a)     (((uint32_t)(a)&0xe0000000u) == 0xc0000000u)
#define IN_CLASSD(a)     (((uint32_t)(a)&0xf0000000u) == 0xe0000000u)
#define IN_MULTICAST(a)  IN_CLASSD(a)

#define INET_ADDRSTRLEN  16
#define INET6_ADDRSTRLEN 46

/* clang-format off */
#define IN6ADDR_ANY_INIT      { { { 0 } } }
#define IN6ADDR_LOOPBACK_INIT { { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } } }
/* clang-format on */
extern const struct in6_addr in6addr_any, in6addr_loopback;

#define IN6_IS_ADDR_UNSPECIFIED(a) (!((a)->s6_addr32[0] | (a)->s6_addr32[1] | (a)->s6_addr32[2] | (a)->s6_addr32[3]))
#define IN6_IS_ADDR_LOOPBACK(a)                                                                                        \
    (!((a)->s6_addr32[0] | (a)->s6_addr32[1] | (a)->s6_addr32[2]) && (a)->s6_addr32[3] == htonl(1))
#define IN6_IS_ADDR_MULTICAST(a) ((a)->s6_addr[0] == 0xff)
#define IN6_IS_ADDR_LINKLOCAL(a) ((a)->s6_addr[0] == 0xfe && ((a)->s6_addr[1] & 0xc0) == 0x80)
#define IN6_IS_ADDR_V4MAPPED(a)  (!((a)->s6_addr32[0] | (a)->s6_addr32[1]) && (a)->s6_addr32[2] == htonl(0xffff))

#define IPPROTO_IP      0
#define IPPROTO_ICMP    1
#define IPPROTO_TCP     6
#define IPPROTO_UDP     17
#define IPPROTO_IPV6    41
#define IPPROTO_ICMPV6  58
#define IPPROTO_UDPLITE 136
#define IPPROTO_RAW     255

#define IPPORT_RESERVED     1024
#define IPPORT_USERRESERVED 5000

#define IP_TOS             1
#define IP_TTL             2
#define IP_ADD_MEMBERSHIP  3
#define IP_DROP_MEMBERSHIP 4
#define IP_MULTICAST_TTL   5
#define IP_MULTICAST_IF    6
#define IP_MULTICAST_LOOP  7
#define IP_PKTINFO         8

#define IPV6_CHECKSUM        7
#define IPV6_JOIN_GROUP      12
#define IPV6_ADD_MEMBERSHIP  IPV6_JOIN_GROUP
#define IPV6_LEAVE_GROUP     13
#define IPV6_DROP_MEMBERSHIP IPV6_LEAVE_GROUP
#define IPV6_V6ONLY          27

struct ip_mreq {
    struct in_addr imr_multiaddr, imr_interface;
};
struct in_pktinfo {
    unsigned ipi_ifindex;
    struct in_addr ipi_addr;
};
struct ipv6_mreq {
    struct in6_addr ipv6mr_multiaddr;
    unsigned ipv6mr_interface;
};

/* All machines have the low byte first. */
#undef htons
#undef htonl
#undef ntohs
#undef ntohl
#define htons(x) __builtin_bswap16((uint16_t)(x))
#define ntohs(x) __builtin_bswap16((uint16_t)(x))
#define htonl(x) __builtin_bswap32((uint32_t)(x))
#define ntohl(x) __builtin_bswap32((uint32_t)(x))

#ifdef __cplusplus
}
#endif

#endif
