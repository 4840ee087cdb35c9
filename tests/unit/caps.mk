# SPDX-License-Identifier: MIT
# The page servers of several clusters: homes, copies, and what they say to each other.
TESTS += caps
caps_SRC := user/servers/caps/homes.c user/servers/caps/copies.c user/servers/caps/relay.c
caps_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers

# Numbers that a page server draws ahead, whose source the test is.
TESTS += caps_ahead
caps_ahead_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/ahead -I$(ROOT)/user/servers
caps_ahead_INCLUDES := user/servers/caps/ahead.c
