/* SPDX-License-Identifier: MIT */
/* start.c - the C library calls main(); a program of libnanvix begins with ___start(). Its return ends the process. */
extern void ___start(int argc, const char *argv[], char **envp);

int main(int argc, char **argv, char **envp)
{
    ___start(argc, (const char **)argv, envp);
    return 0;
}
