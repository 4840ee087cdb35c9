# SPDX-License-Identifier: MIT
FUZZERS += files
files_SRC := user/lib/cpio.c
files_INCLUDES := -I$(ROOT)/user/lib
files_MAX_LEN := 1024
