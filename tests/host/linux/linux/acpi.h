/* SPDX-License-Identifier: MIT */
#include "../fake_cpus.h"
