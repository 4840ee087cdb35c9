/* SPDX-License-Identifier: MIT */
/* dummy.h - the calls of processes that add numbers up (docs/dummy.md). */
#ifndef DUMMY_H
#define DUMMY_H

#include <amalgam/calls.h>

#include "dummy_table.h"

#endif
