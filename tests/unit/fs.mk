# SPDX-License-Identifier: MIT
FS_SRC := $(addprefix user/files/,account.c content.c folder.c image.c node.c tree.c walk.c) user/lib/cpio.c

TESTS += fs
fs_SRC := $(FS_SRC)
fs_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h
fs_CFLAGS := -I$(ROOT)/user/files -I$(ROOT)/user/lib -Wl,--wrap=malloc,--wrap=calloc

TESTS += fs_as_linux
fs_as_linux_SRC := $(FS_SRC)
fs_as_linux_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h
fs_as_linux_CFLAGS := -I$(ROOT)/user/files -I$(ROOT)/user/lib
