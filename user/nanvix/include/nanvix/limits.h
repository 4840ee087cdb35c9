/* SPDX-License-Identifier: MIT */
/* nanvix/limits.h - limits of the runtime. */
#ifndef NANVIX_LIMITS_H_
#define NANVIX_LIMITS_H_

#define NANVIX_PROC_NAME_MAX 63 /* bytes of a name, its end included */
#define NANVIX_NAME_MAX      48 /* bytes of a file's path, its end included */
#define NANVIX_NR_FILES      64 /* that a process may have open */
#define NANVIX_OPEN_MAX                                                                                                \
    16 /* that a process may have open in Nanvix; here NANVIX_NR_FILES are, and this limits nothing */
#define NANVIX_FS_BLOCK_SIZE 1024
#define NANVIX_MAX_FILE_SIZE (64 * 1024 * 1024)

#endif
