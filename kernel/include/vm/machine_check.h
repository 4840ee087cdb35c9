/* SPDX-License-Identifier: MIT */
/* vm/machine_check.h - domain_ops.check of virtual machines; a header of its own, because it needs no machine. */
#ifndef AMALGAM_VM_MACHINE_CHECK_H
#define AMALGAM_VM_MACHINE_CHECK_H

#include <vm/system_part.h>

/* Check the VM's part of a record; the common part has been checked. Returns NULL, or the sentence that says what is
 * wrong. Pure. */
const char *machine_check(const struct sys_header *h, const struct sys_domain *d);

#endif
