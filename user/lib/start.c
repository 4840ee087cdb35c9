/* SPDX-License-Identifier: MIT */
/*
 * start.c - from the first instruction to main().
 *
 * The kernel has loaded the image somewhere and put argc, argv, the environment and the auxiliary vector on the stack.
 * Until relocate() is done nothing may be read that holds an address; hidden symbols are reached from the program
 * counter, without one.
 */
#include <amalgam/calls.h>
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "thread.h"

#if defined(__x86_64__) || defined(__i386__)
#define R_RELATIVE 8 /* R_X86_64_RELATIVE, R_386_RELATIVE */
#else
#define R_RELATIVE 3 /* R_RISCV_RELATIVE */
#endif
#define EXIT_NOT_STARTED 127

struct relocation {
    uintptr_t offset, info;
#if !defined(__i386__) /* where it is the word that is relocated */
    intptr_t addend;
#endif
};

/* Of `info`: the rest is a symbol (System V ABI, chapter 4). */
static uint32_t relocation_type(uintptr_t info)
{
    return sizeof info == sizeof(uint64_t) ? (uint32_t)info : info & 0xff;
}

#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN char amalgam_image[];
#if defined(__i386__)
#define RELOCATIONS     amalgam_rel
#define RELOCATIONS_END amalgam_rel_end
#else
#define RELOCATIONS     amalgam_rela
#define RELOCATIONS_END amalgam_rela_end
#endif
extern HIDDEN const struct relocation RELOCATIONS[], RELOCATIONS_END[];
typedef void initializer(void);
extern HIDDEN initializer *__preinit_array_start[], *__preinit_array_end[], *__init_array_start[], *__init_array_end[];

extern int main(int argc, char **argv, char **envp);
extern char **environ;

const struct program_header *program_tls;
uintptr_t program_base;
struct cpio program_files;

static _Noreturn void cannot_start(const char *why, size_t n)
{
    amalgam_console_write(why, n);
    amalgam_exit(EXIT_NOT_STARTED);
}
#define CANNOT_START(why) cannot_start(why "\n", sizeof why)

static void relocate(void)
{
    uintptr_t base = (uintptr_t)amalgam_image;
    for (const struct relocation *r = RELOCATIONS; r < RELOCATIONS_END; r++) {
        if (!r->info) /* R_RISCV_NONE, which the linker leaves in RISC-V's programs */
            continue;
        if (relocation_type(r->info) != R_RELATIVE)
            CANNOT_START("the program has a relocation that is not relative: link it with ./amalgam cc");
        uintptr_t *word = (uintptr_t *)(base + r->offset);
#if defined(__i386__)
        *word += base;
#else
        *word = base + (uintptr_t)r->addend;
#endif
    }
}

/* What the kernel says of the process. */
struct told {
    const struct program_header *headers;
    uintptr_t n_headers, base, heap, heap_end, files, files_size;
};

static struct told read_vector(const uintptr_t *pair)
{
    struct told told = { 0 };
    for (; pair[0]; pair += 2)
        switch (pair[0]) {
        case AT_PHDR: told.headers = (const struct program_header *)pair[1]; break;
        case AT_PHNUM: told.n_headers = pair[1]; break;
        case AT_BASE: told.base = pair[1]; break;
        case AMALGAM_AT_HEAP: told.heap = pair[1]; break;
        case AMALGAM_AT_HEAP_END: told.heap_end = pair[1]; break;
        case AMALGAM_AT_FILES: told.files = pair[1]; break;
        case AMALGAM_AT_FILES_SIZE: told.files_size = pair[1]; break;
        default: break;
        }
    return told;
}

/* The first thread's record and variables are the first thing on the heap. */
static void begin_thread(void)
{
    void *memory = sbrk((ptrdiff_t)tls_size());
    if (memory == (void *)-1)
        CANNOT_START("no memory for thread-local variables: give the process more 'memory'");
    amalgam_thread_pointer((void *)thread_pointer(tls_make(memory)));
}

static void run(initializer **first, initializer **end)
{
    for (; first < end; first++)
        (*first)();
}

HIDDEN _Noreturn void amalgam_start(uintptr_t *stack)
{
    relocate();
    int argc = (int)stack[0];
    char **argv = (char **)(stack + 1), **envp = argv + argc + 1, **end = envp;
    while (*end)
        end++;
    struct told told = read_vector((const uintptr_t *)(end + 1));
    program_base = told.base;
    program_files = (struct cpio){ (const uint8_t *)told.files, told.files_size };
    for (uintptr_t i = 0; i < told.n_headers; i++)
        if (told.headers[i].type == PT_TLS)
            program_tls = &told.headers[i];
    heap_begin(told.heap, told.heap_end);
    begin_thread();
    environ = envp;
    run(__preinit_array_start, __preinit_array_end);
    run(__init_array_start, __init_array_end);
    exit(main(argc, argv, envp));
}
