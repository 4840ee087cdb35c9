# SPDX-License-Identifier: MIT
TESTS += chooser
chooser_SRC := firmware/chooser/load.c
chooser_CFLAGS := -I$(ROOT)/firmware/chooser
