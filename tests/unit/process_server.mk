# SPDX-License-Identifier: MIT
# The process server's table, whose kernel the test is.
TESTS += process_server
process_server_SRC := user/servers/process/table.c user/servers/process/output.c user/servers/process/upload.c
process_server_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers

# A client of process servers, whose servers the test is.
TESTS += process_client
process_client_SRC := user/nanvix/lib/process.c user/nanvix/lib/process_start.c user/nanvix/lib/image.c user/servers/process/table.c user/servers/process/output.c user/servers/process/upload.c
process_client_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include -I$(ROOT)/user/servers -I$(ROOT)/user/nanvix/lib

# Its arguments.
TESTS += process_options
process_options_SRC := user/servers/process/options.c
process_options_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers

# The pipes of what it starts; the kernel's calls are the test's.
TESTS += process_start
process_start_SRC := user/servers/process/start.c
process_start_FIRST := -I$(ROOT)/tests/host/userlib -I$(ROOT)/user/servers
process_start_CFLAGS := -idirafter $(ROOT)/user/include
