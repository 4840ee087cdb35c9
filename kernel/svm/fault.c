/* SPDX-License-Identifier: MIT */
/* fault.c - handles an access to a page that this core has not mapped, by the model of its region. */
#include <core/log.h>
#include <errors.h>
#include <hal/upcalls.h>

#include "state.h"

static int serve(unsigned page, bool write)
{
    const struct svm_region *r = svm_region_of(page);
    if (!r)
        return -EFAULT;
    enum svm_model model = r->model;
    if (model == SVM_TWINS && !r->copies)
        return -EFAULT;
    if (model == SVM_TWINS) {
        svm_twin(r, page, write);
        return 0;
    }
    if (model == SVM_STRONG)
        return svm_own(page);
    if (model == SVM_ONCE)
        return svm_own_once(page, write);
    if (model == SVM_READ_ONLY && write)
        return -EACCES;
    svm_show(page, model == SVM_LAZY);
    return 0;
}

int svm_access(unsigned page, bool write)
{
    int err = serve(page, write);
    if (!err)
        svm_count.faults++;
    return err;
}

static const char *reason(int err)
{
    switch (err) {
    case -EFAULT: return "it is in no region";
    case -EACCES: return "it is read-only";
    case -EBADMSG: return "no kernel owns it";
    case -ECANCELED: return "the thread has to end";
    default: return "its owner does not answer";
    }
}

bool svm_fault(uintptr_t at, bool write)
{
    if (at - SVM_BASE >= SVM_SIZE)
        return false;
    unsigned page = (unsigned)((at - SVM_BASE) / PAGE_SIZE);
    int err = svm_access(page, write);
    if (err) {
        printk("svm: page %u (owner core %d): %s\n", page, (int)svm_owner(READ_ONCE(svm_shared()->owner[page])),
               reason(err));
        svm_program_ended();
        return false;
    }
    return true;
}
