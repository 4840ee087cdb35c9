// SPDX-License-Identifier: MIT
/*
 * ports - a Linux program that uses ARINC 653 ports to a real-time guest (guests/ppc405/relay) and checks the
 * standard's promises. Prints one line for each promise. The exit status is the number of promises that were not kept.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "apex_linux.h"

enum { HOLD = 0x80000001, QUIET = 0x80000002 };
enum { LONGEST = 64, DEPTH = 8, COMMANDS = 100, JOBS = 1000 };
#define MS       1000000ll
#define REFRESH  (2000 * MS) /* long, because a busy host may stop an emulated core for long */
#define PATIENCE (30000 * MS)

static int32_t command, state, jobs, results;
static int failed;

static void report(const char *what, int kept)
{
    printf("ports: %s %s\n", what, kept ? "ok" : "FAILED");
    failed += !kept;
}

static RETURN_CODE_TYPE sampling(const char *name, uint32_t size, PORT_DIRECTION_TYPE direction, int64_t refresh,
                                 int32_t *id)
{
    RETURN_CODE_TYPE code;
    CREATE_SAMPLING_PORT(name, size, direction, refresh, id, &code);
    return code;
}

static RETURN_CODE_TYPE queuing(const char *name, uint32_t depth, PORT_DIRECTION_TYPE direction, int32_t *id)
{
    RETURN_CODE_TYPE code;
    CREATE_QUEUING_PORT(name, LONGEST, depth, direction, FIFO, id, &code);
    return code;
}

static RETURN_CODE_TYPE put(int32_t id, uint32_t word, uint32_t length)
{
    RETURN_CODE_TYPE code;
    WRITE_SAMPLING_MESSAGE(id, (const uint8_t *)&word, length, &code);
    return code;
}

/* Read the relay's newest state. */
static RETURN_CODE_TYPE look(int32_t id, uint32_t words[4], VALIDITY_TYPE *validity)
{
    RETURN_CODE_TYPE code;
    uint32_t length;
    memset(words, 0, 16);
    READ_SAMPLING_MESSAGE(id, (uint8_t *)words, &length, validity, &code);
    return code == NO_ERROR && length != 16 ? INVALID_CONFIG : code;
}

static RETURN_CODE_TYPE send_job(int32_t id, const void *message, uint32_t length, int64_t time_out)
{
    RETURN_CODE_TYPE code;
    SEND_QUEUING_MESSAGE(id, message, length, time_out, &code);
    return code;
}

static RETURN_CODE_TYPE receive(int32_t id, uint8_t *message, uint32_t *length, int64_t time_out)
{
    RETURN_CODE_TYPE code;
    RECEIVE_QUEUING_MESSAGE(id, time_out, message, length, &code);
    return code;
}

/* Only the ports of the system file can be created, each once and with its properties. */
static void check_creation(void)
{
    report("refused", sampling("command", 32, SOURCE, MS, &command) == INVALID_CONFIG &&
                          sampling("command", 16, DESTINATION, MS, &command) == INVALID_CONFIG &&
                          sampling("command", 16, SOURCE, 0, &command) == INVALID_CONFIG &&
                          sampling("jobs", LONGEST, SOURCE, MS, &jobs) == INVALID_CONFIG &&
                          sampling("nobody", 16, SOURCE, MS, &command) == INVALID_CONFIG &&
                          queuing("jobs", DEPTH + 1, SOURCE, &jobs) == INVALID_CONFIG);
    report("created", sampling("command", 16, SOURCE, 1000 * MS, &command) == NO_ERROR &&
                          sampling("state", 16, DESTINATION, REFRESH, &state) == NO_ERROR &&
                          queuing("jobs", DEPTH, SOURCE, &jobs) == NO_ERROR &&
                          queuing("results", DEPTH, DESTINATION, &results) == NO_ERROR);
    report("once", sampling("state", 16, DESTINATION, REFRESH, &state) == NO_ACTION);
}

static void check_arguments(void)
{
    uint8_t message[2 * LONGEST] = { 0 };
    uint32_t words[4], length;
    VALIDITY_TYPE validity;
    report("empty", look(state, words, &validity) == NO_ACTION && validity == INVALID &&
                        receive(results, message, &length, 0) == NOT_AVAILABLE && length == 0 &&
                        receive(results, message, &length, 30 * MS) == TIMED_OUT);
    report("arguments",
           put(99, 1, 4) == INVALID_PARAM && put(-1, 1, 4) == INVALID_PARAM && put(command, 1, 0) == INVALID_PARAM &&
               put(command, 1, 17) == INVALID_CONFIG && put(state, 1, 4) == INVALID_MODE &&
               put(jobs, 1, 4) == INVALID_PARAM && look(command, words, &validity) == INVALID_MODE &&
               send_job(jobs, message, LONGEST + 1, 0) == INVALID_CONFIG &&
               send_job(jobs, message, 0, 0) == INVALID_PARAM && send_job(results, message, 4, 0) == INVALID_MODE &&
               receive(jobs, message, &length, 0) == INVALID_MODE);
}

/* Wait until the relay has answered command `to`, and read its state. Returns whether it has. */
static bool answered(uint32_t to, uint32_t words[4], VALIDITY_TYPE *validity)
{
    for (uint64_t begun = apex_now_ns(); apex_now_ns() - begun < PATIENCE; apex_wait())
        if (look(state, words, validity) == NO_ERROR && words[0] == to)
            return true;
    return false;
}

static void check_sampling(void)
{
    uint32_t words[4], wrong = 0;
    VALIDITY_TYPE validity;
    for (uint32_t n = 1; n <= COMMANDS; n++)
        wrong +=
            put(command, n, 4) != NO_ERROR || !answered(n, words, &validity) || words[1] != 3 * n || validity != VALID;
    report("sampling", !wrong);
}

/* A message older than the refresh period can still be read, but is not valid. */
static void check_age(void)
{
    uint32_t words[4];
    VALIDITY_TYPE validity;
    SAMPLING_PORT_STATUS_TYPE status;
    RETURN_CODE_TYPE code;
    put(command, QUIET, 4);
    sleep(3);
    bool old = look(state, words, &validity) == NO_ERROR && validity == INVALID && words[0] == COMMANDS;
    GET_SAMPLING_PORT_STATUS(state, &status, &code);
    old = old && code == NO_ERROR && status.LAST_MSG_VALIDITY == INVALID && status.REFRESH_PERIOD == REFRESH;
    put(command, 1000, 4);
    report("age", old && answered(1000, words, &validity) && validity == VALID);
}

static uint32_t job_length(uint32_t n) { return 4 + n * 5 % (LONGEST - 3); }

static bool is_result(uint32_t n, const uint8_t *message, uint32_t length)
{
    bool right = length == job_length(n);
    for (uint32_t i = 0; right && i < length; i++)
        right = message[i] == (uint8_t)((n + 3 * i) * 7);
    return right;
}

/* All jobs come back, each once and in order, with several under way. */
static void check_queuing(void)
{
    uint8_t message[LONGEST];
    uint32_t sent = 0, got = 0, wrong = 0, length;
    while (got < JOBS) {
        for (; sent < JOBS && sent - got < DEPTH; sent++) {
            for (uint32_t i = 0; i < job_length(sent); i++)
                message[i] = (uint8_t)(sent + 3 * i);
            wrong += send_job(jobs, message, job_length(sent), PATIENCE) != NO_ERROR;
        }
        if (receive(results, message, &length, PATIENCE) != NO_ERROR)
            break;
        wrong += !is_result(got++, message, length);
    }
    report("queuing", got == JOBS && !wrong);
}

/* A full queue refuses messages; the destination learns that some were lost. */
static void check_overflow(void)
{
    uint32_t words[4], sent = 0, got = 0, length, before;
    uint8_t message[LONGEST] = { 0 };
    VALIDITY_TYPE validity;
    QUEUING_PORT_STATUS_TYPE status;
    RETURN_CODE_TYPE code;
    answered(1000, words, &validity);
    before = words[3];
    put(command, HOLD, 4);
    bool held = answered(HOLD, words, &validity);
    while (sent <= DEPTH && send_job(jobs, message, 8, 0) == NO_ERROR)
        sent++;
    GET_QUEUING_PORT_STATUS(jobs, &status, &code);
    bool full = held && sent == DEPTH && code == NO_ERROR && status.NB_MESSAGE == DEPTH &&
                send_job(jobs, message, 8, 30 * MS) == TIMED_OUT;
    put(command, 2000, 4);
    full &= send_job(jobs, message, 8, PATIENCE) == NO_ERROR;
    while (got < DEPTH + 1 && receive(results, message, &length, PATIENCE) == NO_ERROR)
        got++;
    put(command, 3000, 4);
    report("overflow", full && got == DEPTH + 1 && answered(3000, words, &validity) && words[3] == before + 1);
}

/* The kernel keeps a destination from writing the memory of a sampling port. */
static void check_protection(void)
{
    char path[64], line[64] = "";
    int fd = -1;
    for (int i = 0; i < APEX_PORTS && strcmp(line, "state\n"); i++) {
        snprintf(path, sizeof(path), "/sys/class/uio/uio%d/name", i);
        FILE *f = fopen(path, "r");
        if (!f || !fgets(line, sizeof(line), f))
            line[0] = 0;
        if (f)
            fclose(f);
        snprintf(path, sizeof(path), "/dev/uio%d", i);
    }
    fd = open(path, O_RDWR);
    volatile uint32_t *memory = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        report("protection", 0);
        return;
    }
    uint32_t last = memory[1023];
    pid_t child = fork();
    if (child == 0) {
        alarm(1); /* Linux believes that the store is allowed and repeats it for ever */
        memory[1023] = ~last;
        _exit(0);
    }
    int status = 0;
    report("protection", waitpid(child, &status, 0) == child && WIFSIGNALED(status) && memory[1023] == last);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    int n = apex_linux_begin();
    printf("ports: %d in the device tree\n", n);
    report("tree", n == 4 && apex_linux_port("jobs") && apex_linux_port("jobs")->direction == SOURCE &&
                       apex_linux_port("results")->max_nb_message == DEPTH && !apex_linux_port("nobody"));
    if (n != 4)
        return 1;
    check_creation();
    check_arguments();
    check_sampling();
    check_age();
    check_queuing();
    check_overflow();
    check_protection();
    report("rings", apex_linux_rings() > 0);
    printf("ports: %s\n", failed ? "something FAILED" : "all ok");
    return failed;
}
