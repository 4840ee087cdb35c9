# SPDX-License-Identifier: MIT
files-y := switch.c $(if $(CONFIG_SPLIT),split_net.c,uplink_none.c)
