/* SPDX-License-Identifier: MIT */
/* backend_area.h - the area that the kernel shares (kernel/api/backend.h), and what this process serves of it. */
#ifndef AMALGAM_BACKEND_AREA_H
#define AMALGAM_BACKEND_AREA_H

#include "backend_serve.h"

extern struct back backs[BACKEND_ENTRIES];
extern unsigned n_backs;
extern struct backend_area *area;

/* Follow the entries to another generation than *generation: let go of all, find and hold those of that generation,
 * and print which have come or gone. Returns whether there was another one. Nothing may be under way in an entry. */
bool area_follow(u32 *generation);
/* Let go of all entries. Nothing may be under way in an entry. */
void area_let_go(void);

#endif
