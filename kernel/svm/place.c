/* SPDX-License-Identifier: MIT */
/* place.c - places each region at the first gap that is large enough, and makes a gap again. All members make the same
 * calls in the same order, so they find the same places. append.c is the other way. */
#include "state.h"

#define NOWHERE ~0u /* first page of a region that is none */

/* Return the region that [first, first + pages) would overlap; NULL: none. */
static const struct svm_region *in_the_way(unsigned first, unsigned pages)
{
    for (unsigned i = 0; i < svm_regions; i++) {
        const struct svm_region *r = &svm_region[i];
        if (r->pages && first < r->first + r->pages && r->first < first + pages)
            return r;
    }
    return NULL;
}

static struct svm_region *free_entry(void)
{
    for (unsigned i = 0; i < svm_regions; i++)
        if (!svm_region[i].pages)
            return &svm_region[i];
    return svm_regions < SVM_REGIONS ? &svm_region[svm_regions++] : NULL;
}

struct svm_region *svm_region_add(unsigned pages, enum svm_model model)
{
    unsigned first = svm_outside.first, end = first + svm_outside.pages;
    const struct svm_region *other;
    while (pages <= end - first && (other = in_the_way(first, pages)))
        first = other->first + other->pages;
    struct svm_region *r = pages <= end - first ? free_entry() : NULL;
    if (r)
        *r = (struct svm_region){ .first = first, .pages = pages, .model = model };
    return r;
}

void svm_region_remove(struct svm_region *r)
{
    svm_room_free(r->copies, r->pages);
    *r = (struct svm_region){ .first = NOWHERE };
}

void svm_regions_clear(void) { svm_regions = 0; }
