/* SPDX-License-Identifier: MIT */
/*
 * strong.h - what the other files of x86/para ask of memory whose pages come and go (strong.c). A part of para.h, which
 * includes it where PARA_STRONG is 1, and else says what each of these functions is where all memory is here.
 */
#ifndef AMALGAM_X86_PARA_STRONG_H
#define AMALGAM_X86_PARA_STRONG_H

extern struct para_strong {
    const struct stage2 *memory; /* NULL: there is none */
    struct stage2_range range;
    struct strong_page *pages;
    u32 bus;
    u32 lacks;                    /* 1 + the page that was not here; 0: none */
    bool step, stepping, stepped; /* one instruction is asked for, is under way, was executed */
    bool entered, again;          /* the guest was entered in this turn; the next one begins where it had left */
    bool saved;                   /* its state has been, in this turn */
    u32 left, fault;              /* what it had left for: para_enter()'s result, CR2 */
    u32 walked, walked_va;        /* not 0: what the guest's tables have for a page that is not here, and where */
    struct para_regs regs;        /* its state then, or before it was entered, */
    u32 flag, cr2, lines;         /* and words of its shared page, lines raised */
} para_strong;

/* Returns whether a page was looked up that is not here. */
static inline bool para_strong_lacks(void) { return para_strong.lacks; }
/* As para_range(), which has all other memory. Where the page of an address is not here it returns NULL, and notes it.
 */
static inline const struct stage2_range *para_strong_range(const struct stage2 *s, u32 gpa)
{
    u32 at = gpa - para_strong.range.gpa;
    if (s != para_strong.memory || at >= para_strong.range.size)
        return para_range(s, gpa);
    if (likely(para_strong.pages[at / PAGE_SIZE].here))
        return &para_strong.range;
    if (!para_strong.lacks)
        para_strong.lacks = 1 + at / PAGE_SIZE;
    return NULL;
}
/* Return a page's address as an entry has it; it is shown at `va` in the current space. */
u32 para_bus(struct hal_vcpu *v, const u8 *page, u32 va);
/* A page, maybe of the range, was found for that place of `kept`. */
void para_strong_kept(const u8 *page, unsigned place);

/* The guest's tables have `entry` for `va`: the shadow gets it when the page comes that is not here (strong_space.c),
 * unless it is forgotten until then. */
static inline void para_strong_walked(u32 entry, u32 va)
{
    if (para_strong.lacks) {
        para_strong.walked = entry;
        para_strong.walked_va = va;
    }
}
static inline void para_strong_forget(void) { para_strong.walked = 0; }
/* A space was loaded: what is not here is filled in when it is used. */
static inline void para_strong_loaded(void) { para_strong.lacks = 0; }

/* A turn begins. Returns what the guest had left for, if that is done once more because a page has come; 0: it is to be
 * entered. */
u32 para_strong_begin(struct hal_vcpu *v);
/* Remember the guest's state, because it is about to change. */
void para_strong_save(struct hal_vcpu *v);
/* Before the guest is entered, after it has left. Returns EXIT if it left because it has executed one instruction. */
void para_strong_enter(struct hal_vcpu *v);
enum done para_strong_left(struct hal_vcpu *v, struct vcpu_exit *e, u32 left);
/* CR2 when it left. */
static inline u32 para_strong_fault(void) { return para_strong.fault; }
/* A turn ends, with `done` unless a page is not here: then what was done is put back. */
enum done para_strong_lack(struct hal_vcpu *v, struct vcpu_exit *e);
static inline enum done para_strong_end(struct hal_vcpu *v, struct vcpu_exit *e, enum done done)
{
    return para_strong.lacks ? para_strong_lack(v, e) : done;
}

#endif
