/* SPDX-License-Identifier: MIT */
/* svm_none.c - for a kernel without shared virtual memory: no page fault is of such a page. */
#include <hal/upcalls.h>

bool svm_fault(uintptr_t at, bool write) { return false; }
