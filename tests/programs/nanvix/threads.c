/* SPDX-License-Identifier: MIT */
/* threads.c - checks the threads of libnanvix: numbers, exit values, sleep and wake-up, console, performance monitors,
 * signals. */
#include <nanvix/sys/dev.h>
#include <nanvix/sys/excp.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>
#include <nanvix/sys/signal.h>

#include "../../../user/programs/nanvix/check.h"

static spinlock_t gate = SPINLOCK_LOCKED;
static volatile int slept;

static void *leave(void *value) { return value; }

static void *wait_at_gate(void *value)
{
    spinlock_lock(&gate);
    spinlock_unlock(&gate);
    return value;
}

static void *identify(void *tid)
{
    int core = core_get_id();
    MUST(kthread_self() == *(volatile int *)tid && (int)kcall0(NR_thread_get_id) == kthread_self());
    MUST(core > 1 && core < CORES_NUM);
    FAILS(kthread_join(kthread_self(), NULL), EINVAL);
    errno = 5;
    MUST(kthread_yield() == 0 && errno == 5);
    kthread_exit((void *)0xc0ffee);
}

static void numbers(void)
{
    kthread_t tid;
    void *value = NULL;
    MUST(kthread_self() == KTHREAD_LEADER_TID && kcall0(NR_thread_get_id) == KTHREAD_LEADER_TID && core_get_id() == 1);
    MUST(kthread_create(&tid, identify, &tid) == 0 && tid > KTHREAD_LEADER_TID);
    MUST(kthread_join(tid, &value) == 0 && value == (void *)0xc0ffee);
    value = NULL;
    MUST(kthread_join(tid, &value) == 0 && value == (void *)0xc0ffee); /* joined again, later */
    MUST(kthread_join(tid, NULL) == 0);
    FAILS(kthread_join(tid + 1, NULL), EINVAL);
    FAILS(kthread_join(-1, NULL), EINVAL);
    FAILS(kthread_join(KTHREAD_MASTER_TID, NULL), EINVAL);
    FAILS(kthread_create(&tid, NULL, NULL), EINVAL);
    FAILS(kthread_create(NULL, leave, NULL), EINVAL);
}

/* The exit values of KTHREAD_EXIT_VALUE_NUM threads are kept; older ones are lost, and *value then stays unchanged. */
static void values(void)
{
    kthread_t first, tid = 0;
    MUST(kthread_create(&first, leave, (void *)1) == 0 && kthread_join(first, NULL) == 0);
    for (long i = 0; i < KTHREAD_EXIT_VALUE_NUM; i++) {
        void *value = NULL;
        MUST(kthread_create(&tid, leave, (void *)i) == 0 && kthread_join(tid, &value) == 0 && value == (void *)i);
    }
    MUST(tid == first + KTHREAD_EXIT_VALUE_NUM);
    for (long i = 0; i < KTHREAD_EXIT_VALUE_NUM; i++) {
        void *value = NULL;
        MUST(kthread_join(first + 1 + (int)i, &value) == 0 && value == (void *)i);
    }
    void *kept = &kept;
    MUST(kthread_join(first, &kept) == 0 && kept == &kept);
}

static void *join_it(void *tid)
{
    void *value = NULL;
    MUST(kthread_join((int)(long)tid, &value) == 0);
    return value;
}

static void all_there_can_be(void)
{
    kthread_t tid[THREAD_MAX];
    int core[THREAD_MAX] = { 0 };
    for (int i = 0; i < THREAD_MAX - 2; i++)
        MUST(kthread_create(&tid[i], wait_at_gate, &core[i]) == 0);
    MUST(kthread_create(&tid[THREAD_MAX - 2], join_it, (void *)(long)tid[0]) == 0);
    FAILS(kthread_create(&tid[THREAD_MAX - 1], leave, NULL), EAGAIN);
    spinlock_unlock(&gate);
    for (int i = 0; i < THREAD_MAX - 1; i++) {
        void *value = NULL;
        MUST(kthread_join(tid[i], &value) == 0 && value == (i < THREAD_MAX - 2 ? &core[i] : &core[0]));
    }
    MUST(kthread_create(&tid[0], leave, NULL) == 0 && kthread_join(tid[0], NULL) == 0);
}

static void *sleep_twice(void *unused)
{
    MUST(ksleep() == 0);
    slept = 1;
    MUST(kcall0(NR_sleep) == 0);
    slept = 2;
    return unused;
}

static void sleep_and_wake(void)
{
    kthread_t tid;
    MUST(kthread_create(&tid, sleep_twice, NULL) == 0);
    for (int n = 1; n <= 2; n++) {
        while (kwakeup(tid)) /* until it sleeps */
            MUST(errno == EAGAIN && kthread_yield() == 0);
        while (slept != n)
            MUST(kthread_yield() == 0);
    }
    MUST(kthread_join(tid, NULL) == 0);
    FAILS(kwakeup(tid), EAGAIN);
    FAILS(kwakeup(kthread_self()), EAGAIN);
    FAILS(kwakeup(-1), EINVAL);
    FAILS(kwakeup(0), EAGAIN);
}

static void console(void)
{
    static char text[513];
    umemset(text, 'x', sizeof text);
    MUST(nanvix_write(1, "a line", 6) == 6 && nanvix_write(0, "another\n", 8) == 8 && nanvix_write(1, "", 0) == 0);
    FAILS(nanvix_write(-1, "x", 1), EINVAL);
    FAILS(nanvix_write(1, NULL, 1), EINVAL);
    FAILS(nanvix_write(1, text, 513), EINVAL);
    FAILS(nanvix_write(1, (const char *)4096, 1), EFAULT);
    FAILS(nanvix_write(1, (const char *)~0ul - 8, 512), EFAULT);
    MUST((int)kcall3(NR_write, 1, 4096, 1) == -EFAULT);
    kprintf("kprintf %d", 42);
}

static void calls_by_number(void)
{
    uint64_t now = 0, later = 0;
    MUST((int)kcall0(NR_SYSCALLS) == -EINVAL && (int)kcall0(NR_SYSCALLS + 1000) == -EINVAL &&
         (int)kcall0(0) == -EINVAL);
    MUST((int)kcall5(NR_upage_unlink, 1, 2, 3, 4, 5) == -ENOSYS && (int)kcall0(41) == -ENOSYS);
    MUST((int)kcall2(NR_thread_join, (word_t)-1, 0) == -EINVAL && kcall0(NR_thread_yield) == 0);
    MUST(kclock(&now) == 0 && now && kcall1(NR_clock, (word_t)&later) == 0 && later >= now);
    MUST(kclock(NULL) == -EINVAL && kstats(&now, PERF_CYCLES) == -ENOTSUP);
    MUST(knode_get_num() >= 0 && kcluster_get_num() == knode_get_num() &&
         (int)kcall0(NR_node_get_num) == knode_get_num());
    MUST(kcomm_get_port(-1, COMM_TYPE_MAILBOX) == -EINVAL && kcomm_get_port(0, 2) == -EINVAL);
}

static void monitors(void)
{
    uint64_t before, after, counted = 0;
    MUST(nanvix_perf_query(PERF_CYCLES) == 0 && nanvix_perf_query(1) == -EINVAL && nanvix_perf_query(-1) == -EINVAL);
    MUST(nanvix_perf_start(0, PERF_CYCLES) == 0 && kclock(&before) == 0);
    do
        MUST(kclock(&after) == 0);
    while (after < before + 10000);
    MUST(nanvix_perf_stop(0) == 0 && (counted = nanvix_perf_read(0)) >= 10000 && nanvix_perf_read(0) == counted);
    MUST(nanvix_perf_restart(0) == 0 && nanvix_perf_stop(0) == 0 && nanvix_perf_read(0) >= counted);
    MUST(nanvix_perf_start(1, PERF_CYCLES) == -EINVAL && nanvix_perf_start(0, 1) == -EINVAL);
    MUST(nanvix_perf_stop(-1) == -EINVAL && nanvix_perf_restart(1) == -EINVAL && nanvix_perf_read(1) == UINT64_MAX);
}

static void handle(void *unused) { UNUSED(unused); }

static void signals(void)
{
    struct ksigaction action = { handle }, none = { NULL };
    for (int signum = 0; signum < EXCEPTIONS_NUM; signum++)
        MUST(ksigctl(signum, &action) == 0 && ksigctl(signum, &none) == 0);
    FAILS(ksigctl(EXCEPTIONS_NUM, &action), EINVAL);
    FAILS(ksigctl(SIGPGFAULT, NULL), EAGAIN);
    FAILS(ksigctl(-1, &action), EINVAL);
    FAILS(ksigctl(SIGNALS_NUM, &action), EINVAL);
    FAILS(kalarm(-1), EINVAL);
    FAILS(ksigsend(SIGNALS_NUM, 1), EINVAL);
    FAILS(ksigwait(-1), EINVAL);
    FAILS(ksigreturn(), EINVAL);
    MUST(excp_ctrl(EXCEPTIONS_NUM, EXCP_ACTION_HANDLE) == -EINVAL && excp_ctrl(0, 2) == -EINVAL);
    MUST(excp_ctrl(0, EXCP_ACTION_HANDLE) == 0 && excp_pause(NULL) == -EPERM && excp_resume() == -EINVAL);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    numbers();
    values();
    all_there_can_be();
    sleep_and_wake();
    console();
    calls_by_number();
    monitors();
    signals();
    uprintf("threads: right");
    _kexit(3);
}
