/* SPDX-License-Identifier: MIT */
/*
 * netdb.h - names of hosts, by DNS, and of a few services. There is no /etc/hosts: "localhost" is 127.0.0.1, any other
 * name is asked of the servers that DHCP or the system file named.
 */
#ifndef AMALGAM_NETDB_H
#define AMALGAM_NETDB_H

#include <netinet/in.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hostent {
    char *h_name;
    char **h_aliases;
    int h_addrtype, h_length;
    char **h_addr_list;
#define h_addr h_addr_list[0]
};

struct servent {
    char *s_name;
    char **s_aliases;
    int s_port;
    char *s_proto;
};

struct protoent {
    char *p_name;
    char **p_aliases;
    int p_proto;
};

struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};

#define AI_PASSIVE     0x01
#define AI_CANONNAME   0x02
#define AI_NUMERICHOST 0x04
#define AI_NUMERICSERV 0x08
#define AI_V4MAPPED    0x10
#define AI_ALL         0x20
#define AI_ADDRCONFIG  0x40

#define NI_NUMERICHOST 0x01
#define NI_NUMERICSERV 0x02
#define NI_NOFQDN      0x04
#define NI_NAMEREQD    0x08
#define NI_DGRAM       0x10
#define NI_MAXHOST     256
#define NI_MAXSERV     32

#define EAI_NONAME   200
#define EAI_SERVICE  201
#define EAI_FAIL     202
#define EAI_MEMORY   203
#define EAI_FAMILY   204
#define EAI_AGAIN    205
#define EAI_BADFLAGS 206
#define EAI_SOCKTYPE 207
#define EAI_SYSTEM   208
#define EAI_OVERFLOW 209

#define HOST_NOT_FOUND 1
#define NO_DATA        4
#define NO_ADDRESS     NO_DATA
#define NO_RECOVERY    3
#define TRY_AGAIN      2

extern int h_errno;

/* 0 or one of EAI_: the list is freed by freeaddrinfo(). One address of a name; a service is a number or one of
 * getservbyname()'s. */
int getaddrinfo(const char *__restrict host, const char *__restrict service, const struct addrinfo *__restrict hints,
                struct addrinfo **__restrict list);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int error);
/* Numbers; NI_NAMEREQD is EAI_NONAME: no server is asked for the name of an address. */
int getnameinfo(const struct sockaddr *__restrict address, socklen_t length, char *__restrict host, socklen_t host_size,
                char *__restrict service, socklen_t service_size, int flags);
/* The result is the process's, until the next call. */
struct hostent *gethostbyname(const char *name);
/* NULL, and h_errno is HOST_NOT_FOUND: no server is asked for the name of an address. */
struct hostent *gethostbyaddr(const void *address, socklen_t length, int family);
const char *hstrerror(int error);
void herror(const char *text);
/* The result is constant. */
struct servent *getservbyname(const char *name, const char *protocol);
struct servent *getservbyport(int port, const char *protocol);
struct protoent *getprotobyname(const char *name);

#ifdef __cplusplus
}
#endif

#endif
