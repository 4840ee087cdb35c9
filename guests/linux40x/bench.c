// SPDX-License-Identifier: MIT
/*
 * bench - loops of frequent operations of a Linux on the 405: system calls, processes, context switches, computation.
 *
 * It measures nothing itself. Before and after each loop it executes a mark, which the emulator's counting plugin
 * (tools/plugin/visits.c) sees; so the same is counted on the bare board and above a hypervisor. Marks come in pairs,
 * in the order of `marks` below. What is counted before the first mark is the boot.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 10000, FORKS = 100, TRIPS = 1000, PASSES = 2, BYTES = 512 * 1024 };
enum { NOTHING, CALL, FORK, SWITCH, COMPUTE, KINDS };

/* Each is ori r31,r31,0 and blr, 8 bytes: bench/proteus/linux.py finds the row by these words. */
__asm__(".section .text\n"
        "marks:\n"
        ".rept 2 * 5\n"
        "    .long 0x63ff0000\n"
        "    blr\n"
        ".endr\n");
extern char marks[];

static void mark(int number)
{
    void (*here)(void) = (void (*)(void))(marks + 8 * number);
    here();
}

static void begin(int kind) { mark(2 * kind); }
static void end(int kind) { mark(2 * kind + 1); }

static int say(const char *text) { return write(STDOUT_FILENO, text, strlen(text)) < 0; }

static void call(int times)
{
    for (int i = 0; i < times; i++)
        syscall(SYS_getppid);
}

static int make_processes(int times)
{
    for (int i = 0; i < times; i++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(7);
        if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
            return 1;
    }
    return 0;
}

/* Send a byte to the other process and read it back, `times` times. */
static int exchange(int to, int from, int times)
{
    char byte = 0;
    for (int i = 0; i < times; i++)
        if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
            return 1;
    return 0;
}

static int switch_processes(void)
{
    int there[2], back[2], failed;
    if (pipe(there) || pipe(back))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        char byte;
        while (read(there[0], &byte, 1) == 1 && byte == 0)
            if (write(back[1], &byte, 1) != 1)
                break;
        _exit(0);
    }
    failed = child < 0 || exchange(there[1], back[0], 10);
    begin(SWITCH);
    failed |= exchange(there[1], back[0], TRIPS);
    end(SWITCH);
    failed |= write(there[1], "x", 1) != 1;
    return failed | (waitpid(child, NULL, 0) != child);
}

static uint8_t memory[BYTES];

static uint32_t crc(int passes)
{
    uint32_t sum = ~0u;
    while (passes--)
        for (unsigned i = 0; i < BYTES; i++) {
            sum ^= memory[i];
            for (int bit = 0; bit < 8; bit++)
                sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        }
    return ~sum;
}

int main(void)
{
    int failed = 0;
    char line[40];
    begin(NOTHING);
    end(NOTHING);
    call(10);
    begin(CALL);
    call(CALLS);
    end(CALL);
    failed |= make_processes(2);
    begin(FORK);
    failed |= make_processes(FORKS);
    end(FORK);
    failed |= switch_processes();
    for (unsigned i = 0; i < BYTES; i++)
        memory[i] = (uint8_t)(i * 7 + (i >> 8));
    begin(COMPUTE);
    uint32_t sum = crc(PASSES);
    end(COMPUTE);
    snprintf(line, sizeof(line), "bench: crc %08x\n", (unsigned)sum);
    failed |= say(line);
    return failed | say(failed ? "bench: FAILED\n" : "bench: done\n");
}
