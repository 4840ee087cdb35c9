/* SPDX-License-Identifier: MIT */
/*
 * The firmware's calls for devices of a many-core (firmware/manycore/device.c and virtqueue.c): whatever kernels of two
 * clusters ask for, and whatever devices say, in whatever order. A device is told of its own cluster's slice only, in
 * requests that do not end the emulator; no piece is in two requests; no more is said to be written than there is room
 * for; a device interrupts one hart, of its own cluster; no piece is lost: when the device has been done with all, all
 * pieces are free. The lock is free behind each call.
 *
 * Each step has 12 bytes: what is done (0), device and hart (1), function or queue (2), how or which (3), an address
 * (4-7) and a length (8-11), near a bound or any.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRMWARE_CSR_H /* its instructions and registers are another machine's */
#include <table.h>

static struct fw_table fake_table;
#undef FW_TABLE
#define FW_TABLE (&fake_table)
#define IRQ_SE   (1ul << 9)

static unsigned long mip;
#define csr_clear(name, bits) ((name) &= ~(bits))
#define csr_set(name, bits)   ((name) |= (bits))
static volatile u32 *reg32(ulong address);
static void fence_io(void) {}
static void relax(u32 hart) { abort(); /* nobody else has the lock */ }

#include <device.c>
#include <virtqueue.c>

enum { HARTS = 4, CLUSTERS = 2, DEVICES = 3, QUEUES = 2, STEP = 12 };
enum { SLICE = 0x100000, PAGES = CLUSTERS * SLICE, ROOM = PAGES + DEVICES * (FW_RINGS + 0x1000) + 0x1000 };
#define CHECK(what) ((what) ? (void)0 : abort())

struct hart harts[FW_HARTS];

/* What a device has of its queue, and knows of the requests that it is not done with. */
static struct side {
    u32 of_queue[0x40]; /* registers from QUEUE_MOST on that each queue has */
    u16 seen;
    bool has[QUEUE_PIECES], is_first[QUEUE_PIECES];
    u8 owner[QUEUE_PIECES]; /* of a piece that it has: the request */
    ulong room[QUEUE_PIECES];
} sides[DEVICES][QUEUES];
static u32 enabled[HARTS], claimed, elsewhere;
static u8 *memory;
static struct fw_device *lent;
static struct fw_cluster *own;

void clear(ulong base, ulong size) { memset((void *)base, 0, size); }

/* --- the board's registers ---------------------------------------------------------------------------------------- */

static volatile u32 *reg32(ulong address)
{
    for (u32 i = 0; i < DEVICES; i++) {
        ulong at = address - lent[i].registers;
        u32 *plain = (u32 *)(ulong)lent[i].registers;
        if (at >= 0x1000)
            continue;
        if (!plain[STATUS / 4])
            memset(sides[i], 0, sizeof(sides[i]));
        for (u32 q = 0; q < QUEUES; q++)
            sides[i][q].of_queue[QUEUE_MOST / 4] = 1024;
        bool is_queues = (at >= QUEUE_MOST && at <= QUEUE_READY) || (at >= AT_PIECES && at < AT_USED + 8);
        return is_queues ? &sides[i][plain[QUEUE / 4] % QUEUES].of_queue[at / 4] : plain + at / 4;
    }
    for (u32 h = 0; h < HARTS; h++) {
        if (address == PLIC + PLIC_ENABLE + MACHINE_MODE(h) * 0x80ul)
            return &enabled[h];
        if (address == PLIC + PLIC_CONTEXT + MACHINE_MODE(h) * 0x1000ul + 4)
            return &claimed;
    }
    CHECK(address >= PLIC && address < PLIC + 4 * 32); /* an input's priority */
    return &elsewhere;
}

/* --- the device's side -------------------------------------------------------------------------------------------- */

static void follow(u32 i, struct side *s, const struct piece *table, u32 first)
{
    const struct fw_cluster *of = own + lent[i].cluster;
    bool is_card = devices[i].runs == &kinds[0], wrote = false;
    s->room[first] = 0;
    for (u32 at = first, n = 0;; at = table[at].next, n++) {
        CHECK(at < QUEUE_PIECES && n < QUEUE_PIECES && !s->has[at]);
        const struct piece *p = table + at;
        bool writes = p->flags & PIECE_WRITES;
        CHECK(p->at >= of->slice && p->n <= of->slice_size && p->at - of->slice <= of->slice_size - p->n);
        CHECK(p->n >= (n ? 1 : is_card ? 12 : 16) && !(p->flags & ~(PIECE_NEXT | PIECE_WRITES)));
        CHECK(!n || writes == wrote || (!is_card && writes));
        wrote = writes;
        s->has[at] = true;
        s->owner[at] = (u8)first;
        s->room[first] += writes ? p->n : 0;
        if (!(p->flags & PIECE_NEXT))
            break;
    }
    s->is_first[first] = true;
}

/* It looks at what is offered. */
static void look(u32 i)
{
    for (u32 q = 0; devices[i].runs && q < devices[i].runs->queues; q++) {
        struct side *s = &sides[i][q];
        struct virtqueue *ring = queue_of(lent + i, q);
        CHECK(s->of_queue[AT_PIECES / 4] == (u32)(ulong)ring->piece);
        for (; s->seen != ring->offered.index; s->seen++)
            follow(i, s, ring->piece, ring->offered.first[s->seen % QUEUE_PIECES]);
    }
}

/* It has no request of that number any more. */
static void lets_go(struct side *s, u32 first)
{
    for (u32 at = 0; s->is_first[first] && at < QUEUE_PIECES; at++)
        if (s->owner[at] == first)
            s->has[at] = false;
    s->is_first[first] = false;
}

static void says(u32 i, u32 q, u32 first, u32 written)
{
    struct virtqueue *ring = queue_of(lent + i, q);
    if (first < QUEUE_PIECES)
        lets_go(&sides[i][q], first);
    ring->used.done[ring->used.index % QUEUE_PIECES].first = first;
    ring->used.done[ring->used.index % QUEUE_PIECES].written = written;
    ring->used.index++;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static u32 word(const u8 *b) { return (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3]; }

/* In the slice, near one of its bounds, or anywhere in 32 bits or more. */
static ulong address(const struct fw_cluster *of, const u8 *b)
{
    u32 value = word(b);
    switch (b[0] >> 5) {
    case 5: return of->slice + (value & 31) - 16;
    case 6: return of->slice + of->slice_size + (value & 31) - 16;
    case 7: return value & 1 ? value : ~(ulong)value;
    default: return of->slice + value % of->slice_size;
    }
}

static ulong length(const struct fw_cluster *of, const u8 *b)
{
    u32 value = word(b);
    switch (b[0] >> 5) {
    case 5: return value & 31;
    case 6: return (value & 0x100 ? PIECE_MOST : of->slice_size) + (value & 31) - 16;
    case 7: return value & 1 ? value : ~(ulong)value;
    default: return value & 0xfff;
    }
}

/* Of a device's owner, mostly. */
static struct hart *asker(u32 i, u8 b)
{
    static const u8 owners[] = { 0, 2, 3, 2 };
    return &harts[b & 8 ? b % HARTS : i == 2 ? 1 : owners[b % HARTS]];
}

static void ask(const u8 *b)
{
    static const u8 functions[16] = { 4, 4, 4, 4, 5, 5, 5, 6, 6, 0, 1, 2, 3, 7, 8, 9 };
    u32 i = b[1] >> 4 & 3, function = functions[b[2] >> 4];
    struct hart *me = asker(i, b[1]);
    const struct fw_cluster *of = own + me->cluster;
    ulong a[8] = { i,
                   b[3] & 0x80   ? ~(ulong)b[3]
                   : b[3] & 0x40 ? b[3] & 0x1f
                                 : b[3] & 13,
                   address(of, b + 4), length(of, b + 8) };
    if (function == 5 || function == 6)
        a[1] = b[3] & 3;
    if (function == 1)
        a[2] = b[4] & 7;
    struct virtqueue *ring = NULL;
    ulong room = 0;
    if (i < DEVICES && devices[i].runs && (a[1] & 3) < devices[i].runs->queues) {
        ring = queue_of(lent + i, a[1] & 3);
        room = sides[i][a[1] & 3].room[ring->used.done[ring->seen % QUEUE_PIECES].first % QUEUE_PIECES];
    }
    struct result r = device_call(me, function, a);
    CHECK(tickets.next == tickets.serving);
    CHECK(r.error <= 0 && (!r.error || !r.value));
    if (function && function != 8)
        CHECK(r.error || (i < DEVICES && lent[i].cluster == me->cluster));
    if (!r.error && function == 5) {
        CHECK(r.value >> DONE_SHIFT < QUEUE_PIECES && (r.value & ((1u << DONE_SHIFT) - 1)) <= room);
        lets_go(&sides[i][a[1] & 3], (u32)(r.value >> DONE_SHIFT)); /* an old word of its ring said so, perhaps */
    }
    if (function == 4 && ring && (r.error == SBI_ERR_INVALID_ADDRESS || r.error == SBI_ERR_FAILED))
        CHECK(ring->first == NONE);
}

/* Of the request that was offered last, of any piece, or of none. */
static u32 finished(u32 i, u32 q, const u8 *b)
{
    const struct virtqueue *ring = queue_of(lent + i, q);
    return b[3] & 0x80   ? word(b + 4)
           : b[3] & 0x40 ? b[3] % QUEUE_PIECES
                         : ring->offered.first[(ring->made - 1u - (b[3] & 1)) % QUEUE_PIECES];
}

static void step(const u8 *b)
{
    u32 i = b[1] % DEVICES, q = b[2] & 1;
    switch (b[0] & 7) {
    case 0: says(i, q, finished(i, q, b), word(b + 8)); break;
    case 1:
        queue_of(lent + i, q)->used.flags = b[3];
        if (b[0] & 0x80)
            queue_of(lent + i, q)->used.index = (u16)(b[0] & 0x40 ? word(b + 4) : queue_of(lent + i, q)->seen);
        break;
    case 2:
        claimed = b[3] & 0x80 ? b[3] & 31 : lent[i].irq;
        device_interrupt(&harts[b[2] % HARTS]);
        break;
    default: ask(b);
    }
    for (u32 d = 0; d < DEVICES; d++) {
        look(d);
        u32 n = 0;
        for (u32 h = 0; h < HARTS; h++)
            if (enabled[h] & 1u << lent[d].irq) {
                CHECK(harts[h].cluster == lent[d].cluster);
                n++;
            }
        CHECK(n <= 1);
    }
}

/* The device is done with all, and with each at most once. */
static void settle(u32 i)
{
    for (u32 q = 0; devices[i].runs && q < devices[i].runs->queues; q++) {
        struct virtqueue *ring = queue_of(lent + i, q);
        virtqueue_drop(ring);
        ring->used.index = ring->seen;
        for (u32 at = 0; at < QUEUE_PIECES; at++) {
            says(i, q, at, 0);
            virtqueue_take(ring);
        }
        u32 n = 0;
        for (bool found[QUEUE_PIECES] = { false }; ring->free != NONE; ring->free = ring->next[ring->free], n++) {
            CHECK(ring->free < QUEUE_PIECES && !found[ring->free]);
            found[ring->free] = true;
        }
        CHECK(n == QUEUE_PIECES);
    }
}

/* Cluster 0 has harts 0, 2 and 3, a card and a disk; cluster 1 has hart 1 and a card. */
static void begin(void)
{
    if (!memory)
        memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    u32 base = (u32)(ulong)memory, rings = base + PAGES, registers = rings + DEVICES * FW_RINGS;
    memset(memory + PAGES, 0, ROOM - PAGES);
    own = (void *)(ulong)(registers + DEVICES * 0x1000);
    lent = (struct fw_device *)(own + CLUSTERS);
    own[0] = (struct fw_cluster){ .n_harts = 3, .first_slave = 2, .slice = base, .slice_size = SLICE };
    own[1] = (struct fw_cluster){ .master = 1, .n_harts = 1, .slice = base + SLICE, .slice_size = SLICE };
    for (u32 i = 0; i < DEVICES; i++) {
        u32 at = registers + i * 0x1000;
        lent[i] = (struct fw_device){ .registers = at, .irq = i + 1, .cluster = i == 2, .rings = rings + i * FW_RINGS };
        u32 *values = (u32 *)(ulong)at;
        values[MAGIC / 4] = MAGIC_VALUE;
        values[VERSION / 4] = VERSION_VALUE;
        values[KIND / 4] = i == 1 ? 2 : 1;
        values[FEATURES / 4] = ~0u;
    }
    for (u32 h = 0; h < HARTS; h++)
        harts[h] = (struct hart){ .id = h, .cluster = h == 1 };
    fake_table = (struct fw_table){ .devices = (u32)(ulong)lent, .n_devices = DEVICES, .clusters = (u32)(ulong)own };
    memset(sides, 0, sizeof(sides));
    memset(devices, 0, sizeof(devices));
    memset(enabled, 0, sizeof(enabled));
    /* All run: what is stopped and started again is up to the steps. */
    for (u32 i = 0; i < DEVICES; i++)
        CHECK(!device_call(&harts[i == 2], 3, (const ulong[8]){ i }).error);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    begin();
    for (size_t at = 0; at + STEP <= size; at += STEP)
        step(data + at);
    for (u32 i = 0; i < DEVICES; i++)
        settle(i);
    return 0;
}
