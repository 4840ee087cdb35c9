/* SPDX-License-Identifier: MIT */
/*
 * steps - checks what the processor does behind an instruction, at instructions that exit: with RFLAGS.TF the trap
 * comes right behind the instruction, with REP behind each iteration (APM vol. 2, 13.1.4); a breakpoint on the next
 * instruction is met; RF, which lets one instruction pass its own breakpoint, has ended (13.1.3).
 * steps: ok, 20 instructions
 */
#include <guest.h>

#define TF       0x100u
#define RF       0x10000u
#define DR6_BS   0x4000u
#define DR6_NONE 0xffff0ff0ul
#define SEEN     16
#define IOAPIC   0xfec00000ul

#define CALL_NULL  0x414d0000 /* kernel/api/calls.yaml */
#define CALL_YIELD 0x414d0001

volatile bool stepping;
static uint8_t buffer[64];

/* The code of a check: RAX is the sixth argument; TF is set if `stepping`; the instruction is at NAME_a, the next ones,
 * three NOPs, are at NAME_b on. */
#define CODE(name, insn)                                                                                               \
    __asm__(".text\n" #name ": push %rbx; mov %r9, %rax; pushfq; cmpb $0, stepping; je 1f; orl $0x100, (%rsp)\n"       \
            "1: popfq\n" #name "_a: " insn "\n" #name "_b: nop; nop; nop; pop %rbx; ret\n");                           \
    extern const uint8_t name##_a[], name##_b[];                                                                       \
    void name(uint64_t di, uint64_t si, uint64_t dx, uint64_t cx, uint64_t r8, uint64_t ax)

CODE(c_nop, "nop");
CODE(c_cpuid, "cpuid");
CODE(c_in, "in %dx, %al");
CODE(c_out, "out %al, %dx");
CODE(c_rdmsr, "rdmsr");
CODE(c_wrmsr, "wrmsr");
CODE(c_load, "mov (%rsi), %eax");
CODE(c_store, "mov %eax, (%rdi)");
CODE(c_rep_outs, "rep outsb");
CODE(c_rep_ins, "rep insb");
CODE(c_rep_stos, "rep stosl");
CODE(c_rep_lods, "rep lodsl");
CODE(c_wbinvd, "wbinvd");
CODE(c_invd, "invd");
CODE(c_vmmcall, "vmmcall");
CODE(c_cr8, "mov %r8, %cr8");
CODE(c_hlt, "hlt");

#define CHECK(name) #name, name, name##_a, name##_b
static const struct check {
    const char *name;
    void (*code)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    const uint8_t *at, *next;
    unsigned more; /* traps before the one behind the instruction */
    uint64_t di, si, dx, cx, ax;
} checks[] = {
    { CHECK(c_nop), 0, 0, 0, 0, 0, 0 },
    { CHECK(c_cpuid), 0, 0, 0, 0, 0, 1 },
    { CHECK(c_in), 0, 0, 0, 0x3fd, 0, 0 },
    { CHECK(c_out), 0, 0, 0, 0x80, 0, 0 },
    { CHECK(c_rdmsr), 0, 0, 0, 0, 0x1b, 0 },
    { CHECK(c_wrmsr), 0, 0, 0, 0, 0xc0000103, 0 },
    { CHECK(c_load), 0, 0, IOAPIC + 0x10, 0, 0, 0 },
    { CHECK(c_store), 0, IOAPIC, 0, 0, 0, 0 },
    { CHECK(c_rep_outs), 2, 0, (uintptr_t)buffer, 0x80, 3, 0 },
    { CHECK(c_rep_ins), 2, (uintptr_t)buffer, 0, 0x3fd, 3, 0 },
    { CHECK(c_rep_stos), 2, (uintptr_t)buffer, 0, 0, 3, 0 },
    { CHECK(c_rep_stos), 2, IOAPIC, 0, 0, 3, 0 }, /* the index; the other two are reserved */
    { CHECK(c_rep_lods), 2, 0, IOAPIC, 0, 3, 0 },
    { CHECK(c_wbinvd), 0, 0, 0, 0, 0, 0 },
    { CHECK(c_invd), 0, 0, 0, 0, 0, 0 },
    { CHECK(c_vmmcall), 0, 0, 0, 0, 0, CALL_NULL },
    { CHECK(c_vmmcall), 0, 0, 0, 0, 0, CALL_YIELD },
    { CHECK(c_cr8), 0, 0, 0, 0, 0, 0 },
    { CHECK(c_hlt), 0, 0, 0, 0, 0, 0 }, /* with IF = 0: the trap ends it */
};

static struct {
    uint64_t rip, dr6, rflags;
} seen[SEEN];
static volatile unsigned n_seen;
static const uint8_t *last; /* behind which nothing is traced */
static bool wrong;

static void on_debug(struct trap_frame *f)
{
    uint64_t dr6;
    __asm__ volatile("mov %%dr6, %0" : "=r"(dr6));
    __asm__ volatile("mov %0, %%dr6" : : "r"(DR6_NONE));
    if (n_seen < SEEN)
        seen[n_seen] = (typeof(seen[0])){ f->rip, dr6, f->rflags };
    n_seen++;
    if (dr6 & 15)
        f->rflags |= RF;
    if (f->rip >= (uintptr_t)last || n_seen >= SEEN)
        f->rflags &= ~(uint64_t)TF;
}

static void complain(const struct check *c, const char *what)
{
    wrong = true;
    print("steps: %s: %s:", c->name, what);
    for (unsigned i = 0; i < n_seen && i < SEEN; i++)
        print(" +%lu dr6 %lx", seen[i].rip - (uintptr_t)c->at, seen[i].dr6);
    print("\n");
}

static void run(const struct check *c)
{
    n_seen = 0;
    c->code(c->di, c->si, c->dx, c->cx, 0, c->ax);
}

static void break_at(const void *zero, const void *one, uint64_t dr7)
{
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr1; mov %2, %%dr7" : : "r"(zero), "r"(one), "r"(dr7));
}

/* A trap at the instruction for each further iteration, one behind it and one behind each NOP. */
static void traps(const struct check *c)
{
    last = c->next + 2;
    stepping = true;
    run(c);
    stepping = false;
    bool right = n_seen == c->more + 3;
    for (unsigned i = 0; right && i < n_seen; i++) {
        uint64_t want = i < c->more ? (uintptr_t)c->at : (uintptr_t)c->next + i - c->more;
        right = seen[i].rip == want && (seen[i].dr6 & (DR6_BS | 15)) == DR6_BS;
    }
    if (!right)
        complain(c, "single steps");
}

static void breakpoints(const struct check *c)
{
    last = NULL;
    if (c->code == c_hlt) /* nothing would end it */
        return;
    break_at(c->next, NULL, 0x402);
    run(c);
    if (n_seen != 1 || seen[0].rip != (uintptr_t)c->next || (seen[0].dr6 & (DR6_BS | 15)) != 1)
        complain(c, "breakpoint behind it");
    break_at(c->at, c->next, 0x40a);
    run(c);
    /* how often a breakpoint hits within a REP depends on the processor */
    if (!c->more && (n_seen != 2 || seen[0].rip != (uintptr_t)c->at || seen[1].rip != (uintptr_t)c->next))
        complain(c, "breakpoints at it and behind it");
    if (!c->more && n_seen == 2 && seen[1].rflags & RF)
        complain(c, "RF behind it");
    break_at(NULL, NULL, 0x400);
}

/* CPUID is for programs, too: set TF, CPUID, NOP, UD2, which ends it. */
static void traps_in_ring_3(void)
{
    static const uint8_t code[] = {
        0x9c, 0x81, 0x0c, 0x24, 0x00, 0x01, 0x00, 0x00, 0x9d, 0x0f, 0xa2, 0x90, 0x0f, 0x0b
    };
    static const struct check program = { "cpuid in ring 3", NULL, (const uint8_t *)0x800000, NULL, 0, 0, 0, 0, 0, 0 };
    last = NULL;
    n_seen = 0;
    user_run(code, sizeof(code), 0);
    if (n_seen != 1 || seen[0].rip != (uintptr_t)program.at + 11)
        complain(&program, "single step");
}

void guest_main(void)
{
    apic_enable();
    trap_install(1, on_debug);
    for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        traps(&checks[i]);
        breakpoints(&checks[i]);
    }
    traps_in_ring_3();
    print("steps: %s, %lu instructions\n", wrong ? "WRONG" : "ok", sizeof(checks) / sizeof(checks[0]) + 1);
}
