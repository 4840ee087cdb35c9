/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - calls for shared pages with right and wrong arguments, and other calls with addresses in such pages, of
 * a process on two cores. The second run owns half of the pages and waits. Last, the first one stores to a page that
 * can only be read. With an argument it is a process that has no such pages.
 */
#include <amalgam/calls.h>
#include <amalgam/scc.h>
#include <stdio.h>
#include <string.h>

#define AT      ((char *)0xde200000) /* kernel/include/process/chip.h */
#define PAGES   16                   /* of its record */
#define PAGE    4096
#define KERNELS ((char *)0x90000000) /* the kernel's address of all such pages */

static int wrong;

#define EXPECT(call, result)                                                                                           \
    do {                                                                                                               \
        long got_ = (long)(call);                                                                                      \
        if (got_ != (long)(result)) {                                                                                  \
            printf("wrong: %s is %ld\n", #call, got_);                                                                 \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

static int64_t print(const char *at, unsigned n) { return amalgam_console_write(at, n); }

static int64_t alloc(unsigned pages, unsigned model) { return amalgam_call(AMALGAM_SVM_ALLOC, pages, model, 0, 0); }

static void without(void)
{
    EXPECT(amalgam_svm_members(), -AMALGAM_EPERM);
    EXPECT(alloc(1, 0), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_free(AT), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_change(AT, AMALGAM_SVM_CHANGE_LAZY), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_barrier(), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_acquire(), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_release(), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_lock(0), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_unlock(0), -AMALGAM_EPERM);
    EXPECT(print(AT, 1), -AMALGAM_EFAULT);
}

/* Each run takes another one. */
static void locks(void)
{
    unsigned own = (unsigned)amalgam_svm_rank();
    EXPECT(amalgam_svm_lock(64), -AMALGAM_ERANGE);
    EXPECT(amalgam_svm_unlock(own), -AMALGAM_EPERM);
    EXPECT(amalgam_svm_lock(own), 0);
    EXPECT(amalgam_svm_lock(own), -AMALGAM_EBUSY);
    EXPECT(amalgam_svm_unlock(own), 0);
}

/* What both do, with the same errors. */
static void together(void)
{
    EXPECT(alloc(0, 0), -AMALGAM_EINVAL);
    EXPECT(alloc(PAGES + 1, 0), -AMALGAM_ENOMEM);
    EXPECT(alloc(0xffff, 1), -AMALGAM_ENOMEM);
    EXPECT(alloc(0x10000, 1), -AMALGAM_ERANGE);
    EXPECT(alloc(1, AMALGAM_SVM_ALLOC_TWINS + 1), -AMALGAM_ERANGE);
    EXPECT(alloc(1 + (unsigned)amalgam_svm_rank(), 1), -AMALGAM_EINVAL); /* not the same */
    EXPECT(alloc(2, 0), AT);
    EXPECT(amalgam_svm_free(NULL), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_free(AT + 1), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_free(AT + PAGE), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_free(AT + PAGES * PAGE), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_free(KERNELS), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_change(AT, (enum amalgam_svm_change)(AMALGAM_SVM_CHANGE_TWINS + 1)), -AMALGAM_ERANGE);
    EXPECT(amalgam_svm_change(KERNELS, AMALGAM_SVM_CHANGE_LAZY), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_change(AT, AMALGAM_SVM_CHANGE_LAZY), 0);
    EXPECT(amalgam_svm_free(AT), 0);
    EXPECT(amalgam_svm_free(AT), -AMALGAM_EINVAL);
    EXPECT(amalgam_svm_acquire(), 0);
    EXPECT(amalgam_svm_release(), 0);
    EXPECT(alloc(4, 0), AT);
    locks();
}

/* What changes a process's own pages changes none of these. */
static void no_call_changes(char *page)
{
    EXPECT(amalgam_unmap(page, PAGE), -AMALGAM_EFAULT);
    EXPECT(amalgam_protect(page, PAGE, AMALGAM_MAP_WRITE), -AMALGAM_EFAULT);
    EXPECT(amalgam_map(page, PAGE, AMALGAM_MAP_WRITE), -AMALGAM_EFAULT);
    EXPECT(amalgam_frame_of(page), -AMALGAM_EFAULT);
    EXPECT(amalgam_frame_map(page, 0, AMALGAM_MAP_WRITE) < 0, 1);
}

/* The kernel gets pages of the other core for its own accesses, too: two of them for one line of text. */
static void copies(char *theirs)
{
    char message[28] = "a message";
    uint32_t *word = (uint32_t *)theirs;
    EXPECT(print(theirs + PAGE - 8, 16), 16);
    EXPECT(memcmp(theirs + PAGE - 8, "two pages here!\n", 16), 0);
    EXPECT(amalgam_mail_send((unsigned)amalgam_mail_core(), message, sizeof(message)), 0);
    EXPECT(amalgam_mail_receive(theirs, AMALGAM_MAIL_RECEIVE_POLL, 0) & 0xff, sizeof(message));
    EXPECT(strcmp(theirs, "a message"), 0);
    EXPECT(amalgam_wait(word, *word, 0), -AMALGAM_ETIMEDOUT); /* a page that is here */
    EXPECT(print(AT + 4 * PAGE, 1), -AMALGAM_EFAULT);         /* in no region */
    EXPECT(print(AT + 4 * PAGE - 1, 2), -AMALGAM_EFAULT);
    EXPECT(print(AT + PAGES * PAGE, 1), -AMALGAM_EFAULT);
    EXPECT(print(KERNELS, 1), -AMALGAM_EFAULT);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        without();
        printf("arguments: none, %d wrong\n", wrong);
        return wrong;
    }
    int rank = (int)amalgam_svm_rank();
    EXPECT(amalgam_svm_members(), 2);
    together();
    char *theirs = AT + 2 * PAGE; /* the second run's part */
    if (rank == 1)
        memcpy(theirs + PAGE - 8, "two pages here!\n", 16);
    EXPECT(amalgam_svm_barrier(), 0);
    if (rank == 0) {
        no_call_changes(AT);
        no_call_changes(theirs);
        no_call_changes(AT + 5 * PAGE);
        copies(theirs);
    }
    EXPECT(amalgam_svm_change(AT, AMALGAM_SVM_CHANGE_READ_ONLY), 0);
    EXPECT(amalgam_svm_barrier(), 0);
    EXPECT(print(AT + 3 * PAGE - 8, 16), 16);
    EXPECT(amalgam_call(AMALGAM_FAULT_WAIT, (uintptr_t)AT, 0, 0, 0), -AMALGAM_EFAULT); /* a copy to what is only read */
    printf("arguments: rank %d, %d wrong\n", rank, wrong);
    fflush(stdout);
    EXPECT(amalgam_svm_barrier(), 0);
    if (rank == 0)
        *(volatile char *)AT = 1;
    puts("arguments: still here");
    return wrong;
}
