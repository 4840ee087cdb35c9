/* SPDX-License-Identifier: MIT */
/* rtl8139.c - drives a network card RTL8139 for a stack in another process (ethernet.h). */
#include "rtl8139.h"

#define PROGRAM "rtl8139"
#include "ethernet.h"
