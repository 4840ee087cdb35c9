/* SPDX-License-Identifier: MIT */
/* resolv.h - for programs that prepare the resolver: nothing is to be done. */
#ifndef AMALGAM_RESOLV_H
#define AMALGAM_RESOLV_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0. */
int res_init(void);

#ifdef __cplusplus
}
#endif

#endif
