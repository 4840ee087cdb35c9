/* SPDX-License-Identifier: MIT */
/* no_dma.c - in place of dma.c, dma_copy.c and portal_long.c in a kernel without long transfers (CONFIG_NO_ENGINE). */
#include <errors.h>

#include "portal.h"

bool dma_is_there(void) { return false; }
s64 portal_write(struct request *r) { return -ENOSYS; }
s64 portal_read(struct request *r) { return -ENOSYS; }
