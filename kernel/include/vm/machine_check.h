/* SPDX-License-Identifier: MIT */
/* vm/machine_check.h - domain_ops.check of virtual machines: a header of its own, for those that have no machine. */
#ifndef AMALGAM_VM_MACHINE_CHECK_H
#define AMALGAM_VM_MACHINE_CHECK_H

#include <core/system_table.h>

/* NULL, or the sentence that says what is wrong in the VM's part of the record. The common part is checked. Pure. */
const char *machine_check(const struct sys_header *h, const struct sys_domain *d);

#endif
