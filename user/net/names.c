/* SPDX-License-Identifier: MIT */
/* names.c - netdb.h and arpa/inet.h: names and addresses as text. */
#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/if_api.h"
#include "lwip/netdb.h"
#include "stack.h"

#define LOCAL "127.0.0.1"

int h_errno;
const struct in6_addr in6addr_loopback = IN6ADDR_LOOPBACK_INIT;

/* --- addresses ---------------------------------------------------------------------------------------------------- */

int inet_aton(const char *text, struct in_addr *address)
{
    ip4_addr_t a;
    int good = ip4addr_aton(text, &a);
    if (good && address)
        address->s_addr = a.addr;
    return good;
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr a;
    return inet_aton(text, &a) ? a.s_addr : INADDR_NONE;
}

char *inet_ntoa(struct in_addr address)
{
    static _Thread_local char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof text);
}

const char *inet_ntop(int family, const void *restrict address, char *restrict text, socklen_t size)
{
    return lwip_inet_ntop(family, address, text, size);
}

/* Unlike inet_aton(), four numbers and nothing else. */
int inet_pton(int family, const char *restrict text, void *restrict address)
{
    unsigned dots = 0;
    for (const char *at = text; family == AF_INET && *at; at++)
        if (*at == '.')
            dots++;
        else if (*at < '0' || *at > '9')
            return 0;
    return family == AF_INET && dots != 3 ? 0 : lwip_inet_pton(family, text, address);
}

/* --- services ----------------------------------------------------------------------------------------------------- */

static char *none[] = { NULL };
static char tcp[] = "tcp", udp[] = "udp", icmp[] = "icmp";
#define SERVICE(name, port, protocol)                                                                                  \
    {                                                                                                                  \
        name, none, __builtin_bswap16(port), protocol                                                                  \
    }
static struct servent services[] = {
    SERVICE("echo", 7, tcp),    SERVICE("echo", 7, udp),    SERVICE("discard", 9, tcp),  SERVICE("ftp", 21, tcp),
    SERVICE("ssh", 22, tcp),    SERVICE("telnet", 23, tcp), SERVICE("smtp", 25, tcp),    SERVICE("time", 37, tcp),
    SERVICE("domain", 53, tcp), SERVICE("domain", 53, udp), SERVICE("tftp", 69, udp),    SERVICE("http", 80, tcp),
    SERVICE("ntp", 123, udp),   SERVICE("https", 443, tcp), SERVICE("syslog", 514, udp),
};
static struct protoent protocols[] = { { icmp, none, IPPROTO_ICMP },
                                       { tcp, none, IPPROTO_TCP },
                                       { udp, none, IPPROTO_UDP } };

struct servent *getservbyname(const char *name, const char *protocol)
{
    for (unsigned i = 0; i < sizeof services / sizeof *services; i++)
        if (!strcmp(services[i].s_name, name) && (!protocol || !strcmp(services[i].s_proto, protocol)))
            return &services[i];
    return NULL;
}

struct servent *getservbyport(int port, const char *protocol)
{
    for (unsigned i = 0; i < sizeof services / sizeof *services; i++)
        if (services[i].s_port == port && (!protocol || !strcmp(services[i].s_proto, protocol)))
            return &services[i];
    return NULL;
}

struct protoent *getprotobyname(const char *name)
{
    for (unsigned i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (!strcmp(protocols[i].p_name, name))
            return &protocols[i];
    return NULL;
}

/* --- hosts -------------------------------------------------------------------------------------------------------- */

static const char *host_of(const char *name) { return name && !strcmp(name, "localhost") ? LOCAL : name; }

struct hostent *gethostbyname(const char *name)
{
    net_start();
    return lwip_gethostbyname(host_of(name));
}

struct hostent *gethostbyaddr(const void *address, socklen_t length, int family)
{
    (void)address, (void)length, (void)family;
    h_errno = HOST_NOT_FOUND;
    return NULL;
}

int res_init(void) { return 0; }

int getaddrinfo(const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict list)
{
    struct addrinfo plain = { 0 };
    char port[8];
    net_start();
    if (hints)
        plain = *hints;
    const struct servent *s = service ? getservbyname(service, plain.ai_socktype == SOCK_DGRAM ? udp : tcp) : NULL;
    if (s)
        snprintf(port, sizeof port, "%u", (unsigned)ntohs((uint16_t)s->s_port));
    int error = lwip_getaddrinfo(host_of(host), s ? port : service, &plain, list);
    for (struct addrinfo *a = error ? NULL : *list; a; a = a->ai_next) {
        a->ai_socktype = a->ai_socktype ? a->ai_socktype : SOCK_STREAM;
        a->ai_addrlen = a->ai_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    }
    return error;
}

void freeaddrinfo(struct addrinfo *list) { lwip_freeaddrinfo(list); }

static const struct {
    int error;
    const char *text;
} errors[] = {
    { 0, "no error" },
    { EAI_NONAME, "there is no such name" },
    { EAI_SERVICE, "there is no such service" },
    { EAI_FAIL, "the name server failed" },
    { EAI_MEMORY, "no memory" },
    { EAI_FAMILY, "there is no such family of addresses" },
    { EAI_AGAIN, "try again" },
    { EAI_BADFLAGS, "wrong flags" },
    { EAI_SOCKTYPE, "there is no such type of socket" },
    { EAI_SYSTEM, "system error" },
    { EAI_OVERFLOW, "there is more text than room" },
    { HOST_NOT_FOUND, "there is no such host" },
    { NO_DATA, "the name has no address" },
    { NO_RECOVERY, "the name server failed" },
    { TRY_AGAIN, "try again" },
};

const char *gai_strerror(int error)
{
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unknown error";
}

const char *hstrerror(int error) { return gai_strerror(error); }
void herror(const char *text) { fprintf(stderr, "%s: %s\n", text, hstrerror(h_errno)); }

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict host, socklen_t host_size,
                char *restrict service, socklen_t service_size, int flags)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    bool is_six = address->sa_family == AF_INET6;
    if ((!is_six && address->sa_family != AF_INET) || length < (is_six ? sizeof *six : sizeof *four))
        return EAI_FAMILY;
    if (flags & NI_NAMEREQD)
        return EAI_NONAME;
    const void *number = is_six ? (const void *)&six->sin6_addr : &four->sin_addr;
    if (host && host_size && !inet_ntop(address->sa_family, number, host, host_size))
        return EAI_OVERFLOW;
    in_port_t port = is_six ? six->sin6_port : four->sin_port;
    const struct servent *s = flags & NI_NUMERICSERV ? NULL : getservbyport(port, flags & NI_DGRAM ? udp : tcp);
    int n = 0;
    if (service && service_size)
        n = s ? snprintf(service, service_size, "%s", s->s_name) : snprintf(service, service_size, "%u", ntohs(port));
    return n >= 0 && (!service_size || (socklen_t)n < service_size) ? 0 : EAI_OVERFLOW;
}

unsigned if_nametoindex(const char *name)
{
    net_start();
    return lwip_if_nametoindex(name);
}

char *if_indextoname(unsigned index, char *name)
{
    net_start();
    return lwip_if_indextoname(index, name);
}
