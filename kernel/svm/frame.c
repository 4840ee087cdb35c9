/* SPDX-License-Identifier: MIT */
/*
 * frame.c - the frame of each page, and moving it (tests/model/svm_move.pml).
 *
 * There is a frame for each page that can be allocated. Whether one is taken is a byte of its own, which is tested and
 * set, so no core waits for another one. The owner moves a page between the moment when it is its own and the moment
 * when it maps it: it takes a frame, copies, writes the home word, gives the old frame back. Nobody else reads the home
 * word meanwhile, since the page's word names this core.
 *
 * A copy needs no drain of its own. The first store to the new frame drains what this core has left in its buffer of
 * the old one, and the last line of the copy is drained when the page is given away (own.c), before anybody else reads
 * it. It does need an invalidate: this core may have read the old frame before others wrote to it.
 *
 * Words are as little trusted as those of state.h: a frame's number is bounded. Who writes rubbish here mixes up the
 * contents of pages, which it could write anyway.
 */
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/mpbt.h>
#include <hal/aperture.h>
#include <string.h>
#include <svm/migrate.h>

#include "state.h"

#define QUARTER  (SVM_PAGES / SVM_CONTROLLERS) /* frames of a controller */
#define NEAR     (SCC_CORES / SVM_CONTROLLERS) /* cores of a controller */
#define NO_FRAME SVM_PAGES
#define ALL_FOUR 0x01010101u /* frames that are taken */

/* A home word. */
#define HOME_FRAME 0xfffu  /* the frame's number + 1 */
#define HOME_TOUCH 0x1000u /* move at the next touch */
#define HOME_WHO   16      /* the quadrant whose cores took the page last, */
#define HOME_TIMES 20      /* and how often */

struct homes {
    u32 home[SVM_PAGES];
    u8 used[SVM_PAGES]; /* of each frame: 0 is free */
};

#define HOMES ((sizeof(struct svm_shared) + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE)

_Static_assert(HOMES + sizeof(struct homes) <= SCC_SVM_LINES - SCC_SVM_WORDS, "board/scc.h has room");
_Static_assert(SVM_PAGES < HOME_FRAME && QUARTER % 4 == 0 && QUARTER * SVM_CONTROLLERS == SVM_PAGES, "a home word");

/* Behind the aperture of the pages: the old frame and the new one, while a page is copied. */
#define FROM (SVM_BASE + SVM_SIZE)
#define TO   (FROM + PAGE_SIZE)

static unsigned here, next; /* this core's controller; where in a quarter, by fours, a free frame is looked for next */

static struct homes *homes(void) { return (struct homes *)(SCC_SVM_WORDS + HOMES); }
static paddr_t address_of(unsigned frame) { return SCC_SVM_PAGES + frame * PAGE_SIZE; }

static unsigned frame_of(u32 word, unsigned page)
{
    unsigned frame = (word & HOME_FRAME) - 1;
    return frame < SVM_PAGES ? frame : page;
}

unsigned svm_here(void) { return here; }
unsigned svm_home(unsigned page) { return frame_of(READ_ONCE(homes()->home[page]), page); }

int svm_where(const void *at)
{
    unsigned page = (unsigned)(((uintptr_t)at - SVM_BASE) / PAGE_SIZE);
    return svm_region_of(page) ? (int)(svm_home(page) / QUARTER) : -EINVAL;
}

/* Take a free frame of a controller. Most of a quarter may be taken, so four are looked at together. */
static unsigned claim(unsigned controller)
{
    u8 *used = homes()->used + controller * QUARTER;
    for (unsigned fours = QUARTER / 4; fours; fours--) {
        u8 *four = used + next * 4;
        for (unsigned i = 0; i < 4 && READ_ONCE(*(u32 *)four) != ALL_FOUR; i++)
            if (!READ_ONCE(four[i]) && !__atomic_exchange_n(&four[i], 1, __ATOMIC_ACQUIRE))
                return (unsigned)(four + i - homes()->used);
        if (++next == QUARTER / 4)
            next = 0;
    }
    return NO_FRAME;
}

bool svm_home_take(unsigned page)
{
    unsigned frame = NO_FRAME;
    for (unsigned i = 0; i < SVM_CONTROLLERS && frame == NO_FRAME; i++)
        frame = claim((here + i) % SVM_CONTROLLERS);
    WRITE_ONCE(homes()->home[page], frame + 1);
    return frame != NO_FRAME;
}

void svm_home_clear(void) { memset(homes(), 0, sizeof(struct homes)); }

void svm_home_mark(unsigned page)
{
    u32 *home = &homes()->home[page];
    WRITE_ONCE(*home, READ_ONCE(*home) | HOME_TOUCH);
}

static void show(uintptr_t at, unsigned frame, bool write)
{
    hal_aperture_show(at, address_of(frame), write);
    mpbt_page((const void *)at);
}

static void copy(unsigned from, unsigned to)
{
    mpbt_invalidate();
    show(FROM, from, false);
    show(TO, to, true);
    memcpy((void *)TO, (const void *)FROM, PAGE_SIZE);
    hal_aperture_hide(FROM);
    hal_aperture_hide(TO);
}

/* Return the home word of a page that has just come to this core: how often its quadrant has taken it, and whether that
 * makes it move. */
static u32 count(u32 word)
{
    u32 times = (word >> HOME_WHO & 3) == here ? (word >> HOME_TIMES & 0xf) + 1 : 1;
    return (word & (HOME_FRAME | HOME_TOUCH)) | here << HOME_WHO | times << HOME_TIMES |
           (times >= SVM_HOT ? HOME_TOUCH : 0);
}

void svm_home_settle(unsigned page, bool came)
{
    if (svm_owner(READ_ONCE(svm_shared()->owner[page])) != scc_core)
        return;
    u32 *home = &homes()->home[page], was = READ_ONCE(*home), word = came ? count(was) : was;
    unsigned from = frame_of(was, page), to = from;
    if (from / QUARTER == here) {
        word = from + 1;
    } else if (word & HOME_TOUCH) {
        to = claim(here);
        if (to == NO_FRAME)
            to = from;
        else
            copy(from, to);
        word = to + 1;
    }
    if (word != was)
        WRITE_ONCE(*home, word);
    if (to == from)
        return;
    __atomic_store_n(&homes()->used[from], 0, __ATOMIC_RELEASE);
    svm_count.moved++;
}

static __init_text void frame_start(void)
{
    unsigned tile = scc_core / 2, x = tile % SCC_ACROSS, y = tile / SCC_ACROSS;
    here = y / 2 * 2 + x / 3;
    next = ((y % 2 * 3 + x % 3) * 2 + scc_core % 2) * (QUARTER / 4 / NEAR); /* each begins elsewhere */
    int err = hal_aperture_init(FROM, 2 * PAGE_SIZE);
    if (err)
        panic("svm: no place at %x: error %d", (u32)FROM, err);
}
INIT_CALL(frame_start);
