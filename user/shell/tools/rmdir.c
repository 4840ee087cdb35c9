/* SPDX-License-Identifier: MIT */
/* rmdir NAME... - removes empty folders. */
#include "tool.h"

int main(int argc, char **argv) { return with_names(argc, argv, rmdir); }
