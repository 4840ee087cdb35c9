/* SPDX-License-Identifier: MIT */
/* apex_linux.c - see apex_linux.h. The device tree says whether a port is a destination or a source; the mapping
 * depends on that. */
#define _GNU_SOURCE
#include "apex_linux.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CLASS   "/sys/class/uio"
#define BELL    4096
#define TICK_MS 10 /* this kernel's tick: the longest wait without a ring */

static struct apex_port ports[APEX_PORTS];
static char names[APEX_PORTS][32];
static volatile void *tunnels[APEX_PORTS];
static volatile uint8_t *bells[APEX_PORTS];
static uint32_t sizes[APEX_PORTS];
static struct pollfd devices[APEX_PORTS];
static unsigned n_ports, rings;

/* Read a file of a device's folder as text without the final newline. Returns the length, or -1. */
static int text_of(const char *device, const char *file, char *text, size_t room)
{
    char path[300];
    snprintf(path, sizeof(path), CLASS "/%s/%s", device, file);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, room - 1);
    close(fd);
    if (n < 0)
        return -1;
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return (int)n;
}

/* Read a property of the device's node in the device tree: a number of four bytes, big-endian as this machine. */
static uint32_t number_of(const char *device, const char *property)
{
    char path[64], bytes[5];
    uint32_t value = 0;
    snprintf(path, sizeof(path), "device/of_node/%s", property);
    if (text_of(device, path, bytes, sizeof(bytes)) == 4)
        memcpy(&value, bytes, 4);
    return value;
}

static int map(const char *device, unsigned i, bool writes)
{
    char path[300], size[32];
    if (text_of(device, "maps/map0/size", size, sizeof(size)) < 0)
        return -1;
    sizes[i] = (uint32_t)strtoul(size, NULL, 0);
    snprintf(path, sizeof(path), "/dev/%s", device);
    devices[i] = (struct pollfd){ .fd = open(path, O_RDWR | O_CLOEXEC), .events = POLLIN };
    if (devices[i].fd < 0)
        return -1;
    tunnels[i] = mmap(NULL, sizes[i], PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, devices[i].fd, 0);
    bells[i] = mmap(NULL, BELL, PROT_READ | PROT_WRITE, MAP_SHARED, devices[i].fd, sysconf(_SC_PAGESIZE)); /* map1 */
    return tunnels[i] == MAP_FAILED || bells[i] == MAP_FAILED ? -1 : 0;
}

static int add(const char *device)
{
    char type[16], direction[16], flag[4];
    if (text_of(device, "device/of_node/amalgam,type", type, sizeof(type)) < 0 || !strcmp(type, "tunnel"))
        return 0; /* another device, or memory without ports */
    unsigned i = n_ports;
    if (i == APEX_PORTS || text_of(device, "name", names[i], sizeof(names[i])) < 0 ||
        text_of(device, "device/of_node/amalgam,direction", direction, sizeof(direction)) < 0 ||
        map(device, i, text_of(device, "device/of_node/read-only", flag, sizeof(flag)) < 0)) {
        fprintf(stderr, "apex: cannot open the port of %s: %m\n", device);
        return -1;
    }
    ports[i] =
        (struct apex_port){ names[i], i, number_of(device, "amalgam,message"), number_of(device, "amalgam,depth"),
                            strcmp(direction, "source") ? DESTINATION : SOURCE };
    n_ports++;
    return 0;
}

int apex_linux_begin(void)
{
    DIR *folder = opendir(CLASS);
    int failed = 0;
    n_ports = 0;
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (e->d_name[0] != '.')
            failed |= add(e->d_name);
    if (folder)
        closedir(folder);
    if (!failed && apex_configure(ports, n_ports, tunnels, sizes, n_ports) != NO_ERROR) {
        fprintf(stderr, "apex: the ports do not fit into their channels\n");
        failed = -1;
    }
    return failed ? -1 : (int)n_ports;
}

const struct apex_port *apex_linux_port(const char *name)
{
    for (unsigned i = 0; i < n_ports; i++)
        if (!strcmp(ports[i].name, name))
            return &ports[i];
    return NULL;
}

unsigned apex_linux_rings(void) { return rings; }

/* Read the time base, which all guests share and programs may read; a tick is 3 ns. */
uint64_t apex_now_ns(void)
{
    uint32_t high, low, again;
    do {
        __asm__ volatile("mftbu %0; mftb %1; mftbu %2" : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    return ((uint64_t)high << 32 | low) * 3;
}

/* Wait for a ring. The driver disables the interrupt when it comes; writing 1 enables it again. */
void apex_wait(void)
{
    uint32_t on = 1, count;
    for (unsigned i = 0; i < n_ports; i++)
        if (write(devices[i].fd, &on, sizeof(on)) != sizeof(on))
            perror("apex: turning an interrupt on");
    if (poll(devices, n_ports, TICK_MS) <= 0)
        return;
    for (unsigned i = 0; i < n_ports; i++)
        if ((devices[i].revents & POLLIN) && read(devices[i].fd, &count, sizeof(count)) == sizeof(count))
            rings++;
}

void apex_notify(uint32_t tunnel) { *bells[tunnel] = 1; }

void apex_fence(void) { __asm__ volatile("sync" : : : "memory"); }
