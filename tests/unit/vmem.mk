# SPDX-License-Identifier: MIT
# Remote memory by its addresses, whose cache and page tables the test is; and the heap there.
TESTS += vmem
vmem_SRC := user/nanvix/lib/manager.c
vmem_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include

TESTS += remote_heap
remote_heap_SRC := user/nanvix/lib/remote_heap.c
remote_heap_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include

TESTS += remote_pager
remote_pager_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include
remote_pager_INCLUDES := user/nanvix/lib/pager.c

# How long libnanvix waits for answers, by an alarm; and a program's handlers meanwhile.
TESTS += patience patience_handlers
patience_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include
patience_INCLUDES := user/nanvix/lib/signal.c
patience_handlers_FIRST := $(patience_FIRST)
patience_handlers_INCLUDES := $(patience_INCLUDES)
