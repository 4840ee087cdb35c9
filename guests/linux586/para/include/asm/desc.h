/* SPDX-License-Identifier: MIT */
/* desc.h - takes the kernel's own, and gives the descriptors of threads to the hypervisor, whose table the processor
 * has. */
#ifndef _AMALGAM_DESC_H
#define _AMALGAM_DESC_H
#include_next <asm/desc.h>
#undef load_TLS
#define load_TLS(t, cpu)                                                                                               \
    do {                                                                                                               \
        native_load_tls(t, cpu);                                                                                       \
        amalgam_tls((unsigned long)(t)->tls_array);                                                                    \
    } while (0)
#endif
