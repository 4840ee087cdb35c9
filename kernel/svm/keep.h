/* SPDX-License-Identifier: MIT */
/*
 * keep.h - what own.c asks where pages are a guest's memory (svm/guest.h): whether a page stays, for whom. Elsewhere
 * (SVM_KEEP is 0) a page that has come stays for some time, and keep.c is not linked.
 */
#ifndef AMALGAM_SVM_KEEP_H
#define AMALGAM_SVM_KEEP_H

#include <types.h>

#ifndef SVM_KEEP /* the build says 1 */
#define SVM_KEEP 0
#endif

#define SVM_KEEP_BYTES 16u /* of its requests, more than those of others */

struct mail;
struct svm_request;
struct svm_guest;

/* The guest whose memory the pages are. Boot. */
void svm_keep_for(const struct svm_guest *g);
/* A thread begins to ask for a page, for the instruction that is not retired or a new one. */
void svm_keep_begin(void);
/* Its instruction has retired: nothing is kept. Any context. */
void svm_keep_none(void);
/* A page has come / is about to go. Interrupts are off. */
void svm_keep_came(unsigned page);
void svm_keep_goes(unsigned page);
/* Returns whether a page stays here for all that core `from` asks. `waits`: this core waits for another page. */
bool svm_keep_stays(unsigned page, unsigned from, bool waits);
/* Return the core of *left, not 0, whose last request is the oldest, and take it out. */
unsigned svm_keep_next(u64 *left);
/* Send the owner a request for a page, with this core's age. As mail_request(). */
int svm_keep_request(unsigned to, u32 ask, u32 page, u32 word);
/* Handle a request of this kind. Returns whether another core wants a page, for own.c: *want. Interrupt context. */
bool svm_keep_serve(const struct mail *m, struct svm_request *want);
/* Send another member a call, to which this core has given a number. As mail_request(). */
#define SVM_CALL 0x100u /* in place of an enum svm_ask, and above: what it asks for */
int svm_keep_call(unsigned to, u32 number, u32 what, u32 a, u32 b);
/* The word where core `by` says the number of the last call that it has done for `asker`. */
u32 *svm_keep_done(unsigned by, unsigned asker);

#endif
