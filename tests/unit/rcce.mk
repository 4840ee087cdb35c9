# SPDX-License-Identifier: MIT
# RCCE with processes as units of execution (tests/host/ues.h).
rcce_all := $(addprefix user/rcce/,collective.c comm.c core.c error.c flags.c gory.c lock.c memory.c power.c send.c shared.c)
TESTS += rcce
rcce_SRC := $(rcce_all)
rcce_INCLUDES := user/rcce/rcce.h user/rcce/include/RCCE.h user/rcce/include/RCCE_lib.h
rcce_FIRST := -I$(ROOT)/user/rcce -I$(ROOT)/user/rcce/include -I$(ROOT)/tests/host/rcce

TESTS += elf32
elf32_SRC := kernel/native/elf32.c
