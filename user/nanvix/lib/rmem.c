/* SPDX-License-Identifier: MIT */
/* rmem.c - see nanvix/runtime/mm/stub.h; the wire is in amalgam/memory_server.h. */
#include <amalgam/memory_server.h>
#include <nanvix/runtime/mm/stub.h>

#include "ask.h"
#include "nanvix.h"
#include "page_in.h"

#define SERVERS 8
#define LIVES   (1u << (RMEM_SERVER_SHIFT - RMEM_LIFE_SHIFT))

_Static_assert(sizeof(struct memory_message) == ASK_MESSAGE, "it may be asked in place");
_Static_assert(offsetof(struct memory_message, nonce) == offsetof(struct ask_head, nonce) &&
                   offsetof(struct memory_message, reply_port) == offsetof(struct ask_head, reply_port),
               "a message of memory begins as ask.h says");

static struct ask_server servers[SERVERS];
/* Of this process's pages at a server: their life (amalgam/memory_server.h), how many of them there are, or more, and
 * in how many lives before it has lost some; LIVES: in too many, so it is not asked for more. */
static struct {
    uint64_t of;
    unsigned has, before;
} lives[SERVERS];
static unsigned n_servers, first;
static uint64_t secret, tag;
static struct page_in pages;
static struct rmem_stats counts;
static uint32_t lock;

/* Returns whether servers can be asked. */
static bool begin(void)
{
    if (n_servers)
        return true;
    if (ask_begin() || !page_in_begin(&pages))
        return false;
    secret = ask_random();
    n_servers = ask_list("MEMORY", "0", servers, MEMORY_PORT, SERVERS);
    return n_servers;
}

static unsigned server_of(rpage_t page) { return (unsigned)(page >> RMEM_SERVER_SHIFT); }

static unsigned number_of(rpage_t page) { return (unsigned)page & (RMEM_NUM_BLOCKS - 1); }

static bool is_page(rpage_t page) { return number_of(page) && server_of(page) < n_servers; }

/* Returns whether it is of a life of this process's pages that is over. */
static bool is_lost(rpage_t page)
{
    return ((unsigned)page >> RMEM_LIFE_SHIFT) % LIVES != lives[server_of(page)].before;
}

static struct memory_message request(enum memory_op op, rpage_t page)
{
    return (struct memory_message){ .magic = MEMORY_MAGIC,
                                    .op = (uint8_t)op,
                                    .page = (uint16_t)number_of(page),
                                    .client = secret,
                                    .life = lives[server_of(page)].of,
                                    .port = (uint8_t)pages.port };
}

/* The pages that this process has at a server are lost. */
static void lose_all(unsigned server)
{
    lives[server].before += lives[server].has > 0;
    lives[server].has = 0;
}

/* Note the life of a page that was given. Returns the page; RMEM_NULL: its number would come again. */
static rpage_t given(unsigned server, const struct memory_message *m)
{
    if (m->result != MEMORY_DONE || m->page >= RMEM_NUM_BLOCKS)
        return RMEM_NULL;
    if (lives[server].of != m->life) {
        lives[server].of = m->life;
        lose_all(server);
    }
    if (lives[server].before == LIVES)
        return RMEM_NULL;
    lives[server].has++;
    return (rpage_t)server << RMEM_SERVER_SHIFT | lives[server].before << RMEM_LIFE_SHIFT | m->page;
}

/* A question whose answer does not come is asked once more, as the same one. */
static rpage_t alloc_at(unsigned server)
{
    struct memory_message m;
    tag++;
    for (uint8_t again = 0; again < 2 && lives[server].before < LIVES; again++) {
        m = request(MEMORY_ALLOC, 0);
        m.tag = tag;
        m.part = again;
        servers[server].rests_until = 0;
        if (ask(&servers[server], &m, sizeof(m)))
            return given(server, &m);
    }
    return RMEM_NULL;
}

/* The servers take turns, so that none has all pages of a program. */
rpage_t nanvix_rmem_alloc(void)
{
    rpage_t page = RMEM_NULL;
    nanvix_lock_take(&lock);
    for (unsigned i = 0; begin() && page == RMEM_NULL && i < n_servers; i++)
        page = alloc_at(first++ % n_servers);
    counts.nallocs += page != RMEM_NULL;
    nanvix_lock_drop(&lock);
    return page;
}

/* A question whose answer does not come is asked once more; then it may be done already. A server that rests was not
 * asked. */
static int free_page(rpage_t page)
{
    if (!begin() || !is_page(page))
        return -EINVAL;
    if (is_lost(page))
        return -EFAULT;
    struct ask_server *s = &servers[server_of(page)];
    struct memory_message m = request(MEMORY_FREE, page);
    uint64_t rested = s->rests_until;
    bool answered = ask(s, &m, sizeof(m)), again = !answered && s->rests_until != rested;
    if (again) {
        m = request(MEMORY_FREE, page);
        s->rests_until = 0;
        answered = ask(s, &m, sizeof(m));
    }
    if (!answered)
        return -EIO;
    if (m.result == MEMORY_LOST)
        lose_all(server_of(page));
    else if (m.tag < lives[server_of(page)].has) /* also without a page whose free was not answered before */
        lives[server_of(page)].has = (unsigned)m.tag;
    bool freed = m.result == MEMORY_DONE || (again && (m.result == MEMORY_NONE || m.result == MEMORY_LOST));
    counts.nfrees += freed;
    return freed ? 0 : -EFAULT;
}

int nanvix_rmem_free(rpage_t page)
{
    nanvix_lock_take(&lock);
    int error = free_page(page);
    nanvix_lock_drop(&lock);
    return error;
}

/* Returns the error of an answer that is not MEMORY_DONE. */
static int refusal(rpage_t page, const struct memory_message *m)
{
    if (m->result != MEMORY_LOST)
        return -EFAULT;
    lose_all(server_of(page));
    return -ESTALE;
}

/* Returns 0; an error: no server is asked for this page. */
static int check(rpage_t page, const void *buf)
{
    if (!begin() || !is_page(page) || !buf)
        return -EINVAL;
    return is_lost(page) ? -ESTALE : 0;
}

/* Read a page in messages, since it does not come through the portal. */
static int read_parts(struct ask_server *s, rpage_t page, char *buf)
{
    for (unsigned part = 0; part < MEMORY_PARTS; part++) {
        struct memory_message m = request(MEMORY_READ_PART, page);
        size_t at = part * MEMORY_PART;
        m.part = (uint8_t)part;
        if (!ask(s, &m, sizeof(m)))
            return -EIO;
        if (m.result != MEMORY_DONE)
            return refusal(page, &m);
        kmemcpy(buf + at, m.data, part == MEMORY_PARTS - 1 ? MEMORY_PAGE - at : MEMORY_PART);
    }
    return 0;
}

/* MEMORY_AGAIN is because of another process of this cluster, or of a page whose answer was lost. A question whose
 * answer does not come may have been answered late: the page is asked for once more, in messages. A server that rests
 * was not asked. */
static int read_page(rpage_t page, void *buf)
{
    int error = check(page, buf);
    if (error)
        return error;
    struct ask_server *s = &servers[server_of(page)];
    uint64_t rested = s->rests_until;
    for (unsigned turn = 0;; turn++) {
        struct memory_message m = request(MEMORY_READ, page);
        bool answered = ask_in_place(s, &m, ASK_PATIENCE_NS);
        if (!answered && s->rests_until == rested)
            return -EIO;
        if (!answered) {
            pages.lost = true;
            s->rests_until = 0;
            return read_parts(s, page, buf);
        }
        if (m.result != MEMORY_DONE && m.result != MEMORY_AGAIN)
            return refusal(page, &m);
        switch (page_in_receive(&pages, s->node, m.port, m.result == MEMORY_DONE, buf, MEMORY_PAGE, turn)) {
        case PAGE_IN_HERE: return 0;
        case PAGE_IN_LATE: return read_parts(s, page, buf);
        case PAGE_IN_AGAIN: break;
        }
    }
}

/* Returns how much was moved. A page that was lost is EIO to whoever uses it. */
static size_t moved(int error)
{
    if (!error)
        return RMEM_BLOCK_SIZE;
    nanvix_answer(error == -ESTALE ? -EIO : error);
    return 0;
}

size_t nanvix_rmem_read(rpage_t page, void *buf)
{
    nanvix_lock_take(&lock);
    int error = read_page(page, buf);
    counts.nreads += !error;
    nanvix_lock_drop(&lock);
    return moved(error);
}

static int write_page(rpage_t page, const char *buf)
{
    int error = check(page, buf);
    if (error)
        return error;
    struct ask_server *s = &servers[server_of(page)];
    for (unsigned part = 0; part < MEMORY_PARTS; part++) {
        struct memory_message m = request(MEMORY_WRITE, page);
        size_t at = part * MEMORY_PART;
        m.part = (uint8_t)part;
        bool last = part == MEMORY_PARTS - 1;
        kmemcpy(m.data, buf + at, last ? MEMORY_PAGE - at : MEMORY_PART);
        if (!(last ? ask(s, &m, sizeof(m)) : ask_send_part(s, &m, sizeof(m))))
            return -EIO;
        if (last && m.result != MEMORY_DONE)
            return refusal(page, &m);
    }
    return 0;
}

int nanvix_rmem_write_back(rpage_t page, const void *buf)
{
    nanvix_lock_take(&lock);
    int error = write_page(page, buf);
    counts.nwrites += !error;
    nanvix_lock_drop(&lock);
    return error;
}

size_t nanvix_rmem_write(rpage_t page, const void *buf) { return moved(nanvix_rmem_write_back(page, buf)); }

/* The caller's memory may be remote: it is accessed without the lock. */
int nanvix_rmem_stats(struct rmem_stats *buf)
{
    if (!buf)
        return -EINVAL;
    nanvix_lock_take(&lock);
    struct rmem_stats now = counts;
    nanvix_lock_drop(&lock);
    *buf = now;
    return 0;
}
