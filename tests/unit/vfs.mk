# SPDX-License-Identifier: MIT
# A client of a file server, whose sessions are the server's own; the test is the way between them.
VFS_SRC := $(addprefix user/p9/,attributes.c contents.c fids.c memory.c names.c server.c) user/servers/file/sessions.c \
           $(addprefix user/nanvix/lib/,vfs.c vfs_link.c vfs_path.c vfs_wire_errors.c)
TESTS += vfs
vfs_SRC := $(FS_SRC) $(VFS_SRC)
vfs_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/servers -I$(ROOT)/tests/host/clusters -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/include -I$(ROOT)/user/servers -I$(ROOT)/user/nanvix/lib
vfs_CFLAGS := -I$(ROOT)/user/files -I$(ROOT)/user/lib -I$(ROOT)/user/p9
