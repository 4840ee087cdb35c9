# SPDX-License-Identifier: MIT
# What the shell of a many-core tells of clusters, by process servers that the test is.
TESTS += shell_tell
shell_tell_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/clusters -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/shell/clusters
$(OUT)/test_shell_tell: $(ROOT)/user/shell/clusters/tell.c
