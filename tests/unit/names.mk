# SPDX-License-Identifier: MIT
# The name server's table, and clients with three of them.
TESTS += names
names_SRC := user/servers/name/table.c user/nanvix/lib/name_client.c
names_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers -I$(ROOT)/user/nanvix/lib
names_INCLUDES := user/servers/name/table.h user/nanvix/lib/name_client.h user/include/amalgam/names.h
