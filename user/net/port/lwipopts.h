/* SPDX-License-Identifier: MIT */
/*
 * lwipopts.h - how lwIP is built for a process. All of its memory is fixed and in the program's image, so that nothing
 * a neighbour or a program does can take more: some 250 KiB, beside
 * the mailboxes of sockets (test_a_server_with_16_connections_fits_in_512_kib).
 */
#ifndef AMALGAM_NET_LWIPOPTS_H
#define AMALGAM_NET_LWIPOPTS_H

/* Calls of the program run in its own thread, with the stack's lock; so do frames, in the thread of their channel. */
#define NO_SYS                        0
#define LWIP_TCPIP_CORE_LOCKING       1
#define LWIP_TCPIP_CORE_LOCKING_INPUT 1
#define LWIP_NETCONN_SEM_PER_THREAD   1
#define SYS_LIGHTWEIGHT_PROT          1
#define TCPIP_THREAD_NAME             "network"
#define TCPIP_THREAD_STACKSIZE        16384
#define TCPIP_MBOX_SIZE               16
#define DEFAULT_UDP_RECVMBOX_SIZE     16
#define DEFAULT_RAW_RECVMBOX_SIZE     16
#define DEFAULT_TCP_RECVMBOX_SIZE     32
#define DEFAULT_ACCEPTMBOX_SIZE       16

/* Memory. */
#define MEM_ALIGNMENT            8
#define MEM_SIZE                 (112 * 1024) /* what is sent, and small things */
#define PBUF_POOL_SIZE           64           /* what was received */
#define PBUF_POOL_BUFSIZE        1600
#define MEMP_NUM_NETCONN         56 /* sockets; a process has 64 numbers of files */
#define MEMP_NUM_TCP_PCB         40 /* connections, also those that are ending */
#define MEMP_NUM_TCP_PCB_LISTEN  16
#define MEMP_NUM_UDP_PCB         20
#define MEMP_NUM_RAW_PCB         4
#define MEMP_NUM_NETBUF          32
#define MEMP_NUM_TCP_SEG         256
#define MEMP_NUM_REASSDATA       4
#define MEMP_NUM_FRAG_PBUF       8
#define MEMP_NUM_NETDB           4
#define MEMP_NUM_SYS_TIMEOUT     16
#define MEMP_NUM_TCPIP_MSG_API   16
#define MEMP_NUM_TCPIP_MSG_INPKT 16
#define IP_REASS_MAX_PBUFS       24
#ifndef LWIP_STATS /* a fuzzer counts */
#define LWIP_STATS 0
#endif

/* Protocols. */
#define ETH_PAD_SIZE                  2
#define LWIP_IPV4                     1
#define LWIP_IPV6                     1
#define LWIP_IPV6_DHCP6               0
#define IPV6_FRAG_COPYHEADER          1 /* pointers are wide */
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS 0 /* addresses are of domain and channel, or of a card: the first call works */
#define LWIP_DHCP                     1
#define LWIP_DNS                      1
#define LWIP_DNS_API_DECLARE_H_ERRNO  0
#define DNS_MAX_SERVERS               2
#define LWIP_ICMP                     1
#define LWIP_IGMP                     0
#define LWIP_RAW                      1
#define LWIP_ARP                      1
#define ARP_TABLE_SIZE                16
#define ARP_QUEUEING                  0
#define LWIP_HAVE_LOOPIF              1
#define LWIP_NETIF_LOOPBACK           1
#define LWIP_LOOPBACK_MAX_PBUFS       64
#define LWIP_NETIF_TX_SINGLE_PBUF     1
#define LWIP_NETIF_LINK_CALLBACK      1
#define LWIP_CHECKSUM_ON_COPY         1
#define LWIP_CHKSUM_ALGORITHM         0

#define TCP_MSS                    1460
#define TCP_WND                    (10 * TCP_MSS)
#define TCP_SND_BUF                (10 * TCP_MSS)
#define TCP_SND_QUEUELEN           40
#define TCP_QUEUE_OOSEQ            1
#define TCP_OOSEQ_MAX_PBUFS        8
#define TCP_LISTEN_BACKLOG         1
#define TCP_DEFAULT_LISTEN_BACKLOG 16
#define LWIP_TCP_KEEPALIVE         1
#define LWIP_TCP_SACK_OUT          0

/* A connection's first number cannot be guessed (RFC 6528), nor can a port (RFC 6056). */
#define LWIP_HOOK_FILENAME                 "hooks.h"
#define LWIP_HOOK_TCP_ISN                  net_first_number
#define LWIP_RANDOMIZE_INITIAL_LOCAL_PORTS 1

/* Sockets. Names and numbers of files are those of user/net/sockets.c. */
#define LWIP_SOCKET                 1
#define LWIP_NETCONN                1
#define LWIP_COMPAT_SOCKETS         0
#define LWIP_POSIX_SOCKETS_IO_NAMES 0
#define LWIP_SOCKET_SELECT          0
#define LWIP_SOCKET_POLL            1
#define LWIP_SO_RCVTIMEO            1
#define LWIP_SO_SNDTIMEO            1
#define LWIP_SO_LINGER              1
#define LWIP_SO_RCVBUF              1
#define RECV_BUFSIZE_DEFAULT        (16 * 1024)
#define SO_REUSE                    1
#define LWIP_FIONREAD_LINUXMODE     1

/* Its httpd has no pages of its own (user/net/httpd.c). */
#define LWIP_HTTPD_CUSTOM_FILES      1
#define LWIP_HTTPD_DYNAMIC_HEADERS   1
#define LWIP_HTTPD_DYNAMIC_FILE_READ 1
#define HTTPD_FSDATA_FILE            "nopages.h"

#endif
