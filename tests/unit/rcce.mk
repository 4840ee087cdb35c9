# SPDX-License-Identifier: MIT
# RCCE with processes as units of execution (tests/host/ues.h).
rcce_all := $(addprefix user/rcce/,air.c barriers.c collective.c comm.c core.c error.c flags.c forms.c gory.c ircce.c meet.c \
    ircce_collective.c ircce_flags.c ircce_sync.c lib.c lock.c memory.c multicast.c power.c queue_lock.c requests.c send.c shared.c wait_list.c)
TESTS += rcce
rcce_SRC := $(rcce_all)
rcce_FIRST := -I$(ROOT)/user/rcce -I$(ROOT)/user/rcce/start -I$(ROOT)/user/rcce/include -I$(ROOT)/tests/host/rcce

TESTS += ircce
ircce_SRC := $(rcce_all)
ircce_FIRST := $(rcce_FIRST)

TESTS += rcce_meet
rcce_meet_SRC := $(rcce_all)
rcce_meet_FIRST := $(rcce_FIRST)

TESTS += rcce_more
rcce_more_SRC := $(rcce_all)
rcce_more_FIRST := $(rcce_FIRST)

TESTS += elf32
elf32_SRC := kernel/native/elf32.c

TESTS += rcce_lost
rcce_lost_SRC := $(rcce_all)
rcce_lost_FIRST := $(rcce_FIRST)
