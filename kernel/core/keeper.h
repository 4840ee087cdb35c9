/* SPDX-License-Identifier: MIT */
/* keeper.h - what domain.c and keeper.c share. */
#ifndef AMALGAM_CORE_KEEPER_H
#define AMALGAM_CORE_KEEPER_H

#include <core/domain.h>

/* Make the keeper handle the end of a domain, which is STOPPED. Thread context. */
void keeper_look(const struct domain *d);
/* Returns whether the table asks for a restart after an end like the domain's. changed.lock is held, or the answer is a
 * hint. */
bool domain_wants_restart(const struct domain *d);
/* domain_start() by the keeper: only if the domain still wants a restart, and counted. */
int domain_start_again(struct domain *d);

#endif
