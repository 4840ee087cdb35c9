# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_PARTITIONS),,$(CONFIG_VM))
# A disk whose other half is the Linux above.
files-$(CONFIG_SPLIT) += split_disk.c
