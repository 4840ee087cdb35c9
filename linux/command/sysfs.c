/* SPDX-License-Identifier: MIT */
/* sysfs.c - CPUs and memory blocks as Linux shows them (Documentation/admin-guide/mm/memory-hotplug.rst). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define CPU    "/sys/devices/system/cpu"
#define MEMORY "/sys/devices/system/memory"

int sysfs_read(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), error;
    text[0] = '\0';
    if (file < 0)
        return errno;
    ssize_t n = read(file, text, size - 1);
    error = n < 0 ? errno : 0;
    close(file);
    text[n < 0 ? 0 : n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return error;
}

int sysfs_write(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = write(file, text, strlen(text)) < 0 ? errno : 0;
    close(file);
    return error;
}

/* CPU 0 has no such file, because it cannot go offline. */
bool cpu_is_online(unsigned cpu)
{
    char path[80], text[16];
    snprintf(path, sizeof(path), CPU "/cpu%u/online", cpu);
    return sysfs_read(path, text, sizeof(text)) ? cpu == 0 : text[0] == '1';
}

unsigned cpu_count(void)
{
    char path[80];
    unsigned n = 0;
    while (n < MAX_CPUS && (snprintf(path, sizeof(path), CPU "/cpu%u", n), !access(path, F_OK)))
        n++;
    return n;
}

u64 memory_block_size(void)
{
    char text[32];
    return sysfs_read(MEMORY "/block_size_bytes", text, sizeof(text)) ? 0 : strtoull(text, NULL, 16);
}

static const char *block_file(unsigned n, const char *name)
{
    static char path[96];
    snprintf(path, sizeof(path), MEMORY "/memory%u/%s", n, name);
    return path;
}

bool block_exists(unsigned n) { return !access(block_file(n, "state"), F_OK); }

bool block_online(unsigned n)
{
    char text[32];
    return !sysfs_read(block_file(n, "state"), text, sizeof(text)) && !strcmp(text, "online");
}

int memory_available(u64 *available, u64 *total)
{
    char line[128];
    unsigned found = 0;
    unsigned long long kib;
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return errno;
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            *available = kib << 10, found |= 1;
        if (sscanf(line, "MemTotal: %llu kB", &kib) == 1)
            *total = kib << 10, found |= 2;
    }
    fclose(file);
    return found == 3 ? 0 : ENODATA;
}

int block_set(unsigned n, bool online) { return sysfs_write(block_file(n, "state"), online ? "online" : "offline"); }
