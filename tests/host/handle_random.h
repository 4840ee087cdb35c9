/* SPDX-License-Identifier: MIT */
/*
 * handle_random.h - for test_handle_memory.c: random operations of three processes, some of which end and begin, beside
 * a reference that keeps an object for each range that was ever shared, and copies of it in tables and channels.
 */
#ifndef AMALGAM_TESTS_HANDLE_RANDOM_H
#define AMALGAM_TESTS_HANDLE_RANDOM_H

#define OBJECTS 4096 /* of the reference: those of the last runs; an old one is withdrawn */
#define QUEUE   8

struct object {
    bool valid;
    unsigned owner, pages;
    unsigned generation; /* how often it was revoked */
    int parent;          /* what it is derived of; -1: of nothing */
    unsigned parent_generation;
    paddr_t page[OWN];
};
struct copy {
    int object; /* -1: no handle; -2: a channel's end */
    u32 rights;
    s64 at; /* where it is mapped; 0: nowhere */
    unsigned generation;
};
/* Another operation of process `p`, with handle `h`, and what it is to answer; NULL: there is none. */
static s64 (*step_more)(unsigned p, u32 h, s64 *expected);
static struct {
    struct object object[OBJECTS];
    unsigned objects, ranges[P];
    bool runs[P];
    struct copy handle[P][HANDLES];
    struct copy queue[P][P][QUEUE]; /* from, to */
    unsigned queued[P][P];
    unsigned answers[200], good; /* how often an error, and none, was answered */
} ref;

static u64 seed;
static u32 random_below(u32 n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(seed >> 33) % n;
}

static void ref_begin(unsigned p)
{
    run_begin(p);
    assert_int_equal(process_call_map(&thread[p], USER_BASE, OWN * PAGE_SIZE, PROCESS_CALL_MAP_WRITE), USER_BASE);
    ref.runs[p] = true;
    ref.ranges[p] = 0;
    for (unsigned i = 0; i < HANDLES; i++)
        ref.handle[p][i] = (struct copy){ i < 2 ? -2 : -1, i < 2 ? RW : 0, 0, 0 };
}

static void ref_end(unsigned p)
{
    run_end(p);
    ref.runs[p] = false;
    for (unsigned i = 0; i < ref.objects; i++)
        if (ref.object[i].owner == p)
            ref.object[i].valid = false;
    for (unsigned q = 0; q < P; q++)
        ref.queued[p][q] = ref.queued[q][p] = 0;
    for (unsigned i = 0; i < HANDLES; i++)
        ref.handle[p][i] = (struct copy){ -1, 0, 0, 0 };
}

static unsigned peer_of(unsigned p, u32 c) { return c < p ? c : c + 1; }
static bool lives(int object, unsigned generation)
{
    const struct object *o = &ref.object[object];
    return o->valid && o->generation == generation && (o->parent < 0 || lives(o->parent, o->parent_generation));
}
static bool is_valid(const struct copy *c)
{
    return c->object == -2 || (c->object >= 0 && lives(c->object, c->generation));
}

static s64 ref_add(unsigned p, const struct copy *c)
{
    for (unsigned i = 2; i < HANDLES; i++)
        if (ref.handle[p][i].object == -1) {
            ref.handle[p][i] = (struct copy){ c->object, c->rights, 0, c->generation };
            return i;
        }
    return -ENOSPC;
}

static s64 ref_memory(unsigned p, unsigned from, unsigned pages, u32 writes)
{
    if (ref.ranges[p] == RANGES)
        return -ENOMEM;
    if (from + pages > OWN)
        return -EFAULT;
    struct object *o = &ref.object[ref.objects];
    *o = (struct object){ .valid = true, .owner = p, .pages = pages, .parent = -1 };
    for (unsigned i = 0; i < pages; i++)
        o->page[i] = space_frame(own[p][from + i]);
    struct copy c = { (int)ref.objects, HANDLE_READ | (writes ? HANDLE_WRITE : 0) | HANDLE_SEND | HANDLE_OWN, 0, 0 };
    s64 index = ref_add(p, &c);
    ref.objects += index >= 0;
    ref.ranges[p] += index >= 0;
    return index;
}

static s64 ref_through(unsigned p, u32 c)
{
    const struct copy *through = &ref.handle[p][c];
    return through->object == -1 ? -EBADF : through->object != -2 ? -EINVAL : 0;
}

static s64 ref_send(unsigned p, u32 c, u32 h, u32 rights)
{
    const struct copy *sent = &ref.handle[p][h];
    s64 err = ref_through(p, c);
    if (err)
        return err;
    if (sent->object == -1)
        return -EBADF;
    if (!is_valid(sent))
        return -ESTALE;
    if (!(sent->rights & HANDLE_SEND) || rights & (~sent->rights | HANDLE_OWN))
        return -EPERM;
    unsigned q = peer_of(p, c);
    if (!ref.runs[q])
        return -EPIPE;
    if (ref.queued[p][q] == QUEUE)
        return -EAGAIN;
    ref.queue[p][q][ref.queued[p][q]++] = (struct copy){ sent->object, rights, 0, sent->generation };
    return 0;
}

static s64 ref_receive(unsigned p, u32 c)
{
    s64 err = ref_through(p, c);
    if (err)
        return err;
    unsigned q = peer_of(p, c);
    if (!ref.queued[q][p])
        return -EAGAIN;
    s64 index = ref_add(p, &ref.queue[q][p][0]);
    if (index < 0)
        return index;
    memmove(&ref.queue[q][p][0], &ref.queue[q][p][1], sizeof(struct copy) * --ref.queued[q][p]);
    return index;
}

static s64 ref_map(unsigned p, u32 h)
{
    struct copy *c = &ref.handle[p][h];
    unsigned maps = 0;
    if (c->object == -1)
        return -EBADF;
    if (c->object == -2)
        return -EINVAL;
    if (!(c->rights & HANDLE_READ))
        return -EACCES;
    if (!is_valid(c))
        return -ESTALE;
    if (c->at)
        return -EEXIST;
    for (unsigned i = 0; i < HANDLES; i++)
        maps += ref.handle[p][i].at != 0;
    return maps == VIEWS ? -ENOMEM : 1; /* 1: somewhere */
}

static s64 ref_close(unsigned p, u32 h)
{
    struct copy *c = &ref.handle[p][h];
    if (c->object == -1)
        return -EBADF;
    if (c->rights & HANDLE_OWN) {
        ref.object[c->object].valid = false;
        ref.ranges[p]--;
    }
    *c = (struct copy){ -1, 0, 0, 0 };
    return 0;
}

/* Each process shows what its handles say, and nothing else. */
static void compare(void)
{
    static space_entry_t expected[VIEWS * VIEW_PAGES];
    for (unsigned p = 0; p < P; p++) {
        memset(expected, 0, sizeof(expected));
        for (unsigned h = 0; h < HANDLES; h++) {
            const struct copy *c = &ref.handle[p][h];
            if (!c->at || !is_valid(c))
                continue;
            const struct object *o = &ref.object[c->object];
            for (unsigned i = 0; i < o->pages; i++)
                expected[((u64)c->at - VIEWS_AT) / PAGE_SIZE + i] =
                    space_entry_of(o->page[i], c->rights & HANDLE_WRITE ? SPACE_WRITE : 0);
        }
        assert_memory_equal(expected, shown[p], sizeof(expected));
    }
}

/* All that is shared, and no more, is pinned; all else is free or mapped once. */
static void compare_frames(void)
{
    for (unsigned p = 0; p < P; p++) {
        unsigned uses = 0, pinned = 0;
        for (unsigned i = 0; i < FRAMES && ref.runs[p]; i++)
            uses += frame[p][i] & FRAME_USED ? frame[p][i] - FRAME_USED : 0;
        for (unsigned i = 0; i < ref.objects; i++)
            pinned +=
                ref.object[i].valid && ref.object[i].parent < 0 && ref.object[i].owner == p ? ref.object[i].pages : 0;
        if (ref.runs[p])
            assert_int_equal(uses, OWN + pinned);
    }
}

/* The reference has no room for more objects: forget those that are withdrawn, in tables, too. */
static void forget(void)
{
    for (unsigned p = 0; p < P; p++) {
        ref_end(p);
        ref_begin(p);
    }
    ref.objects = 0;
}

static s64 step(unsigned p, s64 *expected)
{
    u32 h = random_below(5) ? random_below(8) : random_below(HANDLES), c = random_below(8) ? random_below(2) : h;
    u32 rights = random_below(3) ? RW | HANDLE_SEND : random_below(8);
    if (step_more && !random_below(4))
        return step_more(p, h, expected);
    switch (random_below(12)) {
    case 0:
    case 1: {
        unsigned from = random_below(OWN), pages = 1 + random_below(4), writes = random_below(2);
        *expected = ref_memory(p, from, pages, writes);
        return do_memory(p, PAGE_AT(from), pages * PAGE_SIZE, writes);
    }
    case 2:
    case 3:
    case 4: *expected = ref_send(p, c, h, rights); return do_send(p, c, h, rights);
    case 5:
    case 6:
    case 7: *expected = ref_receive(p, c); return do_receive(p, c);
    case 8:
    case 9: {
        *expected = ref_map(p, h);
        s64 at = do_map(p, h);
        if (*expected != 1)
            return at;
        ref.handle[p][h].at = at;
        return at >= (s64)VIEWS_AT && IS_ALIGNED((u64)at, MIB);
    }
    case 10: *expected = ref_close(p, h); return do_close(p, h);
    default:
        *expected = ref.handle[p][h].object == -1 ? -EBADF : is_valid(&ref.handle[p][h]);
        return do_info(p, h, HANDLE_CALL_HANDLE_INFO_VALID);
    }
}

static void test_random_operations_answer_as_the_reference_does(void **state)
{
    const char *steps = getenv("STEPS"), *given = getenv("SEED");
    unsigned n = steps ? (unsigned)atoi(steps) : 1000000;
    seed = given ? (u64)atoll(given) : 1;
    end(NULL);
    for (unsigned p = 0; p < P; p++)
        ref_begin(p);
    for (unsigned i = 0; i < n; i++) {
        unsigned p = random_below(P);
        s64 expected = 0, got = 0;
        if (!random_below(500))
            ref.runs[p] ? ref_end(p) : ref_begin(p);
        else if (ref.runs[p])
            got = step(p, &expected);
        if (got != expected)
            fail_msg("step %u of process %u (SEED=%llu): %lld, not %lld", i, p, given ? atoll(given) : 1ll,
                     (long long)got, (long long)expected);
        ref.good += got >= 0;
        if (got < 0)
            ref.answers[-got]++;
        if (i % 64 == 0) {
            compare();
            compare_frames();
        }
        if (ref.objects == OBJECTS)
            forget();
    }
    static const int often[] = { EPERM, EBADF, EAGAIN, ENOMEM, EACCES, EEXIST, EINVAL, EPIPE, ESTALE, EFAULT };
    for (unsigned i = 0; i < ARRAY_SIZE(often); i++)
        if (ref.answers[often[i]] < n / 20000)
            fail_msg("error %d was answered %u times only", often[i], ref.answers[often[i]]);
    assert_true(ref.good > n / 5);
    for (unsigned p = 0; p < P; p++)
        if (!ref.runs[p])
            run_begin(p);
}

#endif
