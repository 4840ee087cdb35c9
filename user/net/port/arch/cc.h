/* SPDX-License-Identifier: MIT */
/* arch/cc.h - what lwIP asks of the compiler and the C library. */
#ifndef AMALGAM_NET_ARCH_CC_H
#define AMALGAM_NET_ARCH_CC_H

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>

#define LWIP_ERRNO_STDINCLUDE 1
#define LWIP_TIMEVAL_PRIVATE  0
#define LWIP_DONT_PROVIDE_BYTEORDER_FUNCTIONS

/* lwIP's own consistency is checked, in all programs: whatever a frame did to break it, the program ends there. */
_Noreturn void net_broken(const char *what, int line, const char *file);
#define LWIP_PLATFORM_DIAG(text)   ((void)0)
#define LWIP_PLATFORM_ASSERT(what) net_broken(what, __LINE__, __FILE__)

uint32_t net_random(void);
#define LWIP_RAND() net_random()

uint16_t net_sum(const void *data, int length);
#define LWIP_CHKSUM net_sum

#endif
