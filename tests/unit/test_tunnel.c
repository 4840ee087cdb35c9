/* SPDX-License-Identifier: MIT */
/* A tunnel belongs to the two domains that the table names; what is withdrawn reaches nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <core/channel.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/split.h>
#include <errors.h>
#include <hal/memory.h>

struct cpu *host_this_cpu;
bool host_irq_on = true;
const struct channel_ops *channel_ops;
const struct sys_header *system_table;
struct domain domains[SYS_MAX_DOMAINS];
unsigned n_domains = 4;

static struct sys_header header;
static struct sys_channel channels[SYS_MAX_CHANNELS];
static struct sys_domain conf = { .name = "d" };
static void *memory[SYS_MAX_CHANNELS];
static unsigned n_memory, complaints, bells, bell_domain, bell_channel;
static bool no_memory;
/* What each domain sees at each tunnel's address, as the last call of share() left it. */
static struct view {
    paddr_t pa;
    u64 size;
    unsigned prot;
} view[4][SYS_MAX_CHANNELS];

const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i) { return &channels[i]; }
void printk(const char *fmt, ...) { complaints++; }

static struct split_entry claimed;
static unsigned host_rings;
static bool no_host;
static u8 *area;

int split_claim(const struct split_entry *e, void **shared)
{
    if (no_host)
        return -ENODEV;
    claimed = *e;
    free(area);
    *shared = area = calloc(1, e->size);
    return 3;
}
void split_ring(unsigned entry)
{
    assert_int_equal(entry, 3);
    host_rings++;
}

paddr_t frames_alloc(u64 n, u64 align)
{
    if (no_memory)
        return (paddr_t)-1;
    void *p = aligned_alloc(PAGE_SIZE, n * PAGE_SIZE);
    memset(p, 0xa5, n * PAGE_SIZE); /* somebody else's before */
    memory[n_memory++] = p;
    return (paddr_t)(uintptr_t)p;
}

static unsigned cleaned;
void frames_clean(paddr_t base, u64 n)
{
    memset((void *)(uintptr_t)base, 0xa5, n * PAGE_SIZE);
    cleaned += n;
}

static unsigned early; /* a tunnel was said to be granted while its ends were given it */

static int share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot)
{
    assert_in_range(n, 0, SYS_MAX_CHANNELS - 1);
    view[d->id][n] = (struct view){ pa, size, prot };
    early += channel_ops->info(d, 0, CHANNEL_GRANTED) == 1;
    return 0;
}

static void doorbell(struct domain *d, unsigned n)
{
    bells++;
    bell_domain = d->id;
    bell_channel = n;
}

static const struct domain_ops vm = { .share = share, .doorbell = doorbell };
static const struct domain_ops native = { 0 };

static void channel(unsigned i, const char *name, u16 a, u16 b, u32 flags, u32 size)
{
    channels[i] = (struct sys_channel){ .domain_a = a, .domain_b = b, .flags = flags, .size = size };
    memcpy(channels[i].name, name, strlen(name));
    header.n_channels = i + 1;
}

static void boot(void)
{
    for (const init_call *c = __initcalls_start; c < __initcalls_end; c++)
        (*c)();
    channel_ops->renew();
    for (unsigned i = 0; i < n_domains; i++)
        channel_ops->attach(&domains[i]);
}

/* Two tunnels that end at domain 1; nobody's number 3. */
static int setup(void **state)
{
    memset(view, 0, sizeof(view));
    memset(channels, 0, sizeof(channels));
    complaints = bells = 0;
    no_memory = false;
    system_table = &header;
    for (unsigned i = 0; i < 4; i++)
        domains[i] = (struct domain){ .id = i, .state = DOMAIN_RUNNING, .conf = &conf, .ops = &vm };
    channel(0, "up", 0, 1, SYS_CHANNEL_A_WRITES, 8192);
    channel(1, "both", 1, 2, SYS_CHANNEL_A_WRITES | SYS_CHANNEL_B_WRITES, 4096);
    return 0;
}

static int teardown(void **state)
{
    system_table = NULL;
    channel_ops->renew();
    while (n_memory)
        free(memory[--n_memory]);
    return 0;
}

static void test_both_ends_see_the_same_cleared_memory(void **state)
{
    boot();
    assert_int_equal(complaints, 0);
    assert_int_equal(n_memory, 2);
    assert_int_equal(view[0][0].pa, (uintptr_t)memory[0]);
    assert_int_equal(view[1][0].pa, view[0][0].pa);
    assert_int_equal(view[1][1].pa, view[2][1].pa);
    assert_int_not_equal(view[1][1].pa, view[0][0].pa);
    assert_int_equal(view[0][0].size, 8192);
    for (unsigned i = 0; i < 8192; i++)
        assert_int_equal(((u8 *)memory[0])[i], 0);
}

static void test_only_the_table_lets_write(void **state)
{
    boot();
    assert_int_equal(view[0][0].prot, S2_WRITE);
    assert_int_equal(view[1][0].prot, 0);
    assert_int_equal(view[1][1].prot, S2_WRITE);
    assert_int_equal(view[2][1].prot, S2_WRITE);
}

static void test_nobody_else_has_it(void **state)
{
    boot();
    assert_int_equal(view[2][0].pa, 0);
    assert_int_equal(view[0][1].pa, 0);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(view[3][i].pa, 0);
        assert_int_equal(channel_ops->info(&domains[3], i, CHANNEL_PLACE), -ENOENT);
        assert_int_equal(channel_ops->notify(&domains[3], i), -ENOENT);
    }
    assert_int_equal(channel_ops->info(&domains[0], 1, CHANNEL_PLACE), -ENOENT);
    assert_int_equal(channel_ops->notify(&domains[0], 1), -ENOENT);
    assert_int_equal(channel_ops->notify(&domains[0], ~0u), -ENOENT);
    assert_int_equal(bells, 0);
}

static void test_a_domain_counts_its_own(void **state)
{
    boot();
    assert_true(channel_ops->info(&domains[2], 0, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->info(&domains[2], 0, CHANNEL_PLACE), 1);
    assert_int_equal(channel_ops->info(&domains[2], 0, CHANNEL_BELL), 1);
    assert_int_equal(channel_ops->info(&domains[2], 0, CHANNEL_PEER), 1);
    assert_true(channel_ops->info(&domains[1], 0, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->info(&domains[1], 0, CHANNEL_PLACE), 0);
    assert_int_equal(channel_ops->info(&domains[1], 0, CHANNEL_RIGHTS), 2);
    assert_int_equal(channel_ops->info(&domains[1], 0, CHANNEL_GRANTED), 1);
}

static void test_the_bell_rings_at_the_peer(void **state)
{
    boot();
    assert_int_equal(channel_ops->notify(&domains[1], 1), 0);
    assert_int_equal(bell_domain, 2);
    assert_int_equal(bell_channel, 1);
    assert_int_equal(channel_ops->notify(&domains[1], 0), 0);
    assert_int_equal(bell_domain, 0);
    assert_int_equal(bell_channel, 0);
    domains[0].state = DOMAIN_STOPPED;
    assert_int_equal(channel_ops->notify(&domains[1], 0), -EAGAIN);
    domains[2].ops = &native;
    assert_int_equal(channel_ops->notify(&domains[1], 1), -EAGAIN);
    assert_int_equal(bells, 2);
}

static unsigned told_domain, told_channel, tells;
static void peer_ended(struct domain *d, unsigned n)
{
    tells++;
    told_domain = d->id;
    told_channel = n;
}

static void test_the_end_of_a_domain_is_told_at_the_other_ends(void **state)
{
    static const struct domain_ops process = { .share = share, .doorbell = doorbell, .peer_ended = peer_ended };
    boot();
    tells = 0;
    domains[2].ops = &process;
    channel_ops->ended(&domains[1]);
    assert_true(bells == 1 && bell_domain == 0 && bell_channel == 0);
    assert_true(tells == 1 && told_domain == 2 && told_channel == 1);
    domains[2].state = DOMAIN_STOPPED;
    assert_int_equal(channel_ops->set("up", false), 0);
    channel_ops->ended(&domains[1]); /* who does not run has no use for it, and what is withdrawn rings nobody */
    channel_ops->ended(&domains[3]);
    assert_true(bells == 1 && tells == 1);
}

static void test_a_ring_by_the_number_of_the_channel(void **state)
{
    boot();
    assert_int_equal(channel_ops->ring(&domains[1], 1), 0);
    assert_true(bell_domain == 2 && bell_channel == 1);
    assert_int_equal(channel_ops->set("both", false), 0);
    assert_int_equal(channel_ops->ring(&domains[1], 1), -EACCES);
    domains[0].state = DOMAIN_STOPPED;
    assert_int_equal(channel_ops->info(&domains[1], 0, CHANNEL_RUNNING), 0);
    assert_int_equal(channel_ops->info(&domains[1], 1, CHANNEL_RUNNING), 1);
    assert_int_equal(channel_ops->ring(&domains[1], 0), -EAGAIN);
    assert_int_equal(bells, 1);
}

static void test_withdrawn_and_granted_again(void **state)
{
    boot();
    ((u8 *)memory[0])[5] = 7;
    assert_int_equal(channel_ops->set("nosuch", false), -ENOENT);
    assert_int_equal(channel_ops->set("up", false), 0);
    assert_int_equal(view[0][0].pa, 0);
    assert_int_equal(view[1][0].pa, 0);
    assert_int_not_equal(view[1][1].pa, 0);
    assert_int_equal(channel_ops->notify(&domains[0], 0), -EACCES);
    assert_int_equal(bells, 0);
    assert_true(channel_ops->info(&domains[0], 0, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->info(&domains[0], 0, CHANNEL_GRANTED), 0);
    early = 0;
    assert_int_equal(channel_ops->set("up", true), 0);
    assert_int_equal(early, 0);
    assert_int_equal(view[1][0].pa, (uintptr_t)memory[0]);
    assert_int_equal(view[1][0].prot, 0);
    assert_int_equal(((u8 *)memory[0])[5], 7);
    assert_int_equal(channel_ops->notify(&domains[0], 0), 0);
}

static void test_the_next_system_has_its_own(void **state)
{
    boot();
    cleaned = 0;
    channel(0, "only", 2, 3, SYS_CHANNEL_B_WRITES, 4096);
    channel_ops->renew();
    assert_int_equal(cleaned, 3);
    memset(view, 0, sizeof(view));
    for (unsigned i = 0; i < n_domains; i++)
        channel_ops->attach(&domains[i]);
    assert_int_equal(channel_ops->info(&domains[0], 0, CHANNEL_PLACE), -ENOENT);
    assert_true(channel_ops->info(&domains[2], 0, CHANNEL_SIZE) > 0);
    assert_int_equal(view[2][0].pa, (uintptr_t)memory[2]);
    assert_int_equal(view[0][0].pa, 0);
    assert_int_equal(channel_ops->set("up", true), -ENOENT);
    system_table = NULL;
    channel_ops->renew();
    assert_int_equal(cleaned, 4);
    assert_int_equal(channel_ops->info(&domains[2], 0, CHANNEL_PLACE), -ENOENT);
    channel_ops->renew(); /* nothing twice */
    assert_int_equal(cleaned, 4);
}

static void test_the_other_end_may_be_the_host(void **state)
{
    channel(2, "late", 0, 3, SYS_CHANNEL_A_WRITES, 4096);
    channel(3, "host", 1, SYS_HOST, SYS_CHANNEL_B_WRITES, 4096);
    boot();
    assert_int_equal(claimed.type, BACKEND_TUNNEL);
    assert_int_equal(claimed.flags, BACKEND_LINUX_WRITES);
    assert_int_equal(view[1][3].pa, (uintptr_t)area);
    assert_int_equal(view[1][3].prot, 0);
    assert_true(channel_ops->info(&domains[1], 2, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->info(&domains[1], 2, CHANNEL_PEER), SYS_HOST);
    assert_int_equal(channel_ops->info(&domains[1], 2, CHANNEL_RIGHTS), 2);
    host_rings = 0;
    assert_int_equal(channel_ops->notify(&domains[1], 2), 0);
    assert_int_equal(host_rings, 1);
    claimed.rung(claimed.arg);
    assert_int_equal(bells, 1);
    assert_int_equal(bell_domain, 1);
    assert_int_equal(channel_ops->set("host", false), 0);
    assert_int_equal(view[1][3].pa, 0);
    claimed.rung(claimed.arg);
    assert_int_equal(channel_ops->notify(&domains[1], 2), -EACCES);
    assert_int_equal(bells + host_rings, 2);
}

static void test_without_a_host_there_is_no_tunnel_to_it(void **state)
{
    channel(2, "late", 0, 3, SYS_CHANNEL_A_WRITES, 4096);
    channel(3, "host", 1, SYS_HOST, SYS_CHANNEL_B_WRITES, 4096);
    channel(4, "none", 3, SYS_HOST, SYS_CHANNEL_A_WRITES, 4096);
    no_host = true;
    boot();
    no_host = false;
    assert_int_equal(complaints, 2);
    assert_int_equal(view[3][4].pa, 0);
    assert_true(channel_ops->info(&domains[3], 1, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->notify(&domains[3], 1), -EACCES);
}

static void test_without_memory_there_is_no_tunnel(void **state)
{
    no_memory = true;
    /* The first of all tests: nothing was given before. */
    channel(2, "late", 0, 3, SYS_CHANNEL_A_WRITES, 4096);
    boot();
    assert_true(complaints > 0);
    assert_int_equal(view[3][2].pa, 0);
    assert_true(channel_ops->info(&domains[3], 0, CHANNEL_SIZE) > 0);
    assert_int_equal(channel_ops->info(&domains[3], 0, CHANNEL_GRANTED), 0);
    assert_int_equal(channel_ops->notify(&domains[3], 0), -EACCES);
    assert_int_equal(channel_ops->set("late", true), 0); /* nothing to grant */
    assert_int_equal(view[3][2].pa, 0);
}

static void test_as_many_as_a_system_has(void **state)
{
    char name[3] = "ta";
    for (unsigned i = 0; i < SYS_MAX_CHANNELS; i++, name[1]++)
        channel(i, name, 0, 1, 0, 4096);
    boot();
    for (unsigned i = 0; i < SYS_MAX_CHANNELS; i++)
        assert_int_equal(channel_ops->info(&domains[0], i, CHANNEL_PLACE), i);
    assert_int_equal(channel_ops->info(&domains[0], SYS_MAX_CHANNELS, CHANNEL_PLACE), -ENOENT);
    assert_int_equal(channel_ops->set("tp", false), 0);
    assert_int_equal(channel_ops->set("tq", false), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_without_memory_there_is_no_tunnel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_both_ends_see_the_same_cleared_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_only_the_table_lets_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nobody_else_has_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_domain_counts_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_bell_rings_at_the_peer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_of_a_domain_is_told_at_the_other_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_ring_by_the_number_of_the_channel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_withdrawn_and_granted_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_next_system_has_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_other_end_may_be_the_host, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_a_host_there_is_no_tunnel_to_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_as_many_as_a_system_has, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
