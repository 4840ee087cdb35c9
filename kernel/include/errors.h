/* SPDX-License-Identifier: MIT */
/*
 * errors.h - error codes: the POSIX names with Linux' numbers, returned negated.
 *
 * A function that can fail returns `int`: 0 (or a count) on success, -EXXX on
 * failure.  The same numbers cross the hypercall boundary, so a Linux guest can
 * hand them to its own programs unchanged.
 */
#ifndef AMALGAM_ERRORS_H
#define AMALGAM_ERRORS_H

#define EPERM      1   /* the caller holds no right to this */
#define ENOENT     2   /* no such domain, channel, device */
#define EINTR      4   /* a signal came */
#define EIO        5   /* the device failed */
#define E2BIG      7   /* larger than the limit that the system file sets */
#define ENOEXEC    8   /* not an image that we can load */
#define EBADF      9   /* no such descriptor, or one for the other direction */
#define EAGAIN     11  /* would have to wait */
#define ENOMEM     12  /* memory of this kind is used up */
#define EACCES     13  /* the right exists but not in this direction */
#define EFAULT     14  /* an address outside the caller's memory */
#define EBUSY      16  /* in use */
#define EEXIST     17  /* there already */
#define ENODEV     19  /* the machine has none */
#define EINVAL     22  /* an argument is malformed */
#define ENOSPC     28  /* the table or queue is full */
#define EPIPE      32  /* the peer at the other end of the channel has ended */
#define ERANGE     34  /* an argument is outside its range */
#define ENOSYS     38  /* no such call */
#define EBADMSG    74  /* data is damaged (checksum, framing) */
#define ETIMEDOUT  110 /* the deadline passed */
#define ESTALE     116 /* what the handle names was withdrawn */
#define ECANCELED  125 /* the waiting thread was asked to end */
#define EOPNOTSUPP 95  /* this machine or configuration cannot */

#endif
