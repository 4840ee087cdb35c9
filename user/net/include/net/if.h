/* SPDX-License-Identifier: MIT */
/* net/if.h - the interfaces of the stack: "lo1", and "ch1" and so on, one a channel. */
#ifndef AMALGAM_NET_IF_H
#define AMALGAM_NET_IF_H

#ifdef __cplusplus
extern "C" {
#endif

#define IF_NAMESIZE 6
#define IFNAMSIZ    IF_NAMESIZE

/* For SO_BINDTODEVICE. */
struct ifreq {
    char ifr_name[IFNAMSIZ];
};

unsigned if_nametoindex(const char *name);
char *if_indextoname(unsigned index, char *name);

#ifdef __cplusplus
}
#endif

#endif
