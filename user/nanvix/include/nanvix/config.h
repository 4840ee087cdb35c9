/* SPDX-License-Identifier: MIT */
/* nanvix/config.h - which servers there are for programs. */
#ifndef NANVIX_CONFIG_H_
#define NANVIX_CONFIG_H_

#define __NANVIX_HAS_NAME_SERVER 1
#define __NANVIX_HAS_RMEM_SERVER 1
#define __NANVIX_HAS_VFS_SERVER  1

#endif
