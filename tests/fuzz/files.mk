# SPDX-License-Identifier: MIT
FUZZERS += files
files_SRC := user/lib/cpio.c
files_CFLAGS := -I$(ROOT)/user/lib
files_MAX_LEN := 1024
