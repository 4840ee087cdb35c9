/* SPDX-License-Identifier: MIT */
/* region.c - the regions and the model of each. Each core has this table; all members make the calls that change it
 * (alloc.c). Where a region lies is a matter of alone/append.c or processes/place.c. */
#include "state.h"

struct svm_region svm_region[SVM_REGIONS];
unsigned svm_regions;

struct svm_region *svm_region_at(uintptr_t at)
{
    for (unsigned i = 0; i < svm_regions; i++)
        if (svm_address(svm_region[i].first) == at)
            return &svm_region[i];
    return NULL;
}

struct svm_region *svm_region_of(unsigned page)
{
    for (unsigned i = 0; i < svm_regions; i++)
        if (page - svm_region[i].first < svm_region[i].pages)
            return &svm_region[i];
    return NULL;
}

bool svm_model_of(unsigned page, enum svm_model *model)
{
    const struct svm_region *r = svm_region_of(page);
    if (r)
        *model = r->model;
    return r != NULL;
}
