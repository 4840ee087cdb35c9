# SPDX-License-Identifier: MIT
# What the shell of a many-core starts and ends, by process servers that the test is.
TESTS += shell_clusters
shell_clusters_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/clusters -I$(ROOT)/tests/host/servers -I$(ROOT)/user/nanvix/include -I$(ROOT)/user/shell/clusters
$(OUT)/test_shell_clusters: $(addprefix $(ROOT)/,user/shell/clusters/run.c user/shell/clusters/output.c)
