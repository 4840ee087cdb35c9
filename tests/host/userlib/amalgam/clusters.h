/* SPDX-License-Identifier: MIT */
#include "../../../../user/include/amalgam/clusters.h"
