/* SPDX-License-Identifier: MIT */
/*
 * spawnmark.c - starts programs between marks, for bench/nanvix-servers (tools/plugin/clocks.c counts): mark 1 stands
 * before the call, mark 2 is the first thing in the new program's main(). Its program is its own file, /spawnmark;
 * `spawnmark child` is what it starts.
 */
#include <fcntl.h>
#include <unistd.h>

#define PROGRAM "spawnmark"
#include "../../include/await_end.h"
#include "../../../user/programs/mark.h"
#include "../../../user/programs/must.h"

#define LARGEST (320u << 10)
#define SAMPLES 40

int main(int argc, char **argv)
{
    MARK(2);
    static const char texts[] = "spawnmark\0child";
    (void)argv;
    if (argc > 1)
        return 0;
    char *image = (char *)(uintptr_t)RESULT(amalgam_map(NULL, LARGEST, AMALGAM_MAP_WRITE)); /* not the program's own */
    struct amalgam_program p = { .argc = 2, .length = sizeof texts, .texts = (uintptr_t)texts };
    int file = open("/spawnmark", O_RDONLY);
    ssize_t n = file < 0 ? file : read(file, image, LARGEST);
    MUST(n > 0 && n < (ssize_t)LARGEST);
    p.size = (uint32_t)n;
    p.image = (uint32_t)RESULT(amalgam_handle_memory(image, LARGEST, 0));
    for (int i = 0; i < SAMPLES; i++) {
        MARK(1);
        await_end((uint32_t)RESULT(amalgam_spawn_start(&p)));
    }
    printf("spawnmark: done\n");
    return 0;
}
