# SPDX-License-Identifier: MIT
TESTS += shell_words
shell_words_SRC := user/shell/words.c user/shell/patterns.c
shell_words_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h
shell_words_CFLAGS := -I$(ROOT)/user/shell
$(OUT)/test_shell_words: $(wildcard $(ROOT)/user/shell/*.h)
