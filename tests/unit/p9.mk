# SPDX-License-Identifier: MIT
TESTS += p9
p9_SRC := $(FS_SRC) $(addprefix user/p9/,attributes.c contents.c fids.c memory.c names.c server.c)
p9_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h
p9_CFLAGS := -I$(ROOT)/user/files -I$(ROOT)/user/lib -I$(ROOT)/user/p9

TESTS += p9_client
p9_client_SRC := $(p9_SRC) $(addprefix user/p9/,client.c paths.c rpc.c)
p9_client_FIRST := $(p9_FIRST) -I$(ROOT)/tests/host/p9
p9_client_CFLAGS := $(p9_CFLAGS)

TESTS += p9_folder
p9_folder_SRC := user/p9/working.c
p9_folder_FIRST := -include /usr/include/string.h
p9_folder_CFLAGS := $(p9_CFLAGS)

TESTS += p9_mount
p9_mount_SRC := $(FS_SRC) $(addprefix user/p9/,mount.c place.c working.c)
p9_mount_FIRST := $(p9_client_FIRST)
p9_mount_CFLAGS := $(p9_CFLAGS) -idirafter $(ROOT)/user/include
