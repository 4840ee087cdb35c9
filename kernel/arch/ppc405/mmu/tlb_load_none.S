/* SPDX-License-Identifier: MIT */
/* tlb_load_none.S - without CONFIG_FAST there is no such hypercall. */
#include <arch/entry.h>

    .text
FUNCTION hypercall_tlb_load
    b       service_unknown
