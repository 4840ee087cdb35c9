# SPDX-License-Identifier: MIT
TESTS += pc_devices
pc_devices_SRC := $(i8259_SRC)
