/* SPDX-License-Identifier: MIT */
/*
 * litmus.c - the kernel's bakery and semaphore on the bare board: every core adds to a counter in shared memory ROUNDS
 * times under the lock, and core 0 says what came out. A lock that lets two in loses counts, as the same without a lock
 * shows.
 *
 * Then two cores store, fence, and load what the other one stored ("store buffering"): that both find the old value is
 * what the fences A and B of the bakery must not allow. Built twice: with the board's fence, and with `sync` alone
 * (nofence/).
 */
#include <arch/cpu.h>
#include <partition/bakery_stop.h>
#include <sem.h>

#define ORDER   (*(const volatile u32 *)0xfff70000) /* by the loader: rounds * 256 + cores */
#define ROUNDS  (ORDER >> 8)
#define CORES   (ORDER & 0xff)
#define LONGER  1000 /* without a lock a round is short: so many more of them, or the cores do not meet */
#define CORE_ID (*(const volatile u32 *)0xfff70004)
#define UART    0xef600300u

struct test {
    u32 arrived[PT_CORES], counted[PT_CORES];
    volatile u32 count;
    struct bakery bakery;
    struct semaphore sem;
    struct {
        volatile u32 word, pad[31];
    } stored[2], found[2], round[2]; /* each in a cache line of the host of its own */
};
#define T ((struct test *)0x00800000) /* zero: the memory's file is new */

u32 core_count;

static void put(const char *s)
{
    for (; *s; s++) {
        while (!(io_read8(UART + 5) & 0x20))
            ;
        io_write8(UART, (u8)*s);
    }
}

static void put_number(u32 v)
{
    char digits[12], *p = digits + 11;
    *p = '\0';
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    put(" ");
    put(p);
}

static void meet(u32 *words, u32 me, u32 value)
{
    WRITE_ONCE(words[me], value);
    for (u32 i = 0; i < core_count; i++)
        while (READ_ONCE(words[i]) < value)
            ;
    mp_fence();
}

static void report(const char *what, u32 me, u32 each)
{
    static u32 phase;
    meet(T->counted, me, ++phase);
    if (me == 0) {
        put(what);
        put_number(T->count);
        put(" of");
        put_number(core_count * each);
        put("\n");
        T->count = 0;
    }
    meet(T->counted, me, ++phase);
}

/* Both cores at the same time, as far as their speed allows. */
static u32 store_buffering(u32 me)
{
    u32 both = 0;
    for (u32 i = 1; i <= ROUNDS; i++) {
        T->round[me].word = 2 * i - 1;
        while (T->round[!me].word < 2 * i - 1)
            ;
        for (volatile u32 delay = (i * 7 + me * 13) & 15; delay; delay--)
            ;
        T->stored[me].word = i;
        mp_fence();
        T->found[me].word = T->stored[!me].word;
        T->round[me].word = 2 * i;
        while (T->round[!me].word < 2 * i)
            ;
        both += T->found[0].word != i && T->found[1].word != i;
    }
    return both;
}

int main(void);
int main(void)
{
    u32 me = CORE_ID, lost = 0;

    core_count = CORES;
    meet(T->arrived, me, 1);
    for (u32 i = 0; i < ROUNDS; i++) {
        lost += !mutex_start(&T->bakery, me);
        T->count = T->count + 1;
        mutex_stop(&T->bakery, me);
    }
    report("bakery", me, ROUNDS);
    if (me == 0)
        T->sem.free = 1;
    meet(T->arrived, me, 2);
    for (u32 i = 0; i < ROUNDS; i++) {
        lost += !sem_wait(&T->sem, me);
        T->count = T->count + 1;
        lost += !sem_signal(&T->sem, me);
    }
    report("semaphore", me, ROUNDS);
    for (u32 i = 0; i < ROUNDS * LONGER; i++)
        T->count = T->count + 1;
    report("nothing", me, ROUNDS * LONGER);
    if (me < 2) {
        u32 both = store_buffering(me);
        if (me == 0) {
            put("reordered");
            put_number(both);
            put(" of");
            put_number(ROUNDS);
            put("\n");
        }
    }
    if (lost)
        put("lock lost\n");
    return 0;
}
