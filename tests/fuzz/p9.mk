# SPDX-License-Identifier: MIT
FUZZERS += p9
p9_SRC := $(addprefix user/files/,account.c content.c folder.c image.c node.c tree.c walk.c) user/lib/cpio.c \
          $(addprefix user/p9/,attributes.c contents.c fids.c memory.c names.c server.c)
p9_INCLUDES := -I$(ROOT)/user/p9 -I$(ROOT)/user/files -I$(ROOT)/user/lib
p9_CFLAGS := -D_GNU_SOURCE
p9_MAX_LEN := 1024
