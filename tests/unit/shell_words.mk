# SPDX-License-Identifier: MIT
TESTS += shell_words
shell_words_SRC := user/shell/words.c user/shell/patterns.c
shell_words_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h
shell_words_CFLAGS := -I$(ROOT)/user/shell

# What the shell does for linenoise, which the test is.
TESTS += shell_edit
shell_edit_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/linenoise -include /usr/include/string.h
shell_edit_CFLAGS := -I$(ROOT)/user/shell
shell_edit_INCLUDES := user/shell/edit.c
