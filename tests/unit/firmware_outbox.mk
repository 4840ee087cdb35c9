# SPDX-License-Identifier: MIT
TESTS += firmware_outbox
firmware_outbox_INCLUDES := firmware/manycore/outbox.c
firmware_outbox_CFLAGS := -I$(ROOT)/firmware/manycore
