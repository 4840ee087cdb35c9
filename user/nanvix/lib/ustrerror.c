/* SPDX-License-Identifier: MIT */
/* ustrerror.c - the names of errors. */
#include <nanvix/ulib.h>

#define NAME(error) [error] = #error

static const char *const names[] = {
    NAME(E2BIG),           NAME(EACCES),          NAME(EADDRINUSE),   NAME(EADDRNOTAVAIL), NAME(EAFNOSUPPORT),
    NAME(EAGAIN),          NAME(EALREADY),        NAME(EBADF),        NAME(EBADMSG),       NAME(EBUSY),
    NAME(ECANCELED),       NAME(ECHILD),          NAME(ECONNABORTED), NAME(ECONNREFUSED),  NAME(ECONNRESET),
    NAME(EDEADLK),         NAME(EDESTADDRREQ),    NAME(EDOM),         NAME(EDQUOT),        NAME(EEXIST),
    NAME(EFAULT),          NAME(EFBIG),           NAME(EHOSTUNREACH), NAME(EIDRM),         NAME(EILSEQ),
    NAME(EINPROGRESS),     NAME(EINTR),           NAME(EINVAL),       NAME(EIO),           NAME(EISCONN),
    NAME(EISDIR),          NAME(ELOOP),           NAME(EMFILE),       NAME(EMLINK),        NAME(EMSGSIZE),
    NAME(EMULTIHOP),       NAME(ENAMETOOLONG),    NAME(ENETDOWN),     NAME(ENETRESET),     NAME(ENETUNREACH),
    NAME(ENFILE),          NAME(ENOBUFS),         NAME(ENODEV),       NAME(ENOENT),        NAME(ENOEXEC),
    NAME(ENOLCK),          NAME(ENOLINK),         NAME(ENOMEM),       NAME(ENOMSG),        NAME(ENOPROTOOPT),
    NAME(ENOSPC),          NAME(ENOSYS),          NAME(ENOTCONN),     NAME(ENOTDIR),       NAME(ENOTEMPTY),
    NAME(ENOTRECOVERABLE), NAME(ENOTSOCK),        NAME(ENOTSUP),      NAME(ENOTTY),        NAME(ENXIO),
    NAME(EOPNOTSUPP),      NAME(EOVERFLOW),       NAME(EOWNERDEAD),   NAME(EPERM),         NAME(EPIPE),
    NAME(EPROTO),          NAME(EPROTONOSUPPORT), NAME(EPROTOTYPE),   NAME(ERANGE),        NAME(EROFS),
    NAME(ESPIPE),          NAME(ESRCH),           NAME(ESTALE),       NAME(ETIMEDOUT),     NAME(EFTYPE),
    NAME(ENODATA),         NAME(ENOSR),           NAME(ENOSTR),       NAME(ETIME),
};

char *ustrerror(int error)
{
    bool known = error >= 0 && error < (int)ARRAY_LENGTH(names) && names[error];
    return (char *)(known ? names[error] : "unknown error");
}
