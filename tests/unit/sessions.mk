# SPDX-License-Identifier: MIT
# The file server's sessions, whose clients the test is.
TESTS += sessions
sessions_SRC := $(FS_SRC) $(addprefix user/p9/,attributes.c contents.c fids.c memory.c names.c server.c) user/servers/file/sessions.c
sessions_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/servers -idirafter $(ROOT)/user/include
sessions_CFLAGS := -I$(ROOT)/user/files -I$(ROOT)/user/lib -I$(ROOT)/user/p9
