/* SPDX-License-Identifier: MIT */
/* environment.h - OMP_* variables among the program's arguments. */
#ifndef AMALGAM_USER_OPENMP_ENVIRONMENT_H
#define AMALGAM_USER_OPENMP_ENVIRONMENT_H

/* Set what the first arguments behind argv[0] say, while they are OMP_NAME=value. Ends the program if one is unknown or
 * has a wrong value. Returns how many there were. Thread 0, before main(). */
int environment_read(int argc, char **argv);

#endif
