/* SPDX-License-Identifier: MIT */
/*
 * prefixed - checks instructions that exit, with prefixes that have no effect on them: an emulator must skip the
 * prefixes, too. Each is written to the same places without, with and again without prefixes; one of the places crosses
 * a page boundary. An instruction that counts follows it. CPUID, which programs may execute, is checked in ring 3 as
 * well. prefixed: ok, 300 instructions
 */
#include <guest.h>
#include <amalgam_calls.h>

#define VECTOR    0x51
#define FIXED     (1u << 14)
#define APIC_BAR  0x1b
#define ROUNDS    3
#define UNDEFINED 6 /* #UD */

static const struct instruction {
    const char *name;
    uint8_t length, byte[4];
    uint64_t rax, rcx;
} instructions[] = {
    { "cpuid", 2, { 0x0f, 0xa2 }, 0, 0 },          { "rdmsr", 2, { 0x0f, 0x32 }, 0, APIC_BAR },
    { "wrmsr", 2, { 0x0f, 0x30 }, 0, 0xc0000103 }, { "vmmcall", 3, { 0x0f, 0x01, 0xd9 }, 0x414d0000, 0 },
    { "wbinvd", 2, { 0x0f, 0x09 }, 0, 0 },         { "hlt", 1, { 0xf4 }, 0, 0 },
};
static const struct {
    uint8_t n, byte[4];
} prefixes[] = { { 0, { 0 } }, { 1, { 0x66 } }, { 2, { 0x2e, 0x66 } }, { 4, { 0x3e, 0x65, 0x67, 0x48 } } };

static uint8_t pages[2][4096] __attribute__((aligned(4096)));
static uint64_t counted;
static const struct instruction *now;
static uint8_t *place;

static void on_wake(struct trap_frame *f)
{
    (void)f;
    apic_eoi();
}

static void run(void *unused)
{
    uint64_t rax = now->rax, rcx = now->rcx, rdx = 0;
    (void)unused;
    if (now->byte[0] == 0xf4)
        apic_ipi(apic_id(), FIXED | VECTOR);
    __asm__ volatile("xor %%r9d, %%r9d; call *%4; cli; mov %%r9, %3"
                     : "+a"(rax), "+c"(rcx), "+d"(rdx), "=m"(counted)
                     : "r"(place)
                     : "rbx", "r9", "memory", "cc");
}

static bool steps_over_all(const struct instruction *i, unsigned prefix, uint8_t *at)
{
    static const uint8_t count[] = { 0x49, 0xff, 0xc1, 0xc3 }; /* inc r9; ret */
    unsigned n = prefixes[prefix].n;
    now = i;
    place = at;
    counted = 0;
    if (i->byte[0] == 0xf4)
        *at++ = 0xfb; /* STI: the pending interrupt comes after one more instruction, the HLT */
    memcpy(at, prefixes[prefix].byte, n);
    memcpy(at + n, i->byte, i->length);
    memcpy(at + n + i->length, count, sizeof(count));
    return !guarded(run, NULL) && counted == 1;
}

/* Execute it in ring 3 with and then without prefixes, each followed by an instruction that counts; UD2 ends it. */
static bool user_steps_over_all(unsigned prefix)
{
    static const uint8_t cpuid_count[] = { 0x0f, 0xa2, 0x48, 0xff, 0x07 }, ud2[] = { 0x0f, 0x0b };
    uint8_t code[64], *at = code;
    for (unsigned i = 0; i < 2; i++) {
        unsigned n = i ? 0 : prefixes[prefix].n;
        memcpy(at, prefixes[prefix].byte, n);
        memcpy(at + n, cpuid_count, sizeof(cpuid_count));
        at += n + sizeof(cpuid_count);
    }
    memcpy(at, ud2, sizeof(ud2));
    *user_words = 0;
    return user_run(code, sizeof(code), (uintptr_t)user_words) == UNDEFINED + 1 && *user_words == 2;
}

void guest_main(void)
{
    unsigned n = 0, wrong = 0;
    trap_install(VECTOR, on_wake);
    apic_enable();
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++, n++) {
            if (!user_steps_over_all(p) && wrong++ < 8)
                print("prefixed: cpuid in ring 3 with %u prefixes went wrong\n", prefixes[p].n);
            for (unsigned i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
                for (unsigned at = 0; at < 4; at++, n++)
                    if (!steps_over_all(&instructions[i], p, pages[1] + (at == 3 ? -2 : (int)at * 16)) && wrong++ < 8)
                        print("prefixed: %s with %u prefixes went wrong\n", instructions[i].name, prefixes[p].n);
        }
    print("prefixed: %s, %u instructions\n", wrong ? "WRONG" : "ok", n);
}
