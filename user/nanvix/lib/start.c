/* SPDX-License-Identifier: MIT */
/* start.c - main(), which the C library calls, calls ___start(), with which a program of libnanvix begins. */
extern void ___start(int argc, const char *argv[], char **envp);

int main(int argc, char **argv, char **envp)
{
    ___start(argc, (const char **)argv, envp);
    return 0;
}
