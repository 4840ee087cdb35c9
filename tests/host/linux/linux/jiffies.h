/* SPDX-License-Identifier: MIT */
#include "../fake_linux.h"
