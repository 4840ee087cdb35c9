# SPDX-License-Identifier: MIT
# Addresses of the cores of an SCC.
TESTS += net_address
net_address_FIRST := -I$(ROOT)/user
