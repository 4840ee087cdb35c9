/* SPDX-License-Identifier: MIT */
/* region.c - the regions of an epoch and the model of each. Each core has this table; all members make the calls that
 * change it (alloc.c). Where a region lies is a matter of append.c or place.c. */
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

int svm_drop(void)
{
    int err = svm_pages_lock();
    if (err)
        return err;
    svm_twins_forget();
    for (unsigned page = svm_next_shown(0); page < SVM_PAGES; page = svm_next_shown(page + 1))
        svm_hide(page);
    for (unsigned i = 0; i < svm_regions; i++)
        svm_room_free(svm_region[i].copies, svm_region[i].pages);
    svm_regions_clear();
    svm_pages_unlock();
    return 0;
}

bool svm_model_of(unsigned page, enum svm_model *model)
{
    const struct svm_region *r = svm_region_of(page);
    if (r)
        *model = r->model;
    return r != NULL;
}
