/* SPDX-License-Identifier: MIT */
/* nanvix/limits.h - limits of the runtime. */
#ifndef NANVIX_LIMITS_H_
#define NANVIX_LIMITS_H_

#define NANVIX_PROC_NAME_MAX 63 /* bytes of a name, its end included */

#endif
