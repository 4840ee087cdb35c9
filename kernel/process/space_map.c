/* SPDX-License-Identifier: MIT */
/* space_map.c - maps pages in a space that is not in use, for all architectures; see process.h. */
#include <errors.h>
#include <hal/memory.h>

#include "memory.h"

__cold int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    if (!IS_ALIGNED(va | pa | size, PAGE_SIZE) || !space_is_user(va, size) || rights >= (SPACE_WRITE | SPACE_EXEC))
        return -EINVAL;
    for (u64 done = 0, span; done < size; done += PAGE_SIZE) {
        space_entry_t *entry;
        while (entry = space_walk(s, va + done, &span), span > PAGE_SIZE) {
            void *table = space_new_table(s);
            if (!table)
                return -ENOMEM;
            *entry = space_table_of(virt_to_phys(table));
        }
        if (*entry)
            return -EEXIST;
        *entry = space_entry_of(pa + done, rights);
    }
    return 0;
}
