/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/scc.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/scc.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_SCC_TABLE_H
#define AMALGAM_SCC_TABLE_H

#define AMALGAM_SCCS_VERSION 1

enum amalgam_scc {
    AMALGAM_MAIL_SEND = 0x53434300,
    AMALGAM_MAIL_RECEIVE = 0x53434301,
    AMALGAM_MAIL_CORE = 0x53434302,
    AMALGAM_SVM_ALLOC = 0x53434303,
    AMALGAM_SVM_FREE = 0x53434304,
    AMALGAM_SVM_CHANGE = 0x53434305,
    AMALGAM_SVM_BARRIER = 0x53434306,
    AMALGAM_SVM_ACQUIRE = 0x53434307,
    AMALGAM_SVM_RELEASE = 0x53434308,
    AMALGAM_SVM_RANK = 0x53434309,
    AMALGAM_SVM_MEMBERS = 0x5343430a,
    AMALGAM_MAIL_SEND_SYNC = 0x5343430b,
    AMALGAM_SVM_LOCK = 0x5343430c,
    AMALGAM_SVM_UNLOCK = 0x5343430d,
    AMALGAM_SCCS_END
};

enum amalgam_mail_receive { AMALGAM_MAIL_RECEIVE_POLL, AMALGAM_MAIL_RECEIVE_INTERRUPT, AMALGAM_MAIL_RECEIVE_ADAPTIVE };
enum amalgam_svm_alloc {
    AMALGAM_SVM_ALLOC_STRONG,
    AMALGAM_SVM_ALLOC_LAZY,
    AMALGAM_SVM_ALLOC_READ_ONLY,
    AMALGAM_SVM_ALLOC_ONCE,
    AMALGAM_SVM_ALLOC_TWINS
};
enum amalgam_svm_change {
    AMALGAM_SVM_CHANGE_STRONG,
    AMALGAM_SVM_CHANGE_LAZY,
    AMALGAM_SVM_CHANGE_READ_ONLY,
    AMALGAM_SVM_CHANGE_ONCE,
    AMALGAM_SVM_CHANGE_TWINS
};

/*
 * Send a message to the same process on another core, or on this one. Does not wait. core: the receiver's core.
 * data: the message. n: bytes, 1 to 28. Returns 0; -EINVAL: n is out of range; -EFAULT: data is not the process's
 * memory; -EPERM: the process does not run there, or has no `shared` memory; -ENODEV: no kernel runs there; -EAGAIN:
 * two messages of this core have not been taken there yet.
 */
static inline int64_t amalgam_mail_send(unsigned core, const void *data, unsigned n)
{
    return amalgam_call(AMALGAM_MAIL_SEND, (uintptr_t)core, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Take the next message from the same process on any of its cores, in the order of each sender. data: gets the
 * message, up to 28 bytes. how: how to wait: look again and again; sleep until an interrupt; first look, then sleep.
 * deadline: until when, as clock() counts; 0: do not wait; all ones: for ever. Returns the sender's core * 256 + the
 * number of bytes; -EFAULT: data is not the process's memory; the message is lost; -EPERM: the process has no
 * `shared` memory; -EBUSY: another thread receives; -ETIMEDOUT: no message came; -ENODEV: the kernel of one of the
 * process's cores has died since this run began, and no message has come for a second; if it waits for ever; -EINTR:
 * a signal came, no message was taken.
 */
static inline int64_t amalgam_mail_receive(void *data, enum amalgam_mail_receive how, uint64_t deadline)
{
    return amalgam_call(AMALGAM_MAIL_RECEIVE, (uintptr_t)data, (uintptr_t)how, AMALGAM_WIDE(deadline));
}

/* Ask on which core this run of the process is. Returns the core's number. */
static inline int64_t amalgam_mail_core(void) { return amalgam_call(AMALGAM_MAIL_CORE, 0, 0, 0, 0); }

/*
 * Allocate pages of zeros that all runs of the process share. All of them call it, in the same order of calls and
 * with the same arguments, and get the same address; it is a barrier. One thread of a run at a time makes calls that
 * all make. pages: its size in pages of 4,096 bytes. model: what a page promises: docs/svm.md. Returns the region's
 * address; -EINVAL: wrong arguments, or they are not the same on all cores; then all get this error; -EPERM: the
 * process has no `svm` memory; -EBUSY: another thread of this run makes such a call; -ETIMEDOUT: a run on another
 * core has ended, or has failed in a call before this one; all regions are lost, and the next such call begins anew
 * with all runs; -EPIPE: the call has failed on some cores only; the same follows; -ENOMEM: no room for so many
 * pages or for another region.
 */
static inline int64_t amalgam_svm_alloc(unsigned pages, enum amalgam_svm_alloc model)
{
    return amalgam_call(AMALGAM_SVM_ALLOC, (uintptr_t)pages, (uintptr_t)model, 0, 0);
}

/*
 * Free a region. All runs call it, as svm_alloc(); nobody uses its pages any more. at: the region's address. Returns
 * 0; -EINVAL: wrong arguments, or they are not the same on all cores; then all get this error; -EPERM: the process
 * has no `svm` memory; -EBUSY: another thread of this run makes such a call; -ETIMEDOUT: a run on another core has
 * ended, or has failed in a call before this one; all regions are lost, and the next such call begins anew with all
 * runs; -EPIPE: the call has failed on some cores only; the same follows; -ENOMEM: no room for so many pages or for
 * another region.
 */
static inline int64_t amalgam_svm_free(const void *at)
{
    return amalgam_call(AMALGAM_SVM_FREE, (uintptr_t)at, 0, 0, 0);
}

/*
 * Change a region's model; what is in it stays. All runs call it, as svm_alloc(). at: the region's address. model:
 * the new model. Returns 0; -EINVAL: wrong arguments, or they are not the same on all cores; then all get this
 * error; -EPERM: the process has no `svm` memory; -EBUSY: another thread of this run makes such a call; -ETIMEDOUT:
 * a run on another core has ended, or has failed in a call before this one; all regions are lost, and the next such
 * call begins anew with all runs; -EPIPE: the call has failed on some cores only; the same follows; -ENOMEM: no room
 * for so many pages or for another region.
 */
static inline int64_t amalgam_svm_change(const void *at, enum amalgam_svm_change model)
{
    return amalgam_call(AMALGAM_SVM_CHANGE, (uintptr_t)at, (uintptr_t)model, 0, 0);
}

/*
 * Wait until all runs have called this. What each has written to shared pages before is then seen by all. Returns 0;
 * -EINVAL: wrong arguments, or they are not the same on all cores; then all get this error; -EPERM: the process has
 * no `svm` memory; -EBUSY: another thread of this run makes such a call; -ETIMEDOUT: a run on another core has
 * ended, or has failed in a call before this one; all regions are lost, and the next such call begins anew with all
 * runs; -EPIPE: the call has failed on some cores only; the same follows; -ENOMEM: no room for so many pages or for
 * another region.
 */
static inline int64_t amalgam_svm_barrier(void) { return amalgam_call(AMALGAM_SVM_BARRIER, 0, 0, 0, 0); }

/* See what others have written to lazy pages and then released. Returns 0; -EPERM: the process has no `svm` memory. */
static inline int64_t amalgam_svm_acquire(void) { return amalgam_call(AMALGAM_SVM_ACQUIRE, 0, 0, 0, 0); }

/*
 * Let others see what this run has written to lazy pages, once they acquire. Returns 0; -EPERM: the process has no
 * `svm` memory.
 */
static inline int64_t amalgam_svm_release(void) { return amalgam_call(AMALGAM_SVM_RELEASE, 0, 0, 0, 0); }

/*
 * Ask for this run's number among those of the cores that boot, from 0, in the order of the cores' numbers. Returns
 * the rank; -EPERM: the process has no `svm` memory.
 */
static inline int64_t amalgam_svm_rank(void) { return amalgam_call(AMALGAM_SVM_RANK, 0, 0, 0, 0); }

/* Ask how many runs there are. Returns their number; -EPERM: the process has no `svm` memory. */
static inline int64_t amalgam_svm_members(void) { return amalgam_call(AMALGAM_SVM_MEMBERS, 0, 0, 0, 0); }

/*
 * Send a message as mail_send(), and wait until the receiver has taken it. AMALGAM_MAIL_TO() makes the first
 * argument. to: how to wait, as of mail_receive, * 65536 + the receiver's core * 256 + the number of bytes. data:
 * the message. deadline: until when, as clock() counts; not all ones. Returns 0; -EINVAL: the number of bytes is not
 * 1 to 28, or there is no deadline; -EFAULT: data is not the process's memory; -EPERM: the process does not run
 * there, or has no `shared` memory; -ENODEV: no kernel runs there, or no longer; the message may be taken later;
 * -EAGAIN: there was no room until the deadline; -EINTR: a signal came while there was no room; -ETIMEDOUT: sent,
 * and not taken until the deadline; it may be taken later.
 */
static inline int64_t amalgam_mail_send_sync(unsigned to, const void *data, uint64_t deadline)
{
    return amalgam_call(AMALGAM_MAIL_SEND_SYNC, (uintptr_t)to, (uintptr_t)data, AMALGAM_WIDE(deadline));
}

/*
 * Take a lock that the runs share, and see what others have written under it. It is waited for as long as its holder
 * runs. n: its number. Returns 0; -EPERM: the process has no `svm` memory; -EBUSY: this run has it already, by
 * whichever thread; -ETIMEDOUT: its holder has ended; -EPIPE: no call of all runs has come before, or the last one
 * has failed; -EINVAL: the lock's words are wrong.
 */
static inline int64_t amalgam_svm_lock(unsigned n) { return amalgam_call(AMALGAM_SVM_LOCK, (uintptr_t)n, 0, 0, 0); }

/*
 * Let others see what this run has written, and give the lock back. n: its number. Returns 0; -EPERM: the process
 * has no `svm` memory, or this run does not hold the lock.
 */
static inline int64_t amalgam_svm_unlock(unsigned n) { return amalgam_call(AMALGAM_SVM_UNLOCK, (uintptr_t)n, 0, 0, 0); }

#endif
