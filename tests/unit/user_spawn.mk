# SPDX-License-Identifier: MIT
# What a process's library has of starting programs, of its console's input, and of pipes; the kernel's calls are the tests'.
USERSPAWN_FIRST := $(foreach name,posix_spawn posix_spawnp waitpid wait,-D$(name)=user_$(name)) -I$(ROOT)/tests/host/userlib \
                   -I$(OUT)/include -I$(ROOT)/user/lib -include /usr/include/string.h
USERSPAWN_AFTER := -idirafter $(ROOT)/user/include

TESTS += user_spawn
user_spawn_SRC := user/lib/posix_spawn.c user/lib/children.c
user_spawn_FIRST := $(USERSPAWN_FIRST)
user_spawn_CFLAGS := $(USERSPAWN_AFTER)
$(OUT)/test_user_spawn: $(OUT)/include/generated/user_names.h

TESTS += user_tty
user_tty_SRC := user/lib/tty.c
user_tty_FIRST := $(USERSPAWN_FIRST)
user_tty_CFLAGS := $(USERSPAWN_AFTER)
$(OUT)/test_user_tty: $(OUT)/include/generated/user_names.h

TESTS += user_winsize
user_winsize_FIRST := -D_GNU_SOURCE=
user_winsize_INCLUDES := user/lib/winsize.c
