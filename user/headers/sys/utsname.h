/* SPDX-License-Identifier: MIT */
/* sys/utsname.h - POSIX uname(): the system's and the machine's names. */
#ifndef AMALGAM_SYS_UTSNAME_H
#define AMALGAM_SYS_UTSNAME_H

#define _UTSNAME_LENGTH 32

struct utsname {
    char sysname[_UTSNAME_LENGTH];  /* "Amalgam" */
    char nodename[_UTSNAME_LENGTH]; /* the domain's number */
    char release[_UTSNAME_LENGTH];  /* version of the kernel's table of calls */
    char version[_UTSNAME_LENGTH];
    char machine[_UTSNAME_LENGTH];
};

#ifdef __cplusplus
extern "C" {
#endif
int uname(struct utsname *names);
#ifdef __cplusplus
}
#endif
#endif
