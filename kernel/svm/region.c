/* SPDX-License-Identifier: MIT */
/* region.c - the regions, in the order of their addresses, and the model of each. Each core has this table; all
 * members make the calls that change it (alloc.c). */
#include "state.h"

static struct svm_region region[SVM_REGIONS];
static unsigned n_regions, n_pages; /* pages of all regions */

struct svm_region *svm_region_add(unsigned pages, enum svm_model model)
{
    if (pages > SVM_PAGES - n_pages || n_regions == SVM_REGIONS)
        return NULL;
    struct svm_region *r = &region[n_regions];
    *r = (struct svm_region){ .first = n_pages, .pages = pages, .model = model };
    n_regions++;
    n_pages += pages;
    return r;
}

struct svm_region *svm_region_at(uintptr_t at)
{
    for (unsigned i = 0; i < n_regions; i++)
        if (svm_address(region[i].first) == at)
            return &region[i];
    return NULL;
}

struct svm_region *svm_region_of(unsigned page)
{
    for (unsigned i = 0; i < n_regions; i++)
        if (page - region[i].first < region[i].pages)
            return &region[i];
    return NULL;
}

bool svm_model_of(unsigned page, enum svm_model *model)
{
    const struct svm_region *r = svm_region_of(page);
    if (r)
        *model = r->model;
    return r != NULL;
}
