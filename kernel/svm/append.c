/* SPDX-License-Identifier: MIT */
/* append.c - places each region behind the last one; place.c is the other way. */
#include "state.h"

static unsigned n_pages; /* of all regions */

struct svm_region *svm_region_add(unsigned pages, enum svm_model model)
{
    if (pages > SVM_PAGES - n_pages || svm_regions == SVM_REGIONS)
        return NULL;
    struct svm_region *r = &svm_region[svm_regions];
    *r = (struct svm_region){ .first = n_pages, .pages = pages, .model = model };
    svm_regions++;
    n_pages += pages;
    return r;
}

void svm_regions_clear(void) { svm_regions = n_pages = 0; }
