/* SPDX-License-Identifier: MIT */
/*
 * amalgam-ways.c - for tests: brings the machine into states in which the command may find it.
 *
 *   amalgam-ways left BLOCK             claim a memory block, set it offline, and kill itself before the block is given
 *   amalgam-ways hold MIB               allocate that much memory, print `held`, and wait for a signal
 *   amalgam-ways without N COMMAND ...  execute COMMAND without capability N (linux/capability.h)
 *   amalgam-ways read                   open the device and write a byte to the control console
 *   amalgam-ways ask SECONDS            hold the control console's lock for that time, as a stopped command does
 *   amalgam-ways pong NAME              answer at the host's end of a tunnel until killed (guests/include/tunnel.h)
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../../../guests/include/tunnel.h"
#include "types.h"
#include "backend.h"
#include "uapi.h"

#define MEMORY "/sys/devices/system/memory"

static int fail(const char *what)
{
    fprintf(stderr, "amalgam-ways: %s: %s\n", what, strerror(errno));
    return 1;
}

static int left(unsigned long block)
{
    char path[96], text[32] = "";
    int fd = open("/dev/amalgam", O_RDWR), size = open(MEMORY "/block_size_bytes", O_RDONLY);
    if (fd < 0 || size < 0 || read(size, text, sizeof(text) - 1) <= 0)
        return fail("/dev/amalgam or " MEMORY);
    struct amalgam_range range = { .size = strtoull(text, NULL, 16) };
    range.base = block * range.size;
    if (ioctl(fd, AMALGAM_MEM_CLAIM, &range))
        return fail("claim");
    snprintf(path, sizeof(path), MEMORY "/memory%lu/state", block);
    int state = open(path, O_WRONLY);
    if (write(state, "offline", 7) < 0)
        return fail(path);
    return raise(SIGKILL);
}

static int hold(size_t mib)
{
    char *at = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return fail("mmap");
    for (size_t i = 0; i < mib << 20; i += 4096)
        at[i] = (char)(i >> 12) | 1;
    puts("held");
    fflush(stdout);
    pause();
    return 0;
}

static int without(unsigned long capability, char **command)
{
    if (prctl(PR_CAPBSET_DROP, capability))
        return fail("prctl");
    execvp(command[0], command);
    return fail(command[0]);
}

static int read_device(void)
{
    int fd = open("/dev/amalgam", O_RDWR);
    return fd < 0 || write(fd, "", 1) < 0 ? fail("/dev/amalgam") : 0;
}

static int ask(unsigned seconds)
{
    int fd = open("/dev/amalgam", O_RDWR);
    if (fd < 0 || flock(fd, LOCK_EX))
        return fail("/dev/amalgam");
    sleep(seconds);
    return 0;
}

static struct backend_area *map_area(int fd)
{
    struct backend_area *head = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (head == MAP_FAILED || head->magic != BACKEND_MAGIC)
        return MAP_FAILED;
    return mmap(NULL, head->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static int pong(const char *name)
{
    static uint8_t data[TUNNEL_BOX_DATA];
    int fd = open("/dev/amalgam-split", O_RDWR);
    struct backend_area *area = map_area(fd);
    unsigned n = 0;
    u32 bells;
    if (area == MAP_FAILED)
        return fail("/dev/amalgam-split");
    while (n < area->n_entries &&
           (area->entry[n].type != BACKEND_TUNNEL || strncmp(area->entry[n].name, name, BACKEND_NAME)))
        n++;
    if (n >= area->n_entries || n >= BACKEND_ENTRIES)
        return errno = ENOENT, fail(name);
    struct tunnel_box *box = (struct tunnel_box *)((u8 *)area + area->entry[n].offset);
    u32 generation = area->generation, served = generation;
    __atomic_store_n(&area->entry[n].served, served, __ATOMIC_SEQ_CST);
    for (uint32_t seen = 0; read(fd, &bells, sizeof(bells)) > 0;) {
        if (__atomic_load_n(&area->generation, __ATOMIC_SEQ_CST) != generation) { /* its system has ended */
            __atomic_compare_exchange_n(&area->entry[n].served, &served, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            return 0;
        }
        if (!(__atomic_fetch_and(&area->to_linux, ~(1u << n), __ATOMIC_SEQ_CST) & 1u << n))
            continue; /* a bell for somebody else is no help */
        if (tunnel_seq(&box[0]) == seen)
            continue;
        seen = tunnel_seq(&box[0]);
        int length = tunnel_take(&box[0], data);
        for (int b = 0; b < length; b++)
            data[b] = (uint8_t)~data[b];
        tunnel_put(&box[1], data, length < 0 ? 0 : (uint32_t)length);
        __atomic_fetch_or(&area->to_kernel, 1u << n, __ATOMIC_SEQ_CST);
        if (write(fd, "", 1) < 0)
            break;
    }
    return fail("/dev/amalgam-split");
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "left"))
        return left(strtoul(argv[2], NULL, 0));
    if (argc == 3 && !strcmp(argv[1], "hold"))
        return hold(strtoul(argv[2], NULL, 0));
    if (argc > 3 && !strcmp(argv[1], "without"))
        return without(strtoul(argv[2], NULL, 0), argv + 3);
    if (argc == 2 && !strcmp(argv[1], "read"))
        return read_device();
    if (argc == 3 && !strcmp(argv[1], "ask"))
        return ask((unsigned)strtoul(argv[2], NULL, 0));
    if (argc == 3 && !strcmp(argv[1], "pong"))
        return pong(argv[2]);
    fprintf(stderr,
            "usage: amalgam-ways left BLOCK | hold MIB | without N COMMAND ... | read | ask SECONDS | pong NAME\n");
    return 2;
}
