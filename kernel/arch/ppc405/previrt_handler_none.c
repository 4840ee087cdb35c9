/* SPDX-License-Identifier: MIT */
/* previrt_handler_none.c - without CONFIG_FAST they go to the handler. */
#include <arch/previrt.h>

void previrt_handler(struct vm *vm) {}
bool previrt_retreat(struct vm *vm) { return false; }
