/* SPDX-License-Identifier: MIT */
/*
 * domain.c - systems of domains beside Linux: create, list, start, stop and restart (recover.c destroys).
 *
 * A system image (./amalgam build SYSTEM) says how many cores and how much memory its domains need. `create` takes the
 * cores and the memory from Linux and gives them to the kernel, writes the image at the upper end of that memory, and
 * passes its address to the control console. If a step fails or a signal comes, everything that was given is taken
 * back. After SIGKILL recover.c takes it back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "image.h"

#define PATIENCE_MS 60000 /* creating clears guests' memory and unpacks kernels */

struct plan {
    struct image image;
    u64 extra; /* memory beyond what the domains and the image need */
    unsigned n_cpus, cpu[IMAGE_MAX_CORES];
    unsigned n_given; /* how many of `cpu` are given */
    struct blocks memory;
};

struct row {
    unsigned id, vcpus, restarts;
    unsigned long mib;
    char name[32], kind[16], state[16];
};

static int undo(struct plan *p, int status)
{
    if (p->memory.n)
        take_memory(&p->memory);
    while (p->n_given)
        take_cpu(p->cpu[--p->n_given]);
    return status;
}

/* Choose the highest CPUs that are online, unless some were named. */
static int choose_cpus(struct plan *p)
{
    if (p->n_cpus && p->n_cpus != p->image.cores)
        return fail("name as many CPUs as the system has cores", "%u CPUs for a system of %u cores", p->n_cpus,
                    p->image.cores);
    for (unsigned cpu = cpu_count(); p->n_cpus < p->image.cores && cpu-- > 1;)
        if (cpu_is_online(cpu))
            p->cpu[p->n_cpus++] = cpu;
    return p->n_cpus == p->image.cores
               ? DONE
               : fail("a system with fewer cores, or a machine with more: Linux keeps one",
                      "the system has %u cores, Linux can do without %u", p->image.cores, p->n_cpus);
}

static int give_all(struct plan *p, u64 *address)
{
    u64 need = p->image.memory + p->image.size + p->extra;
    for (; p->n_given < p->n_cpus; p->n_given++) {
        int status = interrupted ? fail("", "interrupted: everything is taken back") : give_cpu(p->cpu[p->n_given]);
        if (status)
            return status;
    }
    struct content content = { .bytes = p->image.bytes, .size = p->image.size };
    int status = give_memory(need, &p->memory, &content);
    *address = content.address;
    return status || !interrupted ? status : fail("", "interrupted: everything is taken back");
}

/* Read a line of the control console's `list`. Returns whether it is a domain's; the text about its end is at
 * line[*end]. */
static bool read_row(const char *line, struct row *r, int *end)
{
    return sscanf(line, "%u %31s %15s %15s %u vCPUs %lu MiB restarts %u; %n", &r->id, r->name, r->kind, r->state,
                  &r->vcpus, &r->mib, &r->restarts, end) == 7;
}

/* One system runs at a time. Found out before CPUs and memory are taken from Linux. */
static int check_none(void)
{
    struct amalgam_status s;
    struct row row;
    char *answer;
    int end, status = device_call(AMALGAM_STATUS, &s);
    if (status || s.state != AMALGAM_ATTACHED || !s.cores) /* whoever gives the first CPU is told what is missing */
        return status;
    status = control("list", &answer, 10000);
    if (status)
        return status;
    if (read_row(answer, &row, &end))
        status =
            fail("amalgam domain destroy", "a system runs already, with the domain '%s': one runs at a time", row.name);
    free(answer);
    return status;
}

static int create(struct plan *p)
{
    char line[64], *answer;
    u64 address;
    int status = choose_cpus(p);
    if (!status)
        status = check_available(p->image.memory + p->image.size + p->extra);
    if (status)
        return status;
    status = give_all(p, &address);
    if (status)
        return undo(p, status);
    snprintf(line, sizeof(line), "create %#llx %llu", (unsigned long long)address, (unsigned long long)p->image.size);
    status = control(line, &answer, PATIENCE_MS);
    if (status)
        return undo(p, status);
    say_answer(answer);
    free(answer);
    return DONE;
}

static int cmd_create(int n, char **word)
{
    static const struct option table[] = { { "cpus", required_argument, NULL, 'c' },
                                           { "extra", required_argument, NULL, 'e' },
                                           { 0 } };
    struct plan plan = { 0 };
    for (int option; (option = next_option("domain create", n, word, ":", table)) != -1;) {
        switch (option) {
        case 'c':
            if (!(plan.n_cpus = parse_list(optarg, plan.cpu, IMAGE_MAX_CORES)))
                return usage("domain create: '%s' is no list of CPUs, such as 2,3 or 4-7", optarg);
            break;
        case 'e':
            if (!parse_size(optarg, &plan.extra))
                return usage("domain create: '%s' is no size", optarg);
            break;
        default: return USAGE;
        }
    }
    if (optind < n)
        return usage("domain create: '%s' is too much", word[optind]);
    const char *path = optind == n ? word[n - 1] : NULL;
    if (!path)
        return usage("domain create: which system image?");
    catch_signals();
    int status = image_open(path, &plan.image);
    if (!status)
        status = device_lock();
    if (!status)
        status = check_none();
    return status ? status : create(&plan);
}

static int print_domains(char *answer)
{
    struct row r;
    unsigned n = 0;
    int end;
    if (!json) {
        fputs(answer, stdout);
        return DONE;
    }
    fputs("[", stdout);
    for (char *line = strtok(answer, "\n"); line; line = strtok(NULL, "\n")) {
        if (!read_row(line, &r, &end))
            continue;
        printf("%s{\"name\": \"%s\", \"kind\": \"%s\", \"state\": \"%s\", \"vcpus\": %u, \"mib\": %lu, \"restarts\": "
               "%u, \"end\": \"",
               n++ ? ", " : "", r.name, r.kind, r.state, r.vcpus, r.mib, r.restarts);
        print_json_text(line + end);
        fputs("\"}", stdout);
    }
    puts("]");
    return DONE;
}

static int cmd_list(void)
{
    char *answer;
    int status = control("list", &answer, 10000);
    if (status)
        return status;
    print_domains(answer);
    free(answer);
    return DONE;
}

/* Send `start`, `stop` or `restart`, which are the control console's own commands. To start a domain that runs, or stop
 * one that is stopped, is no error. */
static int cmd_verb(const char *verb, int n, char **word)
{
    char line[64], *answer;
    int error = 0;
    if (n != 1 || strlen(word[0]) > 15)
        return usage("domain %s: which domain?", verb);
    if (domain_number(word[0]) < 0)
        return FAILED;
    snprintf(line, sizeof(line), "%s %s", verb, word[0]);
    int status = control_try(line, &answer, PATIENCE_MS, &error);
    if ((error == EBUSY && !strcmp(verb, "start")) || (error == ENOENT && !strcmp(verb, "stop"))) {
        snprintf(line, sizeof(line), "%s %s already", word[0], error == EBUSY ? "runs" : "is stopped");
        return say_already(line);
    }
    if (error)
        return fail("amalgam log shows what the kernel said", "%s: %s", line, strerror(error));
    if (status)
        return status;
    say_answer(answer);
    free(answer);
    return DONE;
}

int cmd_domain(int n, char **word)
{
    static const char *const verbs[] = { "start", "stop", "restart" };
    if (!n)
        return usage("domain: create, destroy, list, start, stop, restart or console?");
    if (!strcmp(word[0], "create"))
        return cmd_create(n - 1, word + 1);
    if (!strcmp(word[0], "destroy"))
        return cmd_destroy(n - 1, word + 1);
    if (!strcmp(word[0], "console"))
        return cmd_console(n - 1, word + 1);
    if (!strcmp(word[0], "list"))
        return n == 1 ? cmd_list() : usage("domain list: '%s' is too much", word[1]);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (!strcmp(word[0], verbs[i]))
            return cmd_verb(verbs[i], n - 1, word + 1);
    return usage("domain: no '%s'", word[0]);
}
