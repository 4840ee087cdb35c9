/* SPDX-License-Identifier: MIT */
/* account.c - memory, and who pays for it: fs.h. */
#include <stdlib.h>
#include <string.h>

#include "node.h"

void *account_alloc(struct fs_account *payer, size_t n)
{
    if (payer && (payer->used > payer->most || payer->most - payer->used < n))
        return NULL;
    void *memory = malloc(n);
    if (memory && payer)
        payer->used += n;
    return memory;
}

void *account_alloc_clear(struct fs_account *payer, size_t n)
{
    void *memory = account_alloc(payer, n);
    return memory ? memset(memory, 0, n) : NULL;
}

void account_free(struct fs_account *payer, void *memory, size_t n)
{
    if (memory && payer)
        payer->used -= n;
    free(memory);
}
