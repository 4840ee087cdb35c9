/* SPDX-License-Identifier: MIT */
/* rm NAME... - removes files. */
#include "tool.h"

int main(int argc, char **argv) { return with_names(argc, argv, unlink); }
