/* SPDX-License-Identifier: MIT */
/*
 * start.c - from the first instruction to main().
 *
 * The kernel has loaded the image at some address and put argc, argv, the environment and the auxiliary vector on the
 * stack. Until relocate() has returned, no variable that holds an address may be read. Hidden symbols may be used: the
 * compiler reaches them relative to the program counter.
 */
#include <amalgam/calls.h>
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "initializers.h"
#include "thread.h"

#if defined(__x86_64__) || defined(__i386__)
#define R_RELATIVE 8 /* R_X86_64_RELATIVE, R_386_RELATIVE */
#else
#define R_RELATIVE 3 /* R_RISCV_RELATIVE */
#endif
#define EXIT_NOT_STARTED 127

struct relocation {
    uintptr_t offset, info;
#if !defined(__i386__) /* on i386 the addend is in the word that is relocated */
    intptr_t addend;
#endif
};

/* Returns the type in `info`; its other bits are a symbol (System V ABI, chapter 4). */
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
extern int main(int argc, char **argv, char **envp);
extern char **environ;

const struct program_header *program_tls;
uintptr_t program_base;
struct cpio program_files;
uint32_t *program_random;
const char *program_name = "";

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
        if (!r->info) /* R_RISCV_NONE: the linker leaves some in programs for RISC-V */
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

/* The values of the auxiliary vector. */
struct auxv {
    const struct program_header *headers;
    uintptr_t n_headers, base, heap, heap_end, files, files_size, random;
};

static struct auxv read_vector(const uintptr_t *pair)
{
    struct auxv auxv = { 0 };
    for (; pair[0]; pair += 2)
        switch (pair[0]) {
        case AT_PHDR: auxv.headers = (const struct program_header *)pair[1]; break;
        case AT_PHNUM: auxv.n_headers = pair[1]; break;
        case AT_BASE: auxv.base = pair[1]; break;
        case AMALGAM_AT_RANDOM: auxv.random = pair[1]; break;
        case AMALGAM_AT_HEAP: auxv.heap = pair[1]; break;
        case AMALGAM_AT_HEAP_END: auxv.heap_end = pair[1]; break;
        case AMALGAM_AT_FILES: auxv.files = pair[1]; break;
        case AMALGAM_AT_FILES_SIZE: auxv.files_size = pair[1]; break;
        default: break;
        }
    return auxv;
}

/* Make the first thread's record and variables, as the first block on the heap. */
static void make_first_thread(void)
{
    void *memory = heap_move_end((ptrdiff_t)tls_size());
    if (!memory)
        CANNOT_START("no memory for thread-local variables: give the process more 'memory'");
    struct amalgam_thread *t = tls_make(memory);
    t->signals = (struct thread_signals){ 0 }; /* its number is 0 */
    amalgam_thread_pointer((void *)thread_pointer(t));
}

HIDDEN _Noreturn void amalgam_start(uintptr_t *stack)
{
    relocate();
    int argc = (int)stack[0];
    char **argv = (char **)(stack + 1), **envp = argv + argc + 1, **end = envp;
    while (*end)
        end++;
    struct auxv auxv = read_vector((const uintptr_t *)(end + 1));
    program_base = auxv.base;
    program_random = (uint32_t *)auxv.random;
    program_files = (struct cpio){ (const uint8_t *)auxv.files, auxv.files_size };
    for (uintptr_t i = 0; i < auxv.n_headers; i++)
        if (auxv.headers[i].type == PT_TLS)
            program_tls = &auxv.headers[i];
    heap_begin(auxv.heap, auxv.heap_end);
    make_first_thread();
    environ = envp;
    if (argc)
        program_name = argv[0];
    run_initializers();
    exit(main(argc, argv, envp));
}
