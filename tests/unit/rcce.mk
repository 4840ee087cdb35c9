# SPDX-License-Identifier: MIT
# RCCE with processes as units of execution (tests/host/ues.h).
rcce_all := $(addprefix user/rcce/,air.c barriers.c collective.c comm.c core.c error.c flags.c forms.c gory.c ircce.c meet.c \
    ircce_collective.c ircce_flags.c ircce_sync.c lib.c lock.c memory.c multicast.c power.c queue_lock.c requests.c send.c shared.c wait_list.c)
TESTS += rcce
rcce_SRC := $(rcce_all)
rcce_INCLUDES := user/rcce/rcce.h user/rcce/ircce.h user/rcce/include/RCCE.h user/rcce/include/RCCE_lib.h user/rcce/include/iRCCE.h
rcce_FIRST := -I$(ROOT)/user/rcce -I$(ROOT)/user/rcce/start -I$(ROOT)/user/rcce/include -I$(ROOT)/tests/host/rcce

TESTS += ircce
ircce_SRC := $(rcce_all)
ircce_INCLUDES := $(rcce_INCLUDES)
ircce_FIRST := $(rcce_FIRST)

TESTS += rcce_meet
rcce_meet_SRC := $(rcce_all)
rcce_meet_INCLUDES := $(rcce_INCLUDES)
rcce_meet_FIRST := $(rcce_FIRST)

TESTS += rcce_more
rcce_more_SRC := $(rcce_all)
rcce_more_INCLUDES := $(rcce_INCLUDES)
rcce_more_FIRST := $(rcce_FIRST)

TESTS += elf32
elf32_SRC := kernel/native/elf32.c

TESTS += rcce_lost
rcce_lost_SRC := $(rcce_all)
rcce_lost_INCLUDES := $(rcce_INCLUDES) tests/host/exported.h tests/host/lost.h
rcce_lost_FIRST := $(rcce_FIRST)
