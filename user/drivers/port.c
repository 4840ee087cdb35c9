/* SPDX-License-Identifier: MIT */
/* port.c - connects a stack in another process to a switch of guests, by a port of it (ethernet.h). */
#include "port.h"

#define PROGRAM "port"
#include "ethernet.h"
