# SPDX-License-Identifier: MIT
FUZZERS += sessions
sessions_SRC := $(addprefix user/files/,account.c content.c folder.c image.c node.c tree.c walk.c) user/lib/cpio.c \
          $(addprefix user/p9/,attributes.c contents.c fids.c memory.c names.c server.c) user/servers/file/sessions.c
sessions_INCLUDES := -I$(ROOT)/user/servers -idirafter $(ROOT)/user/include
sessions_CFLAGS := -D_GNU_SOURCE
sessions_MAX_LEN := 2048
