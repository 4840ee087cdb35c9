/* SPDX-License-Identifier: MIT */
/* lib.c - the small functions of RCCE_lib.h. */
#include <RCCE_lib.h>

#include "rcce.h"

t_vcharp RC_COMM_BUFFER_START(int ue) { return rcce_ue_ok(ue) ? (t_vcharp)rcce.mpb[ue]->lines : NULL; }

void RC_cache_invalidate(void)
{
    mpbt_invalidate();
    rcce_polled();
}

int RCCE_global_color(int ue, void *aux)
{
    (void)ue;
    (void)aux;
    return 1;
}

int RCCE_error_return(int debug, int error) { return debug ? rcce_error(DEBUG_ALWAYS, error) : error; }

int RCCE_qsort(char *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    qsort(base, n, size, compare);
    return RCCE_SUCCESS;
}

int id_compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
