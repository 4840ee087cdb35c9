/* SPDX-License-Identifier: MIT */
/* system_check.h - the second half of system_table_check(); private to core/. */
#ifndef AMALGAM_CORE_SYSTEM_CHECK_H
#define AMALGAM_CORE_SYSTEM_CHECK_H

#include <core/system_table.h>

/* Check what the entries of an image say whose arrays and payloads are in place: NULL, or the sentence that says what
 * is wrong. Pure. */
const char *system_check_rules(const struct sys_header *h);

#endif
