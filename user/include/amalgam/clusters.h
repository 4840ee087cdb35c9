/* SPDX-License-Identifier: MIT */
/*
 * amalgam/clusters.h - what a process of a cluster can ask for besides amalgam/calls.h: the master core, and mailboxes,
 * portals and syncs to other clusters. Elsewhere each of these calls returns -ENOSYS. docs/manycore.md explains them.
 */
#ifndef AMALGAM_CLUSTERS_H
#define AMALGAM_CLUSTERS_H

#include <amalgam/calls.h>

#include "cluster_table.h"

#endif
