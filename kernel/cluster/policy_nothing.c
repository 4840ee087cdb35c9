/* SPDX-License-Identifier: MIT */
/* policy_nothing.c - the cores of a cluster share memory coherently; see policy.h. */
#include "policy.h"

void policy_leave(const struct request *r) {}
void policy_return(const struct request *r) {}
void policy_take(const struct request *r) {}
void policy_finish(const struct request *r) {}
void policy_look(const void *word) {}
void policy_told(const void *word) {}
void policy_page(const void *page, size_t n) {}
bool policy_engine(void) { return true; }
