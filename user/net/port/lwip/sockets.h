/* SPDX-License-Identifier: MIT */
/* lwip/sockets.h - in place of lwIP's own: it goes by our <sys/socket.h>, so that there is one set of names and
 * numbers. */
#ifndef AMALGAM_NET_LWIP_SOCKETS_H
#define AMALGAM_NET_LWIP_SOCKETS_H

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "lwip/err.h"
#include "lwip/inet.h"
#include "lwip/ip_addr.h"
#include "lwip/netif.h"
#include "lwip/opt.h"

#define SIN_ZERO_LEN sizeof(((struct sockaddr_in *)0)->sin_zero)

int lwip_socket(int family, int type, int protocol);
int lwip_close(int s);
int lwip_bind(int s, const struct sockaddr *address, socklen_t length);
int lwip_listen(int s, int backlog);
int lwip_accept(int s, struct sockaddr *address, socklen_t *length);
int lwip_connect(int s, const struct sockaddr *address, socklen_t length);
int lwip_shutdown(int s, int how);
int lwip_getsockname(int s, struct sockaddr *address, socklen_t *length);
int lwip_getpeername(int s, struct sockaddr *address, socklen_t *length);
int lwip_getsockopt(int s, int level, int option, void *value, socklen_t *length);
int lwip_setsockopt(int s, int level, int option, const void *value, socklen_t length);
ssize_t lwip_recv(int s, void *to, size_t n, int flags);
ssize_t lwip_recvfrom(int s, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length);
ssize_t lwip_recvmsg(int s, struct msghdr *m, int flags);
ssize_t lwip_read(int s, void *to, size_t n);
ssize_t lwip_readv(int s, const struct iovec *piece, int n);
ssize_t lwip_send(int s, const void *from, size_t n, int flags);
ssize_t lwip_sendto(int s, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length);
ssize_t lwip_sendmsg(int s, const struct msghdr *m, int flags);
ssize_t lwip_write(int s, const void *from, size_t n);
ssize_t lwip_writev(int s, const struct iovec *piece, int n);
int lwip_poll(struct pollfd *of, nfds_t n, int ms);
int lwip_ioctl(int s, long what, void *value);
int lwip_fcntl(int s, int what, int value);
const char *lwip_inet_ntop(int family, const void *address, char *text, socklen_t size);
int lwip_inet_pton(int family, const char *text, void *address);
void lwip_socket_thread_init(void);
void lwip_socket_thread_cleanup(void);

#endif
