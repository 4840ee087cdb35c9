# SPDX-License-Identifier: MIT
# boot: from the firmware to core_start(). cpu: what every hart needs then. user: processes.
dirs-y := boot cpu
dirs-$(CONFIG_PROCESS) += user
