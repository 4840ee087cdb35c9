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

const struct stage2_range *para_strong_range(const struct stage2 *s, u32 gpa)
{
    u32 at = gpa - para_strong.range.gpa;
    if (s != para_strong.memory || at >= para_strong.range.size)
        return NULL;
    if (para_strong.pages[at / PAGE_SIZE].here)
        return &para_strong.range;
    if (!para_strong.lacks)
        para_strong.lacks = 1 + at / PAGE_SIZE;
    return NULL;
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

void vcpu_came(struct hal_vcpu *v, unsigned page) { para_strong.pages[page].here = true; }

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
    for (unsigned i = 0; i < PARA_KEPT; i++)
        if (v->kept[i].page == at)
            v->kept[i].key = 0;
}

void para_strong_save(struct hal_vcpu *v)
{
    para_strong.regs = *v->regs;
    para_strong.flag = shared_get(v, PARA_SHARE_FLAG);
    para_strong.cr2 = shared_get(v, PARA_SHARE_CR2);
    para_strong.lines = READ_ONCE(v->lines);
    para_strong.lacks = 0;
}

/* A line that was taken is raised again; others may have been meanwhile. */
enum done para_strong_lack(struct hal_vcpu *v, struct vcpu_exit *e)
{
    *v->regs = para_strong.regs;
    shared_set(v, PARA_SHARE_FLAG, para_strong.flag);
    shared_set(v, PARA_SHARE_CR2, para_strong.cr2);
    __atomic_fetch_or(&v->lines, para_strong.lines, __ATOMIC_SEQ_CST);
    para_strong.again = para_strong.entered;
    return para_strong_exit(e);
}

enum done para_strong_exit(struct vcpu_exit *e)
{
    *e = (struct vcpu_exit){ .reason = VCPU_EXIT_OTHER };
    return EXIT;
}

void para_strong_enter(struct hal_vcpu *v)
{
    para_strong.stepping = para_strong.step && v->memory == para_strong.memory && !(v->regs->eflags & TF);
    if (para_strong.stepping)
        v->regs->eflags |= TF;
}

bool para_strong_left(struct hal_vcpu *v, u32 left)
{
    para_strong.entered = true;
    para_strong.left = left;
    para_strong.fault = (u32)read_cr2();
    if (!para_strong.stepping)
        return false;
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

void vcpu_step(struct hal_vcpu *v) { para_strong.step = true; }

bool vcpu_stepped(struct hal_vcpu *v)
{
    bool stepped = para_strong.stepped;
    para_strong.step = para_strong.stepped = false;
    return stepped;
}

u32 vcpu_at(const struct hal_vcpu *v) { return v->regs->eip; }
