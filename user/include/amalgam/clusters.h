/* SPDX-License-Identifier: MIT */
/*
 * amalgam/clusters.h - the system calls of a cluster's process besides those of amalgam/calls.h: to the master core,
 * and the mailboxes, portals and syncs to other clusters. In any other process each of them returns -ENOSYS.
 * docs/manycore.md explains them.
 */
#ifndef AMALGAM_CLUSTERS_H
#define AMALGAM_CLUSTERS_H

#include <amalgam/calls.h>

#include "cluster_table.h"

#endif
