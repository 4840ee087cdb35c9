/* SPDX-License-Identifier: MIT */
/*
 * sys/socket.h - POSIX' sockets, on the network stack that is in the program (docs/network.md). A socket is a file's
 * number: read(), write(), close(), dup(), fcntl(), poll() and select() work on it. Each function returns -1 and sets
 * errno if it fails.
 *
 * There are AF_INET and AF_INET6, of SOCK_STREAM, SOCK_DGRAM and SOCK_RAW; anything else is EAFNOSUPPORT,
 * EPROTONOSUPPORT or EPROTOTYPE. No call sends SIGPIPE, and no signal ends one that waits. A socket that another
 * thread waits at stays open until that call returns.
 */
#ifndef AMALGAM_SYS_SOCKET_H
#define AMALGAM_SYS_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t sa_family_t;
typedef uint32_t socklen_t;

/* As 4.4BSD has them: with a length, which no call needs. */
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};

struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char ss_padding[2];
    uint32_t ss_words[6];
};

struct msghdr {
    void *msg_name;
    socklen_t msg_namelen;
    struct iovec *msg_iov;
    int msg_iovlen;
    void *msg_control;
    socklen_t msg_controllen;
    int msg_flags;
};

struct cmsghdr {
    socklen_t cmsg_len; /* with this header */
    int cmsg_level, cmsg_type;
};

#define AMALGAM_CMSG_ALIGN(n) (((n) + sizeof(long) - 1) & ~(sizeof(long) - 1))
#define CMSG_DATA(c)          ((unsigned char *)(c) + AMALGAM_CMSG_ALIGN(sizeof(struct cmsghdr)))
#define CMSG_LEN(n)           (AMALGAM_CMSG_ALIGN(sizeof(struct cmsghdr)) + (n))
#define CMSG_SPACE(n)         (AMALGAM_CMSG_ALIGN(sizeof(struct cmsghdr)) + AMALGAM_CMSG_ALIGN(n))
#define CMSG_FIRSTHDR(m)                                                                                               \
    ((m)->msg_controllen >= sizeof(struct cmsghdr) ? (struct cmsghdr *)(m)->msg_control : (struct cmsghdr *)0)
#define CMSG_NXTHDR(m, c)                                                                                              \
    ((char *)(c) + CMSG_SPACE(0) + AMALGAM_CMSG_ALIGN((c)->cmsg_len) > (char *)(m)->msg_control + (m)->msg_controllen  \
         ? (struct cmsghdr *)0                                                                                         \
         : (struct cmsghdr *)((char *)(c) + AMALGAM_CMSG_ALIGN((c)->cmsg_len)))

struct linger {
    int l_onoff, l_linger; /* seconds */
};

#define AF_UNSPEC 0
#define AF_UNIX   1
#define AF_LOCAL  AF_UNIX
#define AF_INET   2
#define AF_INET6  10
#define PF_UNSPEC AF_UNSPEC
#define PF_UNIX   AF_UNIX
#define PF_LOCAL  AF_LOCAL
#define PF_INET   AF_INET
#define PF_INET6  AF_INET6

#define SOCK_STREAM   1
#define SOCK_DGRAM    2
#define SOCK_RAW      3
#define SOCK_NONBLOCK 0x100
#define SOCK_CLOEXEC  0x200 /* there is no exec() */
#define SOMAXCONN     16

#define SOL_SOCKET 0xfff

/* The stack's bits. */
#define SO_ACCEPTCONN   0x0002
#define SO_REUSEADDR    0x0004
#define SO_KEEPALIVE    0x0008
#define SO_BROADCAST    0x0020
#define SO_LINGER       0x0080
#define SO_SNDBUF       0x1001 /* taken and ignored: the stack's memory is fixed */
#define SO_RCVBUF       0x1002
#define SO_SNDTIMEO     0x1005
#define SO_RCVTIMEO     0x1006
#define SO_ERROR        0x1007
#define SO_TYPE         0x1008
#define SO_NO_CHECK     0x100a
#define SO_BINDTODEVICE 0x100b

#define MSG_PEEK     0x01
#define MSG_WAITALL  0x02
#define MSG_OOB      0x04 /* EOPNOTSUPP */
#define MSG_DONTWAIT 0x08
#define MSG_MORE     0x10
#define MSG_NOSIGNAL 0x20
#define MSG_TRUNC    0x40
#define MSG_CTRUNC   0x80

#define SHUT_RD   0
#define SHUT_WR   1
#define SHUT_RDWR 2

/* EMFILE: all of the process's numbers are in use; ENFILE: all of the stack's sockets; ENOMEM. */
int socket(int family, int type, int protocol);
/* EAFNOSUPPORT: there are none. */
int socketpair(int family, int type, int protocol, int numbers[2]);
int bind(int s, const struct sockaddr *address, socklen_t length);
int listen(int s, int backlog);
int accept(int s, struct sockaddr *__restrict address, socklen_t *__restrict length);
int accept4(int s, struct sockaddr *__restrict address, socklen_t *__restrict length, int flags);
int connect(int s, const struct sockaddr *address, socklen_t length);
int shutdown(int s, int how);

/* EPIPE: the connection has ended. */
ssize_t send(int s, const void *from, size_t n, int flags);
ssize_t sendto(int s, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length);
ssize_t sendmsg(int s, const struct msghdr *m, int flags);
ssize_t recv(int s, void *to, size_t n, int flags);
ssize_t recvfrom(int s, void *__restrict to, size_t n, int flags, struct sockaddr *__restrict from,
                 socklen_t *__restrict length);
ssize_t recvmsg(int s, struct msghdr *m, int flags);

int getsockname(int s, struct sockaddr *__restrict address, socklen_t *__restrict length);
int getpeername(int s, struct sockaddr *__restrict address, socklen_t *__restrict length);
int getsockopt(int s, int level, int option, void *__restrict value, socklen_t *__restrict length);
int setsockopt(int s, int level, int option, const void *value, socklen_t length);

#ifdef __cplusplus
}
#endif

#endif
