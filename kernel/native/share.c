/* SPDX-License-Identifier: MIT */
/*
 * share.c - a program that all cores run together: one image in shared virtual memory, which the first member loads.
 * Memory before its data is read-only afterwards; all else, with the stacks, is lazy.
 *
 * The members meet in svm_alloc(), where each hears the numbers of the others' kernels (svm_kernel_of()), and for the
 * last time before the program in svm_change(). A kernel that ended before the first meeting has come to it anew with
 * another number; one that ends before the last meeting makes the meeting fail; a later end is seen by all.
 *
 * A stack is mapped before the program uses it, because the processor could not push a page fault's frame to an
 * unmapped page.
 */
#include <board/scc.h>
#include <errors.h>
#include <string.h>
#include <svm/svm.h>

#include "native.h"

static bool begun; /* words and regions belong to one program */

static void touch(const char *from, const char *end)
{
    for (const volatile char *at = from; at < end; at += PAGE_SIZE)
        (void)*at;
}

/* Allocate both regions, which are adjacent as they are the only ones. */
static int alloc(struct native *p)
{
    size_t text = p->image.shared, data = p->domain->conf->memory - text;
    strlcpy(p->domain->reason, "no shared virtual memory for the program", sizeof(p->domain->reason));
    u8 *first = svm_alloc(text, SVM_LAZY);
    u8 *second = first ? svm_alloc(data, SVM_LAZY) : NULL;
    if (!second || second != first + text)
        return -ENOMEM;
    p->memory = first;
    return 0;
}

int native_share(struct native *p)
{
    if (begun) {
        strlcpy(p->domain->reason, "another program has the shared virtual memory", sizeof(p->domain->reason));
        return -EBUSY;
    }
    begun = true;
    int err = alloc(p);
    if (err)
        return err;
    bool first = svm_rank() == 0, runs = native_is_here(p);
    err = native_load(p, first);
    for (unsigned core = 0; core < SCC_CORES; core++)
        p->met[core] = p->cores >> core & 1 ? svm_kernel_of(core) : 0;
    if (first) {
        memset(native_shared(p), 0, NATIVE_WORDS);
        if (err) /* tells the others, which wait */
            memset(p->memory, 0, p->image.shared);
    }
    if (!err && runs) /* before others write there; a backtrace may read the word behind a stack */
        touch(p->calls.stack, p->calls.stack_end + 1);
    int agreed = svm_change(p->memory, SVM_READ_ONLY);
    if (!err && !p->memory[p->image.entry])
        err = -ENOEXEC;
    return err ? err : agreed;
}

void native_tell_lost(const struct native *p) { WRITE_ONCE(*(u32 *)(native_shared(p) + NATIVE_LOST), 1); }
