/* SPDX-License-Identifier: MIT */
/* stack.c - how the stack begins (stack.h). */
#include "stack.h"

#include <amalgam/net.h>
#include <amalgam/scc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "address.h"
#include "lwip/dhcp.h"
#include "lwip/dns.h"
#include "lwip/netif.h"
#include "lwip/tcpip.h"

#define LINK_MS  1000  /* that the first call waits for the other end of a channel at most */
#define LEASE_MS 10000 /* and for an address of DHCP */

void net_broken(const char *what, int line, const char *file)
{
    fprintf(stderr, "network: %s (%s:%d)\n", what, file, line);
    abort();
}

static struct netif interfaces[NET_INTERFACES];
static struct net_plan plans[NET_INTERFACES];

/* With the stack's lock. */
static void open_interface(struct netif *interface, struct net_plan *plan)
{
    int64_t core = plan->core ? amalgam_mail_core() : 0;
    if (core > 0)
        plan->address.addr =
            lwip_htonl(address_above(lwip_ntohl(plan->address.addr), lwip_ntohl(plan->mask.addr), (uint32_t)core));
    if (core > 0 && !plan->address.addr) {
        fprintf(stderr, "network: NET's network has no address for core %u\n", (unsigned)core);
        return;
    }
    if (!(plan->port ? net_port_open : net_channel_open)(interface, plan)) {
        fprintf(stderr, "network: NET names %s %u, which there is not\n", plan->port ? "port" : "channel",
                (unsigned)plan->channel);
        return;
    }
    netif_create_ip6_linklocal_address(interface, 1);
    netif_set_ip6_autoconfig_enabled(interface, 1);
    netif_set_up(interface);
    if (!netif_default)
        netif_set_default(interface);
    if (plan->dhcp) {
        dhcp_start(interface);
    } else if (!ip4_addr_isany_val(plan->server)) {
        ip_addr_t server = IPADDR4_INIT(plan->server.addr);
        dns_setserver(0, &server);
    }
}

/* Returns whether an interface is not ready that may become so. */
static bool is_awaited(unsigned n, unsigned ms)
{
    LOCK_TCPIP_CORE();
    bool awaited = false;
    for (unsigned i = 0; i < n; i++)
        awaited |= plans[i].dhcp ? ms < LEASE_MS && !dhcp_supplied_address(&interfaces[i])
                                 : ms < LINK_MS && interfaces[i].state && !netif_is_link_up(&interfaces[i]);
    UNLOCK_TCPIP_CORE();
    return awaited;
}

static void ready(void *sem) { sys_sem_signal(sem); }

static void start(void)
{
    int n = net_plans(getenv("NET"), plans);
    sys_sem_t begun;
    if (n < 0)
        fprintf(stderr, "network: NET is wrong: '%s'\n", getenv("NET"));
    if (sys_sem_new(&begun, 0) != ERR_OK)
        net_broken("no memory", __LINE__, __FILE__);
    tcpip_init(ready, &begun);
    sys_arch_sem_wait(&begun, 0);
    sys_sem_free(&begun);
    LOCK_TCPIP_CORE();
    for (int i = 0; i < n; i++)
        open_interface(&interfaces[i], &plans[i]);
    UNLOCK_TCPIP_CORE();
    for (int i = 0; i < n; i++)
        if (interfaces[i].state)
            (plans[i].port ? net_port_begin : net_channel_begin)(&interfaces[i]);
    for (unsigned ms = 0; n > 0 && is_awaited((unsigned)n, ms); ms += 10)
        usleep(10000);
}

void net_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

int amalgam_net_frames(unsigned n, uint32_t *sent, uint32_t *received)
{
    if (n >= NET_INTERFACES || !interfaces[n].state)
        return -1;
    (plans[n].port ? net_port_frames : net_channel_frames)(&interfaces[n], sent, received);
    return 0;
}
