/* SPDX-License-Identifier: MIT */
/* sched.h - picolibc's, and what it declares only where there are priorities. Here there is one, 0, for each policy. */
#ifndef AMALGAM_SCHED_H
#define AMALGAM_SCHED_H

#include_next <sched.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Each returns -1 and sets errno to EINVAL (no such policy) or ESRCH (`pid` is neither 0 nor the process). */
int sched_get_priority_min(int policy);
int sched_get_priority_max(int policy);
int sched_getscheduler(pid_t pid);
int sched_getparam(pid_t pid, struct sched_param *parameters);
#ifdef __cplusplus
}
#endif
#endif
