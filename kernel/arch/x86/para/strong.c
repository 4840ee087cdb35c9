/* SPDX-License-Identifier: MIT */
/*
 * strong.c - a guest's memory whose pages come and go (arch/vcpu.h): other cores have the same guest, and a page is on
 * one of them at a time.
 *
 * A page that is not here is in no shadow, and para_page() does not find it. Whoever looked it up gives up as if there
 * were no memory; what it has changed until then is put back, and done once more when the page has come. Handlers
 * change nothing else than registers, lines and words of the shared page but what comes out the same the second time.
 * Each page knows where shadows have it, so that one that goes costs a few stores; as a TLB's, an entry that was made
 * from a table stays when the table goes.
 *
 * Whether the instruction that asked for a page has retired tells its address, if the guest has left since. If the
 * address is the same, the guest is made to execute one instruction by the trap flag. A program whose PUSHF or INT 0x80
 * is that one finds the flag in the word on its stack.
 */
#include "para.h"

#include <arch/cpu.h>
#include <hal/memory.h>

#define TF       0x100u
#define PLACES   2u /* of struct strong_page */
#define ANYWHERE (PLACES + 1)

struct para_strong para_strong;

__init_text void vcpu_strong(struct hal_vcpu *v, u32 gpa, u32 size, void *at, u32 bus, void *pages)
{
    struct para_strong *s = &para_strong;
    s->range = (struct stage2_range){ gpa, size, at, ENTRY_P | ENTRY_U | ENTRY_W };
    s->pages = pages;
    s->bus = bus;
    s->memory = v->memory;
}

u32 para_bus(struct hal_vcpu *v, const u8 *page, u32 va)
{
    u32 at = (u32)(page - para_strong.range.at);
    if (v->memory != para_strong.memory || at >= para_strong.range.size)
        return bus_address(virt_to_phys(page));
    struct strong_page *p = &para_strong.pages[at / PAGE_SIZE];
    u32 place = (va & ENTRY_FRAME) | (u32)(v->shadow->current - v->shadow->space);
    for (unsigned i = 0; i < MIN(p->n, PLACES); i++)
        if (p->va[i] == place)
            return para_strong.bus + (at & ENTRY_FRAME);
    if (p->n < PLACES)
        p->va[p->n] = place;
    p->n = (u8)MIN(p->n + 1u, ANYWHERE);
    return para_strong.bus + (at & ENTRY_FRAME);
}

int vcpu_lacks(struct hal_vcpu *v)
{
    int page = v->memory == para_strong.memory ? (int)para_strong.lacks - 1 : -1;
    para_strong.lacks = 0;
    return page;
}

void para_strong_kept(const u8 *page, unsigned place)
{
    u32 at = (u32)(page - para_strong.range.at);
    if (at < para_strong.range.size)
        para_strong.pages[at / PAGE_SIZE].kept |= (u16)(1u << place);
}

void vcpu_lose(struct hal_vcpu *v, unsigned page)
{
    struct strong_page *p = &para_strong.pages[page];
    const u8 *at = para_strong.range.at + page * PAGE_SIZE;
    p->here = false;
    if (p->n > PLACES)
        shadow_flush(v->shadow);
    else
        for (unsigned i = 0; i < p->n; i++)
            shadow_forget_in(v->shadow, &v->shadow->space[p->va[i] & ~ENTRY_FRAME], p->va[i]);
    p->n = 0;
    for (u32 which = p->kept; which; which &= which - 1) {
        struct para_kept *k = &v->kept[__builtin_ctz(which)];
        if (k->page == at)
            k->key = 0;
    }
    p->kept = 0;
}

/* Nothing is changed before the guest is entered if no line waits. */
u32 para_strong_begin(struct hal_vcpu *v)
{
    para_strong.entered = para_strong.again;
    para_strong.again = false;
    if (para_strong.entered)
        return para_strong.left;
    para_strong.lacks = para_strong.walked = 0;
    para_strong.saved = false;
    if (!para_quiet(v))
        para_strong_save(v);
    return 0;
}

void para_strong_save(struct hal_vcpu *v)
{
    para_strong.saved = true;
    para_strong.regs = *v->regs;
    para_strong.flag = shared_get(v, PARA_SHARE_FLAG);
    para_strong.cr2 = shared_get(v, PARA_SHARE_CR2);
    para_strong.lines = READ_ONCE(v->lines);
}

/* A line that was taken is raised again; others may have been meanwhile. */
static void put_back(struct hal_vcpu *v)
{
    *v->regs = para_strong.regs;
    shared_set(v, PARA_SHARE_FLAG, para_strong.flag);
    shared_set(v, PARA_SHARE_CR2, para_strong.cr2);
    __atomic_fetch_or(&v->lines, para_strong.lines, __ATOMIC_SEQ_CST);
}

static enum done exits(struct vcpu_exit *e)
{
    *e = (struct vcpu_exit){ .reason = VCPU_EXIT_OTHER };
    return EXIT;
}

enum done para_strong_lack(struct hal_vcpu *v, struct vcpu_exit *e)
{
    if (para_strong.saved)
        put_back(v);
    para_strong.again = para_strong.entered;
    return exits(e);
}

void para_strong_enter(struct hal_vcpu *v)
{
    para_strong.stepping = para_strong.step && v->memory == para_strong.memory && !(v->regs->eflags & TF);
    if (para_strong.stepping)
        v->regs->eflags |= TF;
}

/* Returns whether it has executed the one instruction that is under way. */
static bool stepped(struct hal_vcpu *v, u32 left)
{
    para_strong.stepping = false;
    if (left != LEFT_AT)
        return false;
    v->regs->eflags &= ~TF;
    if ((u8)v->regs->vector != VEC_DB)
        return false;
    para_strong.step = false;
    para_strong.stepped = true;
    return true;
}

/* A page fault changes nothing at first. */
enum done para_strong_left(struct hal_vcpu *v, struct vcpu_exit *e, u32 left)
{
    para_strong.entered = true;
    para_strong.left = left;
    para_strong.fault = (u32)read_cr2();
    para_strong.saved = false;
    if (para_strong.stepping && stepped(v, left))
        return exits(e);
    if (left != LEFT_AT || (u8)v->regs->vector != VEC_PF)
        para_strong_save(v);
    return DONE;
}

void vcpu_step(struct hal_vcpu *v) { para_strong.step = true; }

bool vcpu_stepped(struct hal_vcpu *v)
{
    bool stepped = para_strong.stepped;
    para_strong.step = para_strong.stepped = false;
    return stepped;
}

u32 vcpu_at(const struct hal_vcpu *v) { return v->regs->eip; }
