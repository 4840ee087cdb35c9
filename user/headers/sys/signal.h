/* SPDX-License-Identifier: MIT */
/* sys/signal.h - the same as signal.h. */
#include <signal.h>
