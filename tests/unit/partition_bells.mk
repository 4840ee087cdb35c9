# SPDX-License-Identifier: MIT
# The kernel whose cores ring each other: its windows are longer.
TESTS += partition_bells
partition_bells_SRC := $(partition_SRC)
partition_bells_INCLUDES := $(partition_INCLUDES)
partition_bells_FIRST := $(partition_FIRST)
partition_bells_CFLAGS := -DPARTITION_BELLS=1 -Wno-unused-function
