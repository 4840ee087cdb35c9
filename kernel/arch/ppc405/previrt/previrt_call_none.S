/* SPDX-License-Identifier: MIT */
/* previrt_call_none.S - without CONFIG_PREVIRT the page below the register page is like any other. */
#include <arch/entry.h>

FUNCTION previrt_call
    b       dtlb_to_c
