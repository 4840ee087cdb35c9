/* SPDX-License-Identifier: MIT */
/* posix/unistd.h - from where nanvix_vfs_seek() counts: Nanvix' own numbers, not those of <unistd.h>. */
#ifndef POSIX_UNISTD_H_
#define POSIX_UNISTD_H_

#undef SEEK_CUR /* <stdio.h> has others */
#undef SEEK_END
#undef SEEK_SET
#define SEEK_CUR 0
#define SEEK_END 1
#define SEEK_SET 2

#endif
