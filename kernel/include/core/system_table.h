/* SPDX-License-Identifier: MIT */
/*
 * core/system_table.h - the binary form of a system file.
 *
 * `amalgam build SYSTEM` (tools/amalgam/system/) checks a YAML file and writes a *system image*: this table, then the
 * payloads (kernels, initrds, disks), each page aligned. It is little-endian and has no pointers, only offsets from the
 * start of the image. system_table_check() checks magic, version, sizes, the CRC-32 (IEEE, of the table with crc32 0)
 * and each index and range once, and refuses the whole image, with a message, if anything is wrong.
 *
 * tests/unit compares the Python writer with the offsets that are asserted at the end.
 */
#ifndef AMALGAM_CORE_SYSTEM_TABLE_H
#define AMALGAM_CORE_SYSTEM_TABLE_H

#include <types.h>

#define SYS_MAGIC        0x53474d41u /* "AMGS" */
#define SYS_VERSION      7
#define SYS_NAME         16
#define SYS_NONE         0xffffu /* no such payload, string, domain */
#define SYS_HOST         0xfffeu /* as an end of a channel: the Linux above the kernel */
#define SYS_MAX_DOMAINS  16
#define SYS_MAX_CHANNELS 16
#define SYS_MAX_CORES    32  /* of a process: the call thread_cores has a bit for each */
#define SYS_MAX_VCPUS    8   /* of a domain of another kind */
#define SYS_PART         152 /* bytes of a domain's record that only its kind knows */

enum sys_kind { SYS_KIND_VM = 1, SYS_KIND_TASK, SYS_KIND_PROCESS, SYS_KIND_NATIVE };

enum sys_domain_flags {
    SYS_AUTOSTART = 1u << 0,
    SYS_RESTART_ON_RESET = 1u << 1, /* start again after a reset by the guest */
    SYS_RESTART_ON_FAULT = 1u << 2, /* triple fault, watchdog, refused exit */
    SYS_OF_KIND = 3u << 3,          /* what these mean the kind says */
    SYS_POWER_BOARD = 1u << 5,      /* the board is powered off when all domains with this flag have ended */
    SYS_FOCUS = 1u << 6,            /* gets the console's focus when it starts */
    SYS_STARTED = 1u << 7,          /* another domain starts it, again and again, and is told of its ends */
};

/* The common part of a domain's record, which core/ reads, then the kind's part: a struct of
 * kernel/include/KIND/system_part.h, which domain_ops.check of its kind checks. */
struct sys_domain {
    char name[SYS_NAME];
    u8 kind;
    u8 n_vcpus; /* or threads, or cores of a process */
    u8 prio;
    u8 pad;
    u32 flags;
    u64 memory;      /* bytes; the kind says the unit; 0: no memory of its own */
    u32 cmdline;     /* offset of a NUL-terminated string in the string area; SYS_NONE: empty */
    u16 watchdog_ms; /* 0: none. Ends the domain if for this long no vCPU idles, and nobody kicks the watchdog */
    u16 reserved;
    u8 core[SYS_MAX_CORES]; /* core of each vCPU */
    char part[SYS_PART];
};

struct sys_window {
    u16 core;
    u16 domain; /* SYS_NONE: the shared group */
    u32 start_us;
    u32 length_us;
};

struct sys_frame {
    u16 core;
    u16 n_windows;
    u16 first_window; /* index; windows of a frame are consecutive, sorted, disjoint */
    u16 reserved;
    u32 length_us;
};

enum sys_channel_flags { SYS_CHANNEL_A_WRITES = 1u << 0, SYS_CHANNEL_B_WRITES = 1u << 1 };

/* A tunnel: `size` bytes shared by two domains, VMs or processes, or one and SYS_HOST (domain_b). A VM has it at
 * 0xe0000000 + index * 1 MiB (gpa), its doorbell is GSI 24 + index; a process at PROCESS_TUNNELS + index * 1 MiB. */
struct sys_channel {
    char name[SYS_NAME];
    u16 domain_a, domain_b;
    u32 flags;
    u32 size; /* multiple of 4 KiB, at most 1 MiB */
    u32 reserved;
};

struct sys_payload {
    u64 offset; /* page aligned, from the start of the image */
    u64 size;
};

enum sys_array { SYS_DOMAINS, SYS_FRAMES, SYS_WINDOWS, SYS_CHANNELS, SYS_PAYLOADS, SYS_ARRAYS };

struct sys_header {
    u32 magic;
    u16 version;
    u16 header_size;
    u64 image_size; /* everything, payloads included */
    u32 table_size; /* header, arrays and strings: what the CRC covers */
    u32 crc32;
    char name[32];
    union { /* the arrays: how many entries, and where */
        u16 n[SYS_ARRAYS];
        struct {
            u16 n_domains, n_frames, n_windows, n_channels, n_payloads;
        };
    };
    u16 n_cores;
    union {
        u32 off[SYS_ARRAYS + 1];
        struct {
            u32 off_domains, off_frames, off_windows, off_channels, off_payloads, off_strings;
        };
    };
    u32 strings_size;
};

_Static_assert(offsetof(struct sys_domain, part) == 72 && sizeof(struct sys_domain) == 72 + SYS_PART, "layout");
_Static_assert(sizeof(struct sys_window) == 12, "layout");
_Static_assert(sizeof(struct sys_frame) == 12, "layout");
_Static_assert(sizeof(struct sys_channel) == 32, "layout");
_Static_assert(sizeof(struct sys_payload) == 16, "layout");
_Static_assert(sizeof(struct sys_header) == 96, "layout");

/*
 * Check the image of `size` bytes at `image` completely. Returns 0, -EBADMSG (magic, version, size, CRC) or -EINVAL
 * (contents). *why (`why` may be NULL) becomes a constant sentence. Pure: it allocates nothing and reads no globals but
 * domain_kinds.
 */
int system_table_check(const void *image, u64 size, const char **why);

/* For the checks of kinds: returns whether the string exists and is a valid name, by the rules for domains' names. */
bool sys_name_ok(const struct sys_header *h, u32 string);

/* The checked table of the present system; NULL: there is none. */
extern const struct sys_header *system_table;
/* Return entry i of an array; below, the same with the array's type. */
const void *sys_entry(const struct sys_header *h, enum sys_array array, unsigned i);
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i);
const struct sys_frame *sys_frame(const struct sys_header *h, unsigned i);
const struct sys_window *sys_window(const struct sys_header *h, unsigned i);
const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i);
/* Return payload i and its size; NULL if i is SYS_NONE. */
const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size);
const char *sys_string(const struct sys_header *h, u32 off);

/* Returns whether `size` bytes are exactly `n` strings, each with its NUL. */
static inline bool sys_strings_ok(const char *text, u64 size, u32 n)
{
    u32 ends = 0;
    for (u64 i = 0; i < size; i++)
        ends += !text[i];
    return ends == n && (!size || !text[size - 1]);
}

#endif
