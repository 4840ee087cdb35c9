# SPDX-License-Identifier: MIT
# The name server's table, and clients with three of them.
TESTS += names
names_SRC := user/servers/name/table.c user/nanvix/lib/name_client.c
names_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers -I$(ROOT)/user/nanvix/lib

# How long a client waits for one of them.
TESTS += name_ask
name_ask_SRC := user/nanvix/lib/name_client.c
name_ask_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/clusters -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include -I$(ROOT)/user/nanvix/lib
name_ask_INCLUDES := user/nanvix/lib/name.c
