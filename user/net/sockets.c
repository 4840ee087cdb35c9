/* SPDX-License-Identifier: MIT */
/*
 * sockets.c - sys/socket.h: lwIP's sockets as a kind of the process's files (user/lib/files.h).
 *
 * lwIP numbers its sockets itself; the kind keeps that number. Its sockets can be read by one thread and written by
 * another one, but not read by two: so there is a lock for either. Whether calls wait is the file's O_NONBLOCK. Each
 * event of lwIP's is told to who waits in poll().
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/files.h"
#include "lwip/api.h"
#include "lwip/priv/sockets_priv.h"
#include "lwip/priv/tcpip_priv.h"
#include "lwip/sockets.h"
#include "lwip/tcpip.h"
#include "stack.h"

struct lwip_sock *lwip_socket_dbg_get_socket(int s);

struct net_socket {
    int number; /* lwIP's */
    bool stream, connected;
    pthread_mutex_t reads, writes;
};

static const struct file_kind kind;
static void (*lwip_event)(struct netconn *, enum netconn_evt, u16_t);

/* Called by lwIP when something happens to a connection. */
static void event(struct netconn *c, enum netconn_evt what, u16_t n)
{
    lwip_event(c, what, n);
    files_changed();
}

/* --- from a number to lwIP's -------------------------------------------------------------------------------------- */

/* Returns the file of a socket, held; NULL with errno EBADF or ENOTSOCK. */
static struct open_file *hold(int number)
{
    files_enter();
    struct open_file *f = files_of(number);
    if (f && f->kind == &kind)
        f->held++;
    else
        errno = f ? ENOTSOCK : EBADF, f = NULL;
    files_leave();
    return f;
}

static void let(struct open_file *f)
{
    int error = errno;
    files_enter();
    files_drop(f);
    files_leave();
    errno = error;
}

/* The same, in a call: RESULT = IN(socket, f, ...), with the socket held meanwhile. */
#define WITH(number, result)                                                                                           \
    struct open_file *f = hold(number);                                                                                \
    if (!f)                                                                                                            \
        return -1;                                                                                                     \
    struct net_socket *s = f->own;                                                                                     \
    __auto_type done = result;                                                                                         \
    let(f);                                                                                                            \
    return done

static bool waits(const struct open_file *f, int flags) { return !(flags & MSG_DONTWAIT) && !(f->flags & O_NONBLOCK); }

/* lwIP's own flag counts where it has no argument for it. */
static void tell_waiting(const struct open_file *f, const struct net_socket *s)
{
    lwip_fcntl(s->number, F_SETFL, f->flags & O_NONBLOCK);
}

/* Copy an address as lwIP takes it: aligned, and as long as its family is. Returns NULL with EINVAL or EAFNOSUPPORT. */
static const struct sockaddr *address_of(const struct sockaddr *from, socklen_t *length, struct sockaddr_storage *to)
{
    socklen_t own = sizeof(struct sockaddr_in);
    if (!from || *length < own || *length > sizeof *to) {
        errno = EINVAL;
        return NULL;
    }
    memcpy(to, from, *length);
    if (to->ss_family == AF_INET6)
        own = sizeof(struct sockaddr_in6);
    if ((to->ss_family != AF_INET && to->ss_family != AF_INET6) || *length < own) {
        errno = *length < own ? EINVAL : EAFNOSUPPORT;
        return NULL;
    }
    *length = own;
    return (const struct sockaddr *)to;
}

/* --- the kind ----------------------------------------------------------------------------------------------------- */

/* Take one of a socket's locks. Returns false with EAGAIN if it is taken and the call is not to wait. */
static bool lock(pthread_mutex_t *m, bool wait)
{
    if (!(wait ? pthread_mutex_lock(m) : pthread_mutex_trylock(m)))
        return true;
    errno = EAGAIN;
    return false;
}

#define RECEIVES (MSG_PEEK | MSG_DONTWAIT)
#define SENDS    (MSG_MORE | MSG_DONTWAIT)

/* What lwIP takes of the flags, with whether to wait. */
static int flags_of(const struct open_file *f, int flags, int of)
{
    return (flags & of) | (waits(f, flags) ? 0 : MSG_DONTWAIT);
}

/* Returns 0, or the error of a call that receives. lwIP waits for ever at a stream without a connection. */
static int cannot_receive(const struct net_socket *s, int flags)
{
    return flags & MSG_OOB ? EOPNOTSUPP : s->stream && !s->connected ? ENOTCONN : 0;
}

/* Read until `n` bytes have come, if that is asked for of a stream. */
static ssize_t receive_all(struct net_socket *s, char *to, size_t n, int how)
{
    size_t all = 0;
    ssize_t done = 0;
    while (all < n && (done = lwip_recv(s->number, to + all, n - all, how)) > 0)
        all += (size_t)done;
    return all || done >= 0 ? (ssize_t)all : -1;
}

static ssize_t receive(struct open_file *f, struct net_socket *s, void *to, size_t n, int flags, struct sockaddr *from,
                       socklen_t *length)
{
    int error = cannot_receive(s, flags);
    if (error)
        return errno = error, -1;
    if (!lock(&s->reads, waits(f, flags)))
        return -1;
    int how = flags_of(f, flags, RECEIVES);
    ssize_t done = flags & MSG_WAITALL && s->stream && !(how & RECEIVES)
                       ? receive_all(s, to, n, how)
                       : lwip_recvfrom(s->number, to, n, how, from, length);
    pthread_mutex_unlock(&s->reads);
    return done;
}

/* POSIX' error for a connection that has ended. */
static ssize_t sent(const struct net_socket *s, ssize_t done)
{
    if (done < 0 && errno == ENOTCONN && s->connected)
        errno = EPIPE;
    return done;
}

static ssize_t transmit(struct open_file *f, struct net_socket *s, const void *from, size_t n, int flags,
                        const struct sockaddr *to, socklen_t length)
{
    struct sockaddr_storage copy;
    if (flags & MSG_OOB)
        return errno = EOPNOTSUPP, -1;
    if (to && !(to = address_of(to, &length, &copy)))
        return -1;
    if (!lock(&s->writes, waits(f, flags)))
        return -1;
    int how = flags_of(f, flags, SENDS);
    ssize_t done = to ? lwip_sendto(s->number, from, n, how, to, length) : lwip_send(s->number, from, n, how);
    pthread_mutex_unlock(&s->writes);
    return sent(s, done);
}

/* The kind's functions are called with the lock of files, which none of lwIP's calls may wait with. */
static int64_t kind_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)at;
    files_leave();
    ssize_t done = receive(f, f->own, to, n, 0, NULL, NULL);
    int64_t result = done < 0 ? -errno : done;
    files_enter();
    return result;
}

static int64_t kind_write(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    (void)at;
    files_leave();
    ssize_t done = transmit(f, f->own, from, n, 0, NULL, 0);
    int64_t result = done < 0 ? -errno : done;
    files_enter();
    return result;
}

static int kind_describe(const struct open_file *f, struct stat *s)
{
    (void)f;
    *s = (struct stat){ .st_mode = S_IFSOCK | 0777, .st_nlink = 1 };
    return 0;
}

static short kind_poll(struct open_file *f)
{
    const struct net_socket *s = f->own;
    const struct lwip_sock *k = lwip_socket_dbg_get_socket(s->number);
    SYS_ARCH_DECL_PROTECT(level);
    SYS_ARCH_PROTECT(level);
    bool in = k->lastdata.pbuf || k->rcvevent > 0, out = k->sendevent, error = k->errevent;
    SYS_ARCH_UNPROTECT(level);
    return (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0) | (error ? POLLERR : 0));
}

static void free_socket(struct net_socket *s)
{
    lwip_close(s->number);
    pthread_mutex_destroy(&s->reads);
    pthread_mutex_destroy(&s->writes);
    free(s);
}

static void kind_end(struct open_file *f)
{
    files_leave();
    free_socket(f->own);
    files_enter();
}

static const struct file_kind kind = {
    .read = kind_read, .write = kind_write, .describe = kind_describe, .poll = kind_poll, .end = kind_end
};

/* Give lwIP's socket `number` a number of the process's. Returns it, or -1; then the socket is closed. */
static int adopt(int number, bool stream, bool connected, int flags)
{
    struct net_socket *s = number < 0 ? NULL : malloc(sizeof *s);
    if (!s) {
        if (number >= 0)
            lwip_close(number), errno = ENOMEM;
        return -1;
    }
    *s = (struct net_socket){ .number = number, .stream = stream, .connected = connected };
    pthread_mutex_init(&s->reads, NULL);
    pthread_mutex_init(&s->writes, NULL);
    struct netconn *c = lwip_socket_dbg_get_socket(number)->conn;
    LOCK_TCPIP_CORE();
    if (c->callback != event) {
        lwip_event = c->callback;
        c->callback = event;
    }
    UNLOCK_TCPIP_CORE();
    int result = files_open(&kind, s, O_RDWR | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0));
    if (result < 0)
        free_socket(s);
    return (int)files_result(result);
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

/* Returns 0 or the error of a socket that there cannot be. */
static int refused(int family, int type, int protocol)
{
    if (family != AF_INET && family != AF_INET6)
        return EAFNOSUPPORT;
    if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_RAW)
        return EPROTOTYPE;
    if ((type == SOCK_STREAM && protocol && protocol != IPPROTO_TCP) ||
        (type == SOCK_DGRAM && protocol && protocol != IPPROTO_UDP))
        return EPROTONOSUPPORT;
    return 0;
}

int socket(int family, int type, int protocol)
{
    int flags = type & (SOCK_NONBLOCK | SOCK_CLOEXEC);
    type &= ~flags;
    int error = refused(family, type, protocol);
    if (error)
        return errno = error, -1;
    net_start();
    return adopt(lwip_socket(family, type, protocol), type == SOCK_STREAM, false, flags);
}

int socketpair(int family, int type, int protocol, int numbers[2])
{
    (void)family, (void)type, (void)protocol, (void)numbers;
    return errno = EAFNOSUPPORT, -1;
}

static int connect_to(const struct open_file *f, struct net_socket *s, const struct sockaddr *address, socklen_t length)
{
    struct sockaddr_storage copy;
    if (!(address = address_of(address, &length, &copy)))
        return -1;
    tell_waiting(f, s);
    int result = lwip_connect(s->number, address, length);
    s->connected |= s->stream && (!result || errno == EINPROGRESS);
    if (result && errno == ECONNRESET) /* nobody listens there: lwIP makes no difference */
        errno = ECONNREFUSED;
    return result;
}

static int accept_from(const struct open_file *f, const struct net_socket *s, struct sockaddr *address,
                       socklen_t *length, int flags)
{
    tell_waiting(f, s);
    return adopt(lwip_accept(s->number, address, length), true, true, flags);
}

int accept4(int number, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
    WITH(number, accept_from(f, s, address, length, flags));
}

int accept(int number, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return accept4(number, address, length, 0);
}

int connect(int number, const struct sockaddr *address, socklen_t length)
{
    WITH(number, connect_to(f, s, address, length));
}

static int bind_to(const struct net_socket *s, const struct sockaddr *address, socklen_t length)
{
    struct sockaddr_storage copy;
    address = address_of(address, &length, &copy);
    return address ? lwip_bind(s->number, address, length) : -1;
}

int bind(int number, const struct sockaddr *address, socklen_t length) { WITH(number, bind_to(s, address, length)); }

int listen(int number, int backlog)
{
    WITH(number, lwip_listen(s->number, backlog < 0 ? 0 : backlog > SOMAXCONN ? SOMAXCONN : backlog));
}

int shutdown(int number, int how) { WITH(number, lwip_shutdown(s->number, how)); }

int getsockname(int number, struct sockaddr *restrict address, socklen_t *restrict length)
{
    WITH(number, lwip_getsockname(s->number, address, length));
}

int getpeername(int number, struct sockaddr *restrict address, socklen_t *restrict length)
{
    WITH(number, lwip_getpeername(s->number, address, length));
}

/* --- data --------------------------------------------------------------------------------------------------------- */

ssize_t recvfrom(int number, void *restrict to, size_t n, int flags, struct sockaddr *restrict from,
                 socklen_t *restrict length)
{
    WITH(number, receive(f, s, to, n, flags, from, length));
}

ssize_t recv(int number, void *to, size_t n, int flags) { return recvfrom(number, to, n, flags, NULL, NULL); }

ssize_t sendto(int number, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length)
{
    WITH(number, transmit(f, s, from, n, flags, to, length));
}

ssize_t send(int number, const void *from, size_t n, int flags) { return sendto(number, from, n, flags, NULL, 0); }

static ssize_t receive_message(const struct open_file *f, struct net_socket *s, struct msghdr *m, int flags)
{
    int error = cannot_receive(s, flags);
    if (error)
        return errno = error, -1;
    if (!lock(&s->reads, waits(f, flags)))
        return -1;
    ssize_t done = lwip_recvmsg(s->number, m, flags_of(f, flags, RECEIVES));
    pthread_mutex_unlock(&s->reads);
    return done;
}

static ssize_t send_message(const struct open_file *f, struct net_socket *s, const struct msghdr *m, int flags)
{
    if (!lock(&s->writes, waits(f, flags)))
        return -1;
    ssize_t done = lwip_sendmsg(s->number, m, flags_of(f, flags, SENDS));
    pthread_mutex_unlock(&s->writes);
    return sent(s, done);
}

ssize_t recvmsg(int number, struct msghdr *m, int flags) { WITH(number, receive_message(f, s, m, flags)); }
ssize_t sendmsg(int number, const struct msghdr *m, int flags) { WITH(number, send_message(f, s, m, flags)); }

/* --- options ------------------------------------------------------------------------------------------------------ */

int getsockopt(int number, int level, int option, void *restrict value, socklen_t *restrict length)
{
    WITH(number, lwip_getsockopt(s->number, level, option, value, length));
}

/* The buffer for what is sent has one size; programs that want another one can do without. */
static int set(const struct net_socket *s, int level, int option, const void *value, socklen_t length)
{
    if (level == SOL_SOCKET && option == SO_SNDBUF)
        return 0;
    return lwip_setsockopt(s->number, level, option, value, length);
}

int setsockopt(int number, int level, int option, const void *value, socklen_t length)
{
    WITH(number, set(s, level, option, value, length));
}

static int control(struct open_file *f, const struct net_socket *s, unsigned long what, int *value)
{
    if (what == FIONREAD)
        return lwip_ioctl(s->number, FIONREAD, value);
    if (what != FIONBIO)
        return errno = ENOTTY, -1;
    files_enter();
    f->flags = (f->flags & ~O_NONBLOCK) | (*value ? O_NONBLOCK : 0);
    files_leave();
    return 0;
}

int ioctl(int number, unsigned long what, ...)
{
    va_list more;
    va_start(more, what);
    int *value = va_arg(more, int *);
    va_end(more);
    WITH(number, control(f, s, what, value));
}
