/* SPDX-License-Identifier: MIT */
/*
 * spawner.c - a process that starts others (docs/shell.md), whose program is its file /spawned.
 *   spawner check      each call, rightly and wrongly, by a process with two slots
 *   spawner rounds N   starts N programs, one after the other
 *   spawner leaves     starts one that does not end, and ends by a fault; begins anew, and finds its slot free
 *   spawner hostile N  N times a program that is damaged at random
 *   spawner mails      in a cluster: starts programs that take all mailboxes that they may have, one after the other
 *   spawner storm N    N random calls each by two threads, which start, kill and wait for each other's programs
 */
#include <amalgam/spawn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "spawner"
#include "../../user/programs/must.h"

static volatile char *volatile nowhere;

#define PAGE  4096u
#define MOST  (512u << 10)
#define SHORT 1000000u /* ns */

static _Alignas(PAGE) char image[MOST];
static uint32_t image_size, image_handle;

static void read_image(void)
{
    int file = open("/spawned", O_RDONLY);
    ssize_t n;
    MUST(file >= 0);
    while ((n = read(file, image + image_size, MOST - image_size)) > 0)
        image_size += (uint32_t)n;
    MUST(!n && image_size);
    close(file);
    image_handle = (uint32_t)RESULT(amalgam_handle_memory(image, MOST, 0));
}

/* The texts of words, and SAID=hello. */
static struct amalgam_program with_words(const char *words)
{
    static char texts[256];
    struct amalgam_program s = { .image = image_handle, .size = image_size, .texts = (uintptr_t)texts, .envc = 1 };
    char *to = stpcpy(texts, "spawned") + 1;
    s.argc = 1;
    for (const char *word = words; *word; s.argc++) {
        size_t n = strcspn(word, " ");
        memcpy(to, word, n);
        to[n] = '\0';
        to += n + 1;
        word += n + (word[n] == ' ');
    }
    to = stpcpy(to, "SAID=hello") + 1;
    s.length = (uint32_t)(to - texts);
    return s;
}

static int64_t start(const char *words)
{
    struct amalgam_program s = with_words(words);
    return amalgam_spawn_start(&s);
}

static uint32_t end_of(int64_t child)
{
    int64_t end;
    while ((end = amalgam_spawn_wait((uint32_t)child)) == -AMALGAM_EAGAIN)
        amalgam_sleep_until(amalgam_clock() + SHORT);
    return (uint32_t)RESULT(end);
}

static uint32_t result_of(const char *words) { return end_of(RESULT(start(words))); }

static void check_ends(void)
{
    MUST(result_of("exit 7") == (AMALGAM_SPAWN_EXITED << 8 | 7));
    MUST(result_of("say one two") == 0);
    MUST(result_of("fault") == AMALGAM_SPAWN_FAULT << 8);
    int64_t first = RESULT(start("loop")), second = RESULT(start("loop"));
    MUST(first != second && first >= 16 && second >= 16);
    MUST(start("exit 0") == -AMALGAM_EAGAIN);
    MUST(amalgam_spawn_wait((uint32_t)first) == -AMALGAM_EAGAIN);
    RESULT(amalgam_spawn_kill((uint32_t)first, 9));
    RESULT(amalgam_spawn_kill((uint32_t)first, 10));
    MUST(end_of(first) == (AMALGAM_SPAWN_KILLED << 8 | 9));
    MUST(amalgam_spawn_wait((uint32_t)first) == -AMALGAM_ENOENT);
    MUST(amalgam_spawn_kill((uint32_t)first, 9) == -AMALGAM_ENOENT);
    MUST(amalgam_spawn_wait((uint32_t)second) == -AMALGAM_EAGAIN);
    RESULT(amalgam_spawn_kill((uint32_t)second, 1));
    end_of(second);
}

static void check_memory(void) { MUST(result_of("dirty") == 0 && result_of("dirty") == 0 && result_of("dirty") == 0); }

static void check_given(void)
{
    static _Alignas(PAGE) char page[PAGE] = "given";
    int64_t handle = RESULT(amalgam_handle_memory(page, PAGE, 1));
    struct amalgam_program s = with_words("shown");
    s.n_handles = 1;
    s.handle[0] = (uint8_t)handle;
    s.rights[0] = AMALGAM_HANDLE_READ;
    MUST(end_of(RESULT(amalgam_spawn_start(&s))) == 0);
    s.rights[0] = AMALGAM_HANDLE_OWN;
    MUST(amalgam_spawn_start(&s) == -AMALGAM_EPERM);
    s.handle[0] = 31;
    MUST(amalgam_spawn_start(&s) == -AMALGAM_EBADF);
    s.n_handles = AMALGAM_SPAWN_HANDLES + 1;
    MUST(amalgam_spawn_start(&s) == -AMALGAM_EINVAL);
    RESULT(amalgam_handle_close((unsigned)handle));
}

#define WRONG(changed, error)                                                                                          \
    do {                                                                                                               \
        struct amalgam_program s = with_words("exit 0");                                                               \
        changed;                                                                                                       \
        MUST(amalgam_spawn_start(&s) == -AMALGAM_##error);                                                             \
    } while (0)

static void check_wrong(void)
{
    MUST(amalgam_spawn_start((const struct amalgam_program *)8) == -AMALGAM_EFAULT);
    MUST(amalgam_spawn_wait(5) == -AMALGAM_ENOENT && amalgam_spawn_kill(0x7fffffff, 0) == -AMALGAM_ENOENT);
    WRONG(s.image = 31, EBADF);
    WRONG(s.size = 8, ENOEXEC);
    WRONG(s.size = 0xffffffff, ENOEXEC);
    WRONG(s.offset = 1, ENOEXEC);
    WRONG(s.offset = 0xffffffff, ENOEXEC);
    WRONG(s.texts = 8, EFAULT);
    WRONG(s.argc++, EINVAL);
    WRONG(s.argc = 0xffffffff, EINVAL);
    WRONG(s.length--, EINVAL);
    WRONG(s.length = 0xffffffff, E2BIG);
    MUST(result_of("exit 3") == 3);
}

/* Nothing happens but that it is refused, or ends somehow. */
static void be_hostile(unsigned rounds)
{
    unsigned refused = 0, ran = 0;
    uint32_t seed = 1;
    for (unsigned i = 0; i < rounds; i++) {
        uint32_t at[4];
        char before[4];
        for (unsigned k = 0; k < 4; k++) {
            seed = seed * 1664525 + 1013904223;
            at[k] = (seed >> 8) % (k < 3 ? 512 : image_size);
            before[k] = image[at[k]];
            image[at[k]] = (char)(seed >> 4);
        }
        int64_t child = start("exit 0");
        for (unsigned k = 4; k--;)
            image[at[k]] = before[k];
        if (child < 0) {
            MUST(child == -AMALGAM_ENOEXEC || child == -AMALGAM_ENOMEM);
            refused++;
            continue;
        }
        amalgam_sleep_until(amalgam_clock() + SHORT);
        RESULT(amalgam_spawn_kill((uint32_t)child, 9));
        end_of(child);
        ran++;
    }
    printf("spawner: %u refused, %u ran\n", refused, ran);
    MUST(refused && result_of("exit 3") == 3);
}

/* What was started last in each slot, by whatever thread: in it nothing else is before the end of that is told. */
static uint32_t started[16];

static uint32_t one_of_them(uint32_t some)
{
    unsigned i = 0;
    while (i < 16 && !started[(some + i) % 16])
        i++;
    return started[(some + i) % 16];
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Any answer is right. Most handles and numbers are those of something. */
static void call_at_random(uint32_t *seed)
{
    static const char texts[] = "spawned\0exit\0"
                                "5\0spawned\0loop";
    uint32_t choice = next_random(seed) % 16, some = next_random(seed);
    uint32_t child = one_of_them(some), handle = some % 32;
    char data[64];
    if (choice < 4) {
        bool loops = some & 256;
        struct amalgam_program p = { .image = image_handle, .size = image_size, .argc = loops ? 2 : 3 };
        p.texts = (uintptr_t)texts + (loops ? 15 : 0);
        p.length = loops ? 13 : 15;
        p.n_handles = some % 3;
        for (unsigned i = 0; i < p.n_handles; i++) {
            p.handle[i] = (uint8_t)(next_random(seed) % 12);
            p.rights[i] = (uint8_t)(1 + next_random(seed) % 2);
        }
        int64_t number = amalgam_spawn_start(&p);
        if (number > 0)
            started[number % 16] = (uint32_t)number;
    } else if (choice < 8) {
        amalgam_spawn_kill(child, 9);
    } else if (choice < 11) {
        amalgam_spawn_wait(child);
    } else if (choice == 11) {
        amalgam_spawn_pipe();
    } else if (choice == 12) {
        amalgam_pipe_read(handle % 12, data, some % sizeof data);
    } else if (choice == 13) {
        amalgam_pipe_write(handle % 12, data, some % sizeof data);
    } else if (handle != image_handle) {
        amalgam_handle_close(handle % 12 == image_handle ? 31 : handle % 12);
    }
}

static unsigned storm_steps;

static void *storm(void *first)
{
    uint32_t seed = (uint32_t)(uintptr_t)first;
    for (unsigned i = 0; i < storm_steps; i++)
        call_at_random(&seed);
    return NULL;
}

static void be_a_storm(unsigned steps)
{
    pthread_t other;
    storm_steps = steps;
    MUST(!pthread_create(&other, NULL, storm, (void *)7));
    storm((void *)1);
    MUST(!pthread_join(other, NULL));
    for (unsigned i = 0; i < 16; i++) {
        amalgam_spawn_kill(started[i], 9);
        while (amalgam_spawn_wait(started[i]) == -AMALGAM_EAGAIN)
            amalgam_sleep_until(amalgam_clock() + SHORT);
    }
    for (unsigned i = 0; i < 32; i++)
        if (i != image_handle)
            amalgam_handle_close(i);
    for (unsigned i = 0; i < 4; i++)
        RESULT(amalgam_spawn_pipe()); /* all are free again */
}

/* Each has as many as the one before it, however that one has ended. */
static void check_mails(void)
{
    uint32_t n = result_of("mails");
    MUST(n > 2);
    for (unsigned i = 0; i < 20; i++) {
        MUST(result_of("mails fault") == AMALGAM_SPAWN_FAULT << 8);
        MUST(result_of("mails") == n);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    read_image();
    if (!strcmp(what, "leaves")) {
        int64_t child;
        while ((child = start("loop")) == -AMALGAM_EAGAIN) /* the one of the life before is ending still */
            amalgam_sleep_until(amalgam_clock() + SHORT);
        RESULT(child);
        printf("spawner: left one\n");
        amalgam_sleep_until(amalgam_clock() + 10 * SHORT);
        *nowhere = 0;
    }
    if (!strcmp(what, "check")) {
        check_ends();
        check_memory();
        check_given();
        check_wrong();
    }
    if (!strcmp(what, "mails"))
        check_mails();
    for (unsigned i = 0; !strcmp(what, "rounds") && i < n; i++)
        MUST(result_of("exit 5") == 5);
    if (!strcmp(what, "hostile"))
        be_hostile(n);
    if (!strcmp(what, "storm")) {
        be_a_storm(n);
        check_ends();
    }
    printf("spawner: right\n");
    return 0;
}
