/* SPDX-License-Identifier: MIT */
/*
 * clusters.c - a program of libnanvix that runs on each of several clusters and checks mailboxes, portals, syncs and
 * barriers, with right and wrong arguments. Cluster 0 leads. On a board without clusters it checks that all of them
 * fail with ENOSYS.
 */
#include <nanvix/runtime/barrier.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/portal.h>
#include <nanvix/sys/sync.h>

#include "../../../user/programs/nanvix/check.h"

#define MOST   PROCESSOR_NOC_NODES_NUM
#define PORT   3
#define LARGE  (3 * HAL_PORTAL_DATA_SIZE + 100)
#define LETTER 100

static int node, nodes[MOST];
static unsigned char page[LARGE];

static unsigned char byte_of(int from, size_t i) { return (unsigned char)(i * 7 + (i >> 8) + (size_t)from * 31); }

static void no_clusters(void)
{
    MUST(kmailbox_create(0, 0) == -ENOSYS && kmailbox_open(0, 0) == -ENOSYS && kmailbox_get_port(0) == -ENOSYS);
    MUST(kportal_create(0, 0) == -ENOSYS && kportal_open(0, 1, 0) == -ENOSYS && kportal_wait(0) == -ENOSYS);
    MUST(ksync_create(nodes, 2, SYNC_ALL_TO_ONE) == -ENOSYS && ksync_open(nodes, 2, SYNC_ONE_TO_ALL) == -ENOSYS);
    MUST(!BARRIER_IS_VALID(barrier_create(nodes, 2)) && knode_get_num() == 0 && kcluster_get_num() == 0);
}

static void wrong_mailboxes(void)
{
    char text[KMAILBOX_MESSAGE_SIZE + 1];
    size_t volume = 1;
    int in, out;
    MUST(kmailbox_create(-1, 0) == -EINVAL && kmailbox_create(MOST, 0) == -EINVAL &&
         kmailbox_create(!node, 0) == -EINVAL);
    MUST(kmailbox_create(node, -1) == -EINVAL && kmailbox_create(node, MAILBOX_PORT_NR) == -EINVAL);
    MUST(kmailbox_open(-1, 0) == -EINVAL && kmailbox_open(MOST, 0) == -EINVAL &&
         kmailbox_open(node, MAILBOX_PORT_NR) == -EINVAL);
    MUST((in = kmailbox_create(node, PORT)) >= 0 && kmailbox_create(node, PORT) == -EBUSY);
    MUST((out = kmailbox_open(node, PORT)) >= 0 && kmailbox_get_port(in) == PORT &&
         kcomm_get_port(in, COMM_TYPE_MAILBOX) == PORT);
    MUST(kmailbox_unlink(-1) == -EINVAL && kmailbox_unlink(KMAILBOX_MAX) == -EINVAL && kmailbox_unlink(out) == -EBADF);
    MUST(kmailbox_close(-1) == -EINVAL && kmailbox_close(in) == -EBADF && kmailbox_wait(-1) == -EINVAL &&
         kmailbox_wait(in) == -EBADF);
    MUST(kmailbox_awrite(out, NULL, 1) == -EINVAL && kmailbox_awrite(out, text, 0) == -EINVAL &&
         kmailbox_awrite(-1, text, 1) == -EINVAL);
    MUST(kmailbox_awrite(out, text, sizeof text) == -EINVAL && kmailbox_awrite(in, text, 1) == -EBADF);
    MUST(kmailbox_aread(in, NULL, 1) == -EINVAL && kmailbox_aread(in, text, sizeof text) == -EINVAL &&
         kmailbox_aread(out, text, 1) == -EBADF);
    MUST(kmailbox_awrite(out, (void *)KBASE_VIRT, 8) == -EFAULT &&
         kmailbox_aread(in, (void *)KBASE_VIRT, 8) == -EFAULT);
    MUST(kmailbox_set_remote(-1, 0, 0) == -EINVAL && kmailbox_set_remote(in, -1, 0) == -EINVAL);
    MUST(kmailbox_set_remote(in, MAILBOX_ANY_SOURCE + 1, 0) == -EINVAL &&
         kmailbox_set_remote(in, 0, MAILBOX_ANY_PORT + 1) == -EINVAL);
    MUST(kmailbox_set_remote(out, 0, MAILBOX_ANY_PORT) == -EFAULT);
    MUST(kmailbox_ioctl(in, 77, &volume) == -ENOTSUP &&
         kmailbox_ioctl(-1, KMAILBOX_IOCTL_GET_VOLUME, &volume) == -EINVAL);
    MUST(kmailbox_ioctl(in, KMAILBOX_IOCTL_GET_VOLUME, NULL) == -EFAULT);
    MUST(kmailbox_ioctl(in, KMAILBOX_IOCTL_GET_VOLUME, &volume) == 0 && volume == 0);
    MUST(kmailbox_close(out) == 0 && kmailbox_unlink(in) == 0 && kmailbox_unlink(in) == -EBADF &&
         kmailbox_close(out) == -EBADF);
    MUST(kmailbox_ioctl(in, KMAILBOX_IOCTL_GET_VOLUME, &volume) == -EBADF);
}

static void wrong_portals(void)
{
    int in, out;
    MUST(kportal_create(-1, 0) == -EINVAL && kportal_create(!node, 0) == -EINVAL &&
         kportal_create(node, KPORTAL_PORT_NR) == -EINVAL);
    MUST(kportal_open(!node, node, 0) == -EINVAL && kportal_open(node, MOST, 0) == -EINVAL &&
         kportal_open(node, 0, -1) == -EINVAL);
    MUST((in = kportal_create(node, PORT)) >= 0 && kportal_create(node, PORT) == -EBUSY &&
         kportal_get_port(in) == PORT);
    MUST((out = kportal_open(node, !node, PORT)) >= 0 && kportal_unlink(out) == -EBADF && kportal_close(in) == -EBADF);
    MUST(kportal_aread(in, page, 8) == -EACCES && kportal_aread(out, page, 8) == -EBADF &&
         kportal_awrite(in, page, 8) == -EBADF);
    MUST(kportal_aread(in, page, HAL_PORTAL_DATA_SIZE + 1) == -EINVAL && kportal_read(in, NULL, 1) == -EINVAL);
    MUST(kportal_write(out, page, KPORTAL_MAX_SIZE + 1) == -EINVAL && kportal_write(out, page, 0) == -EINVAL);
    MUST(kportal_allow(-1, 0, 0) == -EINVAL && kportal_allow(in, MOST, 0) == -EINVAL &&
         kportal_allow(out, 0, 0) == -EBADF);
    MUST(kportal_wait(in) == -EBADF && kportal_wait(KPORTAL_MAX) == -EINVAL);
    MUST(kportal_close(out) == 0 && kportal_unlink(in) == 0 && kportal_unlink(in) == -EBADF);
}

static void wrong_syncs(void)
{
    int twice[] = { 0, 0 }, other[] = { !node, MOST }, id;
    uint64_t n;
    MUST(ksync_create(NULL, 2, SYNC_ALL_TO_ONE) == -EINVAL && ksync_create(nodes, 1, SYNC_ALL_TO_ONE) == -EINVAL);
    MUST(ksync_create(nodes, 2, 2) == -EINVAL && ksync_create(twice, 2, SYNC_ALL_TO_ONE) == -EINVAL &&
         ksync_open(other, 2, 0) == -EINVAL);
    MUST(ksync_wait(-1) == -EINVAL && ksync_signal(KSYNC_MAX) == -EINVAL &&
         ksync_ioctl(-1, KSYNC_IOCTL_GET_NWAITS, &n) == -EINVAL);
    if (node)
        return;
    MUST((id = ksync_create(nodes, 2, SYNC_ALL_TO_ONE)) >= 0 && ksync_create(nodes, 2, SYNC_ALL_TO_ONE) == id);
    MUST(ksync_signal(id) == -EBADF && ksync_close(id) == -EBADF &&
         ksync_ioctl(id, KSYNC_IOCTL_GET_NCREATES, &n) == 0 && n == 2);
    MUST(ksync_unlink(id) == 0 && ksync_unlink(id) == 0 && ksync_unlink(id) == -EBADF);
    MUST(ksync_ioctl(id, KSYNC_IOCTL_GET_NWAITS, &n) == -EBADF && ksync_open(nodes, 2, SYNC_ALL_TO_ONE) == -EINVAL);
}

/* Send a message to each cluster and read its answer; then transfer a large block of data with one permission. */
static void lead(barrier_t all)
{
    char letter[KMAILBOX_MESSAGE_SIZE];
    size_t volume;
    int in = kmailbox_create(0, PORT), data = kportal_create(0, PORT), out[MOST];
    MUST(in >= 0 && data >= 0 && barrier_wait(all) == 0);
    for (int to = 1; to < MOST; to++)
        MUST((out[to] = kmailbox_open(to, PORT)) >= 0 && kmailbox_write(out[to], "write!", 7) == 7);
    for (int from = MOST - 1; from > 0; from--) {
        MUST(kmailbox_set_remote(in, from, MAILBOX_ANY_PORT) == 0 && kmailbox_set_remote(in, from, 0) == -EFAULT);
        MUST(kmailbox_read(in, letter, LETTER) == LETTER && letter[0] == from && letter[LETTER - 1] == from);
        MUST(kportal_allow(data, from, letter[1]) == 0 && kportal_allow(data, from, letter[1]) == -EBUSY);
        MUST(kportal_read(data, page, LARGE) == LARGE);
        for (size_t i = 0; i < LARGE; i++)
            MUST(page[i] == byte_of(from, i));
    }
    MUST(kmailbox_ioctl(in, KMAILBOX_IOCTL_GET_VOLUME, &volume) == 0 && volume == LETTER * (MOST - 1));
    for (int to = 1; to < MOST; to++)
        MUST(kmailbox_close(out[to]) == 0);
    MUST(barrier_wait(all) == 0 && kmailbox_unlink(in) == 0 && kportal_unlink(data) == 0);
}

static void follow(barrier_t all)
{
    char letter[KMAILBOX_MESSAGE_SIZE];
    int in = kmailbox_create(node, PORT), out = kmailbox_open(0, PORT), data = kportal_open(node, 0, PORT);
    MUST(in >= 0 && out >= 0 && data >= 0 && barrier_wait(all) == 0);
    MUST(kmailbox_read(in, letter, 7) == 7 && !ustrcmp(letter, "write!"));
    umemset(letter, node, LETTER);
    letter[1] = (char)kportal_get_port(data);
    MUST(kmailbox_write(out, letter, LETTER) == LETTER);
    for (size_t i = 0; i < LARGE; i++)
        page[i] = byte_of(node, i);
    MUST(kportal_write(data, page, LARGE) == LARGE);
    MUST(barrier_wait(all) == 0 && kmailbox_unlink(in) == 0 && kmailbox_close(out) == 0 && kportal_close(data) == 0);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    node = knode_get_num();
    for (int i = 0; i < MOST; i++)
        nodes[i] = i;
    if (kmailbox_create(node, 0) == -ENOSYS) {
        no_clusters();
    } else {
        MUST(kmailbox_unlink(0) == 0 && kcluster_get_num() == node);
        wrong_mailboxes();
        wrong_portals();
        wrong_syncs();
        barrier_t all = barrier_create(nodes, MOST);
        MUST(BARRIER_IS_VALID(all) && !BARRIER_IS_VALID(BARRIER_NULL));
        if (node)
            follow(all);
        else
            lead(all);
        MUST(barrier_destroy(all) == 0);
    }
    uprintf("clusters: right");
}
