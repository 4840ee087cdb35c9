/* SPDX-License-Identifier: MIT */
/* state.c - variables of a core, and those that all cores share (partition/shared.h). */
#include <partition/bakery.h>
#include <partition/partition.h>
#include <partition/shared.h>

struct partition_core core;
struct shared shared __attribute__((section(SHARED_SECTION)));
struct core_times core_times[PT_CORES] __shared;
struct vm_record vm_records[PT_VMS] __attribute__((section(SHARED_SECTION_RECORDS)));
u32 core_count;
