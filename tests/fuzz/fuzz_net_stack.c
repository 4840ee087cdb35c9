/* SPDX-License-Identifier: MIT */
/*
 * The network stack (lwIP as user/net builds it) with a hostile neighbour: what a channel's frames may be. It has a
 * server of TCP and one of UDP, asks for an address by DHCP and for a name by DNS. An input is a program of steps:
 * frames of rubbish, and frames that are right but for what the input says, with the numbers of the connection and the
 * questions that the stack itself has sent. No step touches memory that is not the stack's (ASan), or breaks what lwIP
 * takes for certain. Afterwards all of its memory is free again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/dhcp.h"
#include "lwip/dns.h"
#include "lwip/etharp.h"
#include "lwip/ethip6.h"
#include "lwip/init.h"
#include "lwip/priv/memp_priv.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "netif/ethernet.h"

#define OWN     0x0a000001u /* 10.0.0.1 */
#define PEER    0x0a000002u
#define LONGEST 1514
#define PORT    7

static u32_t now;
static struct netif interface;
static u8_t frame[LONGEST];
/* What the stack has sent last: of its connection, of DHCP and of DNS. */
static u32_t seq, ack, dhcp_id;
static u16_t own_port = PORT, dns_id, dns_port;

/* --- what lwIP stands on: one thread, and time that an input lets pass -------------------------------------------- */

void net_broken(const char *what, int line, const char *file)
{
    fprintf(stderr, "%s (%s:%d)\n", what, file, line);
    abort();
}
int h_errno;
u32_t sys_now(void) { return now; }
void sys_init(void) {}
sys_prot_t sys_arch_protect(void) { return 0; }
void sys_arch_unprotect(sys_prot_t before) { (void)before; }
err_t sys_mutex_new(sys_mutex_t *m) { return ERR_OK; }
void sys_mutex_lock(sys_mutex_t *m) {}
void sys_mutex_unlock(sys_mutex_t *m) {}
void sys_mutex_free(sys_mutex_t *m) {}
err_t sys_sem_new(sys_sem_t *s, u8_t n) { return ERR_MEM; }
void sys_sem_free(sys_sem_t *s) {}
void sys_sem_signal(sys_sem_t *s) {}
u32_t sys_arch_sem_wait(sys_sem_t *s, u32_t ms) { return 0; }
err_t sys_mbox_new(sys_mbox_t *m, int n) { return *m = (sys_mbox_t)&now, ERR_OK; }
void sys_mbox_free(sys_mbox_t *m) {}
void sys_mbox_post(sys_mbox_t *m, void *p) {}
err_t sys_mbox_trypost(sys_mbox_t *m, void *p) { return ERR_MEM; }
err_t sys_mbox_trypost_fromisr(sys_mbox_t *m, void *p) { return ERR_MEM; }
u32_t sys_arch_mbox_fetch(sys_mbox_t *m, void **p, u32_t ms) { return SYS_ARCH_TIMEOUT; }
u32_t sys_arch_mbox_tryfetch(sys_mbox_t *m, void **p) { return SYS_MBOX_EMPTY; }
sys_thread_t sys_thread_new(const char *name, lwip_thread_fn f, void *p, int stack, int priority)
{
    return (sys_thread_t)0;
}
sys_sem_t *net_thread_sem(void) { abort(); }

/* --- the servers -------------------------------------------------------------------------------------------------- */

static err_t received(void *unused, struct tcp_pcb *c, struct pbuf *p, err_t err)
{
    if (!p)
        return tcp_close(c);
    tcp_recved(c, p->tot_len);
    if (p->len && tcp_sndbuf(c) >= p->len)
        tcp_write(c, p->payload, p->len, TCP_WRITE_FLAG_COPY);
    pbuf_free(p);
    return ERR_OK;
}

static err_t accepted(void *unused, struct tcp_pcb *c, err_t err)
{
    if (c)
        tcp_recv(c, received);
    return ERR_OK;
}

static void datagram(void *unused, struct udp_pcb *u, struct pbuf *p, const ip_addr_t *from, u16_t port)
{
    udp_sendto(u, p, from, port);
    pbuf_free(p);
}

static void found(const char *name, const ip_addr_t *address, void *unused) {}

static u32_t long_at(const u8_t *at) { return (u32_t)at[0] << 24 | (u32_t)at[1] << 16 | (u32_t)at[2] << 8 | at[3]; }
static u16_t word_at(const u8_t *at) { return (u16_t)(at[0] << 8 | at[1]); }

/* Look at what the stack sends: the next frames answer it. */
static err_t sent(struct netif *n, struct pbuf *p)
{
    u8_t f[LONGEST + ETH_PAD_SIZE] = { 0 };
    if (p->tot_len > sizeof f)
        abort();
    u16_t length = (u16_t)(pbuf_copy_partial(p, f, p->tot_len, 0) - ETH_PAD_SIZE);
    const u8_t *ip = f + ETH_PAD_SIZE + 14, *up = ip + 20;
    if (length < 14 || (length >= 54 && word_at(ip - 2) == 0x0800 && word_at(ip + 2) > length - 14))
        abort();
    if (length < 54 || word_at(ip - 2) != 0x0800)
        return ERR_OK;
    if (ip[9] == 6)
        seq = long_at(up + 4), ack = long_at(up + 8), own_port = word_at(up);
    else if (ip[9] == 17 && word_at(up + 2) == 67)
        dhcp_id = long_at(up + 12);
    else if (ip[9] == 17 && word_at(up + 2) == 53)
        dns_port = word_at(up), dns_id = word_at(up + 8);
    return ERR_OK;
}

static err_t prepare(struct netif *n)
{
    static const u8_t address[6] = { 2, 0, 0, 0, 0, 1 };
    memcpy(n->hwaddr, address, 6);
    n->hwaddr_len = 6;
    n->mtu = 1500;
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_MLD6 | NETIF_FLAG_LINK_UP;
    n->output = etharp_output;
    n->output_ip6 = ethip6_output;
    n->linkoutput = sent;
    return ERR_OK;
}

static unsigned in_use(void)
{
    return lwip_stats.memp[MEMP_PBUF_POOL]->used + lwip_stats.memp[MEMP_PBUF]->used +
           lwip_stats.memp[MEMP_TCP_PCB]->used + lwip_stats.memp[MEMP_TCP_SEG]->used +
           lwip_stats.memp[MEMP_REASSDATA]->used + lwip_stats.memp[MEMP_FRAG_PBUF]->used;
}

static void begin(void)
{
    ip4_addr_t own, mask, gateway;
    ip_addr_t peer = IPADDR4_INIT(PP_HTONL(PEER));
    IP4_ADDR(&own, 10, 0, 0, 1);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 0, 2);
    tcpip_init(NULL, NULL);
    netif_add(&interface, &own, &mask, &gateway, NULL, prepare, ethernet_input);
    netif_create_ip6_linklocal_address(&interface, 1);
    netif_set_ip6_autoconfig_enabled(&interface, 1);
    netif_set_default(&interface);
    netif_set_up(&interface);
    struct tcp_pcb *l = tcp_new();
    struct udp_pcb *u = udp_new();
    if (tcp_bind(l, IP4_ADDR_ANY, PORT) || !(l = tcp_listen(l)) || udp_bind(u, IP4_ADDR_ANY, PORT))
        abort();
    tcp_accept(l, accepted);
    udp_recv(u, datagram, NULL);
    dns_setserver(0, &peer);
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static const u8_t *input, *input_end;

static u8_t byte(void) { return input < input_end ? *input++ : 0; }
static u16_t word(void)
{
    u8_t high = byte();
    return (u16_t)(high << 8 | byte());
}

static u16_t put(u16_t at, uint64_t value, unsigned bytes)
{
    while (bytes--)
        frame[at++] = (u8_t)(value >> 8 * bytes);
    return at;
}

/* As many bytes of the input as it says, at most `most`. */
static u16_t put_bytes(u16_t at, unsigned most)
{
    unsigned n = byte();
    n = n & 1 ? n * 6 : n / 2;
    for (n = n < most ? n : most; n && at < LONGEST && input < input_end; n--)
        frame[at++] = byte();
    return at;
}

static void deliver(u16_t n)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)(n + ETH_PAD_SIZE), PBUF_POOL);
    if (!p)
        return;
    pbuf_take_at(p, frame, n, ETH_PAD_SIZE);
    if (ethernet_input(p, &interface) != ERR_OK)
        pbuf_free(p);
}

/* Change some bytes of what is right, and let the stack have it. */
static void damaged(u16_t n)
{
    for (unsigned k = byte() % 4; k; k--) {
        u16_t at = word() % (n ? n : 1);
        frame[at] = byte();
    }
    deliver(byte() % 8 || n < 20 ? n : (u16_t)(14 + word() % (n - 14)));
}

static u16_t ethernet(u16_t type)
{
    put(0, 0x0200, 2), put(2, 1, 4), put(6, 0x0200, 2), put(8, 2, 4);
    return put(12, type, 2);
}

static u16_t ipv4(u8_t protocol, u16_t fragment)
{
    u16_t at = ethernet(0x0800);
    at = put(at, 0x45000000, 4), at = put(at, (u32_t)now << 16 | fragment, 4),
    at = put(at, 0x40000000u | (u32_t)protocol << 16, 4);
    return put(put(at, PEER, 4), OWN, 4);
}

static void end_ipv4(u16_t n)
{
    put(16, n - 14u, 2);
    damaged(n);
}

static void segment(void)
{
    u16_t at = ipv4(6, 0), start = at;
    at = put(at, 1000 + byte() % 3u, 2), at = put(at, own_port, 2);
    at = put(at, ack + (u32_t)(s8_t)byte() * (byte() % 4 ? 1 : 700), 4), at = put(at, seq + (u32_t)(s8_t)byte(), 4);
    u16_t flags_at = at;
    at = put(at, 0x5000u | (byte() & 0x3f), 2), at = put(at, word(), 2), at = put(at, byte() % 16 ? 0 : word(), 4);
    at = put_bytes(at, 40); /* options */
    while ((at - start) % 4)
        frame[at++] = 1;
    frame[flags_at] = (u8_t)((at - start) / 4 << 4);
    end_ipv4(put_bytes(at, 1400));
}

static u16_t udp(u16_t from, u16_t to) { return put(put(put(ipv4(17, 0), from, 2), to, 2), 0, 4); }

static void end_udp(u16_t n)
{
    put(38, n - 34u, 2);
    end_ipv4(n);
}

static void dhcp_answer(void)
{
    if (!interface.ip_addr.u_addr.ip4.addr || !netif_dhcp_data(&interface))
        dhcp_start(&interface);
    u16_t at = udp(67, 68), start = at;
    at = put(at, 0x02010600, 4), at = put(at, dhcp_id, 4);
    memset(frame + at, 0, 300);
    put(start + 16, OWN, 4), put(start + 28, 0x0200, 2), put(start + 30, 1, 4);
    at = put(start + 236, 0x63825363, 4);
    at = put(at, 0x350100u | (byte() % 2 ? 2 : 5), 3), at = put(at, 0x3604, 2), at = put(at, PEER, 4);
    end_udp(put_bytes(at, 500));
}

static void dns_answer(void)
{
    ip_addr_t address;
    dns_gethostbyname("name.of.host", &address, found, NULL);
    u16_t at = udp(53, dns_port);
    at = put(at, dns_id, 2), at = put(at, 0x8180, 2), at = put(at, 1, 2), at = put(at, byte() % 4u, 2),
    at = put(at, 0, 4);
    memcpy(frame + at, "\4name\2of\4host\0\0\1\0\1", 18);
    end_udp(put_bytes((u16_t)(at + 18), 500));
}

static void ipv6(void)
{
    static const u8_t next[] = { 58, 58, 58, 6, 17, 0, 43, 44, 60 };
    u16_t at = ethernet(0x86dd), start;
    at = put(at, 0x60000000, 4), at = put(at, 0, 2), at = put(at, next[byte() % sizeof next], 1), at = put(at, 255, 1);
    at = put(at, 0xfe800000, 4), at = put(at, 0, 4), at = put(at, 0x000000ff, 4), at = put(at, 0xfe000002, 4);
    start = at;
    memcpy(frame + at, netif_ip6_addr(&interface, 0)->addr, 16);
    if (byte() % 2)
        put(at, 0xff020000, 4), put(at + 4, 0, 8), put(at + 12, 1, 4);
    at = put(start + 16, 128u + byte() % 12, 1); /* a type of ICMP, if it is that */
    at = put(at, byte() % 4 ? 0 : byte(), 1);
    at = put_bytes(at, 1300);
    put(18, at - 54u, 2);
    damaged(at);
}

static void arp(void)
{
    u16_t at = ethernet(0x0806);
    at = put(at, 0x00010800, 4), at = put(at, 0x06040000u | (1 + byte() % 2u), 4);
    at = put(at, 0x0200, 2), at = put(at, 2, 4), at = put(at, byte() % 4 ? PEER : OWN + byte(), 4), at = put(at, 0, 6);
    damaged(put(at, OWN, 4));
}

static void pass(u32_t ms)
{
    now += ms;
    netif_poll(&interface);
    sys_check_timeouts();
}

static void step(void)
{
    switch (byte() % 12) {
    case 0: deliver(put_bytes(0, LONGEST)); break;
    case 1: arp(); break;
    case 2: damaged(put_bytes(ethernet(0x0800), 1400)); break;
    case 3: end_ipv4(put_bytes(put(ipv4(1, 0), (byte() % 2 ? 0x0800u : byte() << 8) | byte() % 4, 2), 1400)); break;
    case 4:
        end_ipv4(put_bytes(ipv4(byte() % 2 ? 17 : byte(), (u16_t)((byte() % 2) << 13 | word() % 200)), 1400));
        break;
    case 5: end_udp(put_bytes(udp(word(), PORT), 1400)); break;
    case 6: dhcp_answer(); break;
    case 7: dns_answer(); break;
    case 8: ipv6(); break;
    case 9: pass(byte() * 20u); break;
    default: segment();
    }
}

/* As a stack is before anybody has sent anything. */
static void end(void)
{
    while (tcp_active_pcbs)
        tcp_abort(tcp_active_pcbs);
    while (tcp_tw_pcbs)
        tcp_abort(tcp_tw_pcbs);
    if (netif_dhcp_data(&interface)) {
        ip4_addr_t own, mask, gateway;
        dhcp_release_and_stop(&interface);
        IP4_ADDR(&own, 10, 0, 0, 1);
        IP4_ADDR(&mask, 255, 255, 255, 0);
        IP4_ADDR(&gateway, 10, 0, 0, 2);
        netif_set_addr(&interface, &own, &mask, &gateway);
    }
    for (unsigned i = 0; i < 100; i++) /* what waits for an answer or for its rest is given up */
        pass(1000);
    etharp_cleanup_netif(&interface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned free_use;
    static bool begun;
    if (!begun) {
        begin();
        end();
        free_use = in_use();
        begun = true;
    }
    input = data;
    input_end = data + size;
    while (input < input_end)
        step();
    end();
    if (in_use() != free_use) {
        fprintf(stderr, "%u of the stack's pieces are in use, %u were\n", in_use(), free_use);
        abort();
    }
    return 0;
}
