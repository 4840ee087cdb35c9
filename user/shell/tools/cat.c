/* SPDX-License-Identifier: MIT */
/* cat [FILE...] - writes files one after the other. */
#include "tool.h"

static int show(const char *tool, int file, const char *name) { return copy(tool, file, name, 1, "output"); }

int main(int argc, char **argv) { return with_each(argc, argv, show); }
