# SPDX-License-Identifier: MIT
# The memory server's pages; and the cache of remote pages, whose server the test is.
TESTS += memory_server
memory_server_SRC := user/servers/memory/pages.c
memory_server_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers

TESTS += rcache
rcache_SRC := user/nanvix/lib/rcache.c
rcache_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include

TESTS += rcache_threads
rcache_threads_SRC := user/nanvix/lib/rcache.c
rcache_threads_FIRST := $(rcache_FIRST) -include /usr/include/pthread.h -pthread
rcache_threads_CFLAGS := -fno-sanitize=address,undefined -fsanitize=thread --param=tsan-distinguish-volatile=1
rcache_threads_LEVEL := -O1

TESTS += rmem
rmem_SRC := user/nanvix/lib/rmem.c user/nanvix/lib/page_in.c user/servers/memory/pages.c
rmem_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include -I$(ROOT)/user/servers -I$(ROOT)/user/nanvix/lib
