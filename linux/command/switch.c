/* SPDX-License-Identifier: MIT */
/* switch.c - load, unload, attach, detach and status; cycle measures attach and detach. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static int load_image(const char *path, u64 heap)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about))
        return fail("name it: amalgam load --image FILE", "%s: %s", path, strerror(errno));
    void *image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (image == MAP_FAILED)
        return fail("name another image: amalgam load --image FILE", "%s: %s", path, strerror(errno));
    struct amalgam_load load = { .image = (uintptr_t)image, .size = (u64)about.st_size, .heap = heap };
    bool already;
    int status = device_make(AMALGAM_LOAD, &load, &already);
    return status || already ? status : say_done();
}

int cmd_load(int n, char **word)
{
    static const struct option table[] = { { "image", required_argument, NULL, 'i' },
                                           { "heap", required_argument, NULL, 'h' },
                                           { "module", required_argument, NULL, 'm' },
                                           { "nested", no_argument, NULL, 'n' },
                                           { 0 } };
    const char *image = IMAGE, *module = NULL;
    bool nested = false;
    u64 heap = 0;
    for (int option; (option = next_option("load", n, word, ":", table)) != -1;) {
        switch (option) {
        case 'i': image = optarg; break;
        case 'm': module = optarg; break;
        case 'n': nested = true; break;
        case 'h':
            if (!parse_size(optarg, &heap))
                return usage("load: '%s' is no size, such as 64M", optarg);
            break;
        default: return USAGE;
        }
    }
    if (optind <= n)
        return usage("load: '%s' is too much", word[optind - 1]);
    int status = module_load(module, nested);
    if (!status)
        status = device_open();
    return status ? status : load_image(image, heap);
}

static int no_words(const char *name, int n, char **word)
{
    return n ? usage("%s: '%s' is too much", name, word[0]) : device_open();
}

int cmd_unload(int n, char **word)
{
    bool already = !n && !device_there();
    if (already)
        return say_already("nothing is loaded, the module neither");
    int status = no_words("unload", n, word);
    if (!status)
        status = device_make(AMALGAM_UNLOAD, NULL, &already);
    return status || already ? status : say_done();
}

static int switched(const char *name, unsigned long call)
{
    struct amalgam_switched took;
    bool already;
    int status = device_make(call, &took, &already);
    if (status || already)
        return status;
    if (json)
        printf("{\"already\": false, \"cpus\": %u, \"total_ns\": %llu, \"stop_ns\": %llu}\n", took.cpus, took.total_ns,
               took.stop_ns);
    else
        printf("%s: %u CPUs in %.1f us, each stopped for at most %.1f us\n", name, took.cpus,
               (double)took.total_ns / 1000, (double)took.stop_ns / 1000);
    return DONE;
}

int cmd_attach(int n, char **word)
{
    int status = no_words("attach", n, word);
    return status ? status : switched("attached", AMALGAM_ATTACH);
}

int cmd_detach(int n, char **word)
{
    if (!n && !device_there())
        return say_already("the kernel is not attached: the module is not loaded");
    int status = no_words("detach", n, word);
    return status ? status : switched("detached", AMALGAM_DETACH);
}

static void print_numbers(const char *name, const struct held *held, u32 kind, const char *end)
{
    const char *comma = "";
    printf("\"%s\": [", name);
    for (unsigned i = 0; i < held->n; i++) {
        const struct amalgam_held *h = &held->entry[i];
        if (h->kind != kind)
            continue;
        if (kind == AMALGAM_HELD_CPU)
            printf("%s%u", comma, h->cpu);
        else
            printf("%s{\"base\": %llu, \"size\": %llu}", comma, h->base, h->size);
        comma = ", ";
    }
    printf("]%s", end);
}

static void print_held_json(const struct held *held)
{
    print_numbers("given_cpus", held, AMALGAM_HELD_CPU, ", ");
    print_numbers("given_memory", held, AMALGAM_HELD_MEMORY, ", ");
    print_numbers("left_offline", held, AMALGAM_HELD_OFFLINE, "}\n");
}

static void print_held(const struct held *held)
{
    bool left = false;
    for (unsigned i = 0; i < held->n; i++) {
        const struct amalgam_held *h = &held->entry[i];
        left |= h->kind == AMALGAM_HELD_OFFLINE;
        if (h->kind == AMALGAM_HELD_CPU)
            printf("           CPU %u%s\n", h->cpu, h->state == ATTACH_CPU_CORE ? "" : ", and it is no core");
        else
            printf("%s %llu MiB at %#llx\n", h->kind == AMALGAM_HELD_OFFLINE ? "offline   " : "          ",
                   h->size >> 20, h->base);
    }
    if (left)
        puts("           a command that was ended left that offline: amalgam recover");
}

static void print_status(const struct amalgam_status *s, const struct held *held)
{
    static const char *const names[] = { "empty", "loaded", "attached" };
    const char *state = s->state < 3 ? names[s->state] : "?";
    if (json) {
        printf(
            "{\"state\": \"%s\", \"abi\": %u, \"cpus_attached\": %u, \"cores\": %u, \"region\": %llu, \"given\": %llu, "
            "\"free\": %llu, \"exits\": %llu, \"refused_writes\": %llu, \"refused_at\": %llu, \"refused_rip\": %llu, "
            "\"stray\": %llu, \"attaches\": %llu, \"detaches\": %llu, \"dead\": %s, ",
            state, s->abi, s->cpus_attached, s->cores, s->region, s->given, s->free, s->exits, s->refused_writes,
            s->refused_at, s->refused_rip, s->stray, s->attaches, s->detaches, s->dead ? "true" : "false");
        print_held_json(held);
        return;
    }
    printf("state      %s%s\n", state, s->dead ? ", and the kernel has panicked: amalgam log" : "");
    printf("attached   %llu times, detached %llu times\n", s->attaches, s->detaches);
    if (s->state != AMALGAM_ATTACHED)
        print_held(held);
    if (s->state == AMALGAM_EMPTY)
        return;
    printf("memory     %llu KiB for the kernel\n", s->region >> 10);
    if (s->state != AMALGAM_ATTACHED)
        return;
    printf("given      %llu MiB, %u cores; free in all %llu KiB\n", s->given >> 20, s->cores, s->free >> 10);
    print_held(held);
    printf("exits      %llu of Linux on %u CPUs\n", s->exits, s->cpus_attached);
    if (s->refused_writes)
        printf("refused    %llu writes or interrupts of Linux, the last at %#llx by the instruction at %#llx\n",
               s->refused_writes, s->refused_at, s->refused_rip);
}

int cmd_status(int n, char **word)
{
    struct amalgam_status s = { 0 };
    static struct held held;
    if (n)
        return usage("status: '%s' is too much", word[0]);
    if (!access(AMALGAM_DEVICE, F_OK)) {
        int status = device_open();
        if (!status)
            status = device_call(AMALGAM_STATUS, &s);
        if (!status)
            status = held_list(&held);
        if (status)
            return status;
    } else if (!json) {
        printf("module     not loaded\n");
    }
    print_status(&s, &held);
    return DONE;
}

static int by_size(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

static void print_times(const char *name, u64 *ns, size_t n, bool last)
{
    qsort(ns, n, sizeof(*ns), by_size);
    const char *form = json ? "\"%s\": {\"min\": %llu, \"median\": %llu, \"max\": %llu}%s"
                            : "%-12s min %llu  median %llu  max %llu ns\n";
    printf(form, name, (unsigned long long)ns[0], (unsigned long long)ns[n / 2], (unsigned long long)ns[n - 1],
           last ? "" : ", ");
}

static int print_cycles(u64 *const times[4], size_t n)
{
    static const char *const names[] = { "attach", "attach_stop", "detach", "detach_stop" };
    if (json)
        printf("{\"cycles\": %zu, ", n);
    for (int i = 0; i < 4; i++)
        print_times(names[i], times[i], n, i == 3);
    if (json)
        puts("}");
    return DONE;
}

/* Attach and detach `count` times and print the times. A signal ends it after the current cycle. */
int cmd_cycle(int n, char **word)
{
    u64 count;
    if (n != 1 || !parse_number(word[0], &count) || !count || count > 10000000)
        return usage("cycle: how often? 1 to 10,000,000");
    int status = device_open();
    u64 *all = calloc(4 * count, sizeof(u64));
    if (!all)
        return fail("ask for fewer", "no memory for the times of %llu cycles", (unsigned long long)count);
    u64 *times[4] = { all, all + count, all + 2 * count, all + 3 * count };
    catch_signals();
    size_t done = 0;
    while (!status && done < count && !interrupted) {
        struct amalgam_switched in, out;
        status = device_call(AMALGAM_ATTACH, &in);
        if (!status)
            status = device_call(AMALGAM_DETACH, &out);
        if (status)
            break;
        times[0][done] = in.total_ns, times[1][done] = in.stop_ns;
        times[2][done] = out.total_ns, times[3][done++] = out.stop_ns;
    }
    if (done)
        print_cycles(times, done);
    free(all);
    return status;
}
