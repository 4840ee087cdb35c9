# SPDX-License-Identifier: MIT
files-$(CONFIG_PREVIRT) := previrt.c $(if $(CONFIG_FAST),previrt_handler.c,previrt_store.c)
files-$(quick) += $(if $(CONFIG_PREVIRT),previrt_call.S,previrt_call_none.S)
