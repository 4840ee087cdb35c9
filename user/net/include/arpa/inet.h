/* SPDX-License-Identifier: MIT */
/* arpa/inet.h - addresses of the Internet as text. */
#ifndef AMALGAM_ARPA_INET_H
#define AMALGAM_ARPA_INET_H

#include <netinet/in.h>

#ifdef __cplusplus
extern "C" {
#endif

/* INADDR_NONE: it is no address. */
in_addr_t inet_addr(const char *text);
/* 0: it is no address. */
int inet_aton(const char *text, struct in_addr *address);
/* The text is the thread's, until its next call. */
char *inet_ntoa(struct in_addr address);
/* EAFNOSUPPORT; ENOSPC: the text is longer. */
const char *inet_ntop(int family, const void *__restrict address, char *__restrict text, socklen_t size);
/* 1; 0: it is no address; -1 with EAFNOSUPPORT. */
int inet_pton(int family, const char *__restrict text, void *__restrict address);

#ifdef __cplusplus
}
#endif

#endif
