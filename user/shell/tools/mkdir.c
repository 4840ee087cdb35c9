/* SPDX-License-Identifier: MIT */
/* mkdir NAME... - makes folders. */
#include "tool.h"

static int make(const char *name) { return mkdir(name, 0777); }

int main(int argc, char **argv) { return with_names(argc, argv, make); }
