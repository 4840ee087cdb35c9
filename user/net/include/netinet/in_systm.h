/* SPDX-License-Identifier: MIT */
/* netinet/in_systm.h - types of old programs: numbers in the network's order. */
#ifndef AMALGAM_NETINET_IN_SYSTM_H
#define AMALGAM_NETINET_IN_SYSTM_H

#include <stdint.h>

typedef uint16_t n_short;
typedef uint32_t n_long, n_time;

#endif
