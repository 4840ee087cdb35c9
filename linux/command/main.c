/* SPDX-License-Identifier: MIT */
/* main.c - amalgam [--json] COMMAND ...: finds the command in a table and runs it; --json may stand anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const struct command {
    const char *name, *words, *help, *more;
    int (*run)(int n, char **word);
} commands[] = {
    { "load", "[--image FILE] [--heap SIZE] [--module FILE] [--nested]", "reserve memory and prepare the kernel in it",
      "Loads the module first if it is not there (modprobe amalgam, or FILE). All that takes time happens here.\n"
      "--nested: go on although a hypervisor is below already. Refused, with the reason, where it cannot work.",
      cmd_load },
    { "unload", "", "give the kernel's memory back", "Only while it is not attached.", cmd_unload },
    { "attach", "", "put the kernel beneath this Linux", "All CPUs or none; running programs do not notice.",
      cmd_attach },
    { "detach", "", "take it out again", "Refused while CPUs or memory are given or domains exist.", cmd_detach },
    { "recover", "", "take back all that is given or was left offline",
      "From any state, also after a command that was killed: ends all domains, takes CPUs and memory back, and sets "
      "the\n"
      "memory blocks online that a command of this name set offline. What somebody else set offline stays offline.",
      cmd_recover },
    { "status", "", "what is loaded, attached, given", "Also says how often Linux was refused access to hidden memory.",
      cmd_status },
    { "cycle", "COUNT", "attach and detach, often, and say how long it takes",
      "Minimum, median and maximum of the whole time and of the longest stop of one CPU, in nanoseconds.", cmd_cycle },
    { "cpu", "give N | take N", "give a CPU to the kernel, or take it back",
      "give: Linux sets it offline, the kernel makes it a core. take: the other way; its domains must be gone.",
      cmd_cpu },
    { "memory", "give SIZE | take", "give memory to the kernel, or take all back",
      "Whole memory blocks that Linux can set offline, adjacent to each other. Linux cannot see them afterwards.",
      cmd_memory },
    { "domain",
      "create FILE [--cpus LIST] [--extra SIZE] | destroy | list | start|stop|restart NAME | console NAME [--seconds "
      "N]",
      "systems of domains beside this Linux",
      "create: gives the CPUs and the memory that the system image FILE wants (./amalgam build SYSTEM), and starts "
      "it.\n"
      "All or nothing; Ctrl-C undoes it. destroy: ends all domains and takes everything back, as recover does. "
      "console: Ctrl-] leaves.",
      cmd_domain },
    { "backend", "--block NAME=FILE | --net NAME=TAP ... | --list", "serve guests' disks and networks from this Linux",
      "Runs until it is ended; a guest waits for its disk until it runs.", cmd_backend },
    { "control", "LINE...", "a line for the control console, and its answer", "`amalgam control help` lists them.",
      cmd_control },
    { "trace", "on | off | dump", "the event trace of the kernel's cores", "./amalgam trace --convert draws the dump.",
      cmd_trace },
    { "log", "[-f] [DOMAIN]", "what the kernel, or a domain, has said", "-f: also what it says from now on.", cmd_log },
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int help(void)
{
    puts("usage: amalgam [--json] COMMAND ...   (--json may also stand behind)\n\nPuts the Amalgam kernel beneath this "
         "running Linux, and takes it out "
         "again.\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].help);
    puts("\n`amalgam COMMAND --help` says more. --json: answers for programs, failures, too.\n"
         "exit status: 0 done; 1 it failed, the message says the next step; 2 wrong usage;\n"
         "3 refused: this machine or this Linux cannot.");
    return DONE;
}

static int help_for(const struct command *c)
{
    printf("usage: amalgam [--json] %s %s\n\n%s\n\n%s\n", c->name, c->words, c->help, c->more);
    return DONE;
}

static bool is_help(const char *word) { return !strcmp(word, "--help") || !strcmp(word, "-h"); }

/* Remove --json from the words, wherever it stands. Returns how many words are left. */
static int take_json(int argc, char **argv)
{
    int n = 0;
    for (int i = 0; i < argc; i++) {
        if (i && !strcmp(argv[i], "--json"))
            json = true;
        else
            argv[n++] = argv[i];
    }
    argv[n] = NULL;
    return n;
}

/* Flush the answer. Returns `status`, or FAILED if the answer could not be written, for example to a full disk. */
static int finish_answer(int status)
{
    say_errors(status);
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    return fail("", "writing the answer: %s", errno ? strerror(errno) : "a part of it was not taken");
}

/* Open standard files that the caller has closed. Otherwise the device would become one of them, and an error message a
 * line for the control console. */
static void open_standard_files(void)
{
    int file;
    do {
        file = open("/dev/null", O_RDWR);
    } while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

int main(int argc, char **argv)
{
    int at = 1;
    open_standard_files();
    argc = take_json(argc, argv);
    if (at == argc)
        return finish_answer(usage("which command?"));
    if (is_help(argv[at]) || !strcmp(argv[at], "help"))
        return finish_answer(help());
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, argv[at]))
            continue;
        if (argc > at + 1 && is_help(argv[argc - 1]))
            return finish_answer(help_for(&commands[i]));
        return finish_answer(commands[i].run(argc - at - 1, argv + at + 1));
    }
    return finish_answer(usage("no command '%s'", argv[at]));
}
