/* SPDX-License-Identifier: MIT */
/* alone.c - the only back end of this kernel is VT-x: whether it can be used is found out before others ask. */
#include <core/init.h>
#include "core.h"

INIT_CALL_FIRST(vmx_check);
