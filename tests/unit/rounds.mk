# SPDX-License-Identifier: MIT
TESTS += rounds
rounds_INCLUDES := kernel/core/console_ring.c
