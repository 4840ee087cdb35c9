/* SPDX-License-Identifier: MIT */
#include "../fake_registers.h"
