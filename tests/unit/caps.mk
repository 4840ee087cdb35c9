# SPDX-License-Identifier: MIT
# The page servers of several clusters: homes, copies, and what they say to each other.
TESTS += caps
caps_SRC := user/servers/caps/homes.c user/servers/caps/copies.c
caps_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/user/include -I$(ROOT)/user/servers
caps_INCLUDES := user/servers/caps/homes.h user/servers/caps/copies.h user/include/amalgam/page_server.h
