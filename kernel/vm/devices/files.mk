# SPDX-License-Identifier: MIT
# A device is a file here (PC_DEVICE of pc_devices.h).
files-y := $(notdir $(wildcard $(K)/vm/devices/*.c))
