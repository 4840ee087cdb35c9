/* SPDX-License-Identifier: MIT */
/* client.c - files that are open at a server: client.h. */
#include "rpc.h"

#include <amalgam/tunnel.h>
#include <string.h>

int p9_client_begin(struct p9_client *c, unsigned tunnel)
{
    struct amalgam_tunnel t;
    *c = (struct p9_client){ .tunnel = tunnel };
    if (amalgam_tunnel_open(tunnel, &t))
        return -ENXIO;
    return t.rights & AMALGAM_TUNNEL_WRITE && p9_link_begin(&c->link, t.memory, t.size, false) ? 0 : -EINVAL;
}

/* Returns 0 if the file is of this session. */
static int check(const struct p9_client *c, const struct p9_file *f)
{
    return c->up && f->session == c->session && !p9_link_is_new(&c->link) ? 0 : -EIO;
}

void p9_client_close(struct p9_client *c, struct p9_file *f)
{
    if (!check(c, f))
        p9_fid_give(c, f->fid, true);
}

/* An answer of data: its count, and so many bytes. */
static int64_t take_data(struct p9_client *c, uint8_t type, void *to, size_t n)
{
    struct p9_cursor in;
    int error = p9_answer(c, type, &in);
    if (error)
        return error;
    uint32_t got = p9_u32(&in);
    const uint8_t *data = p9_bytes(&in, got);
    if (!data || got > n)
        return -EIO;
    p9_copy(to, data, got);
    return got;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Bytes that an answer of data holds. */
static size_t most_read(const struct p9_client *c) { return c->link.area - P9_HEADER - 4; }

static int64_t read_piece(struct p9_client *c, uint8_t type, const struct p9_file *f, uint64_t at, void *to, size_t n)
{
    p9_say_numbers(c, type, "484", (uint64_t)f->fid, at, (uint64_t)n);
    return take_data(c, type, to, n);
}

int64_t p9_client_read(struct p9_client *c, const struct p9_file *f, uint64_t at, void *to, size_t n)
{
    size_t done = 0, piece = 0;
    int64_t got = check(c, f);
    while (got == (int64_t)piece && done < n) { /* a piece that was not whole is the last one */
        piece = smaller(n - done, most_read(c));
        got = read_piece(c, P9_TREAD, f, at + done, (char *)to + done, piece);
        done += got > 0 ? (size_t)got : 0;
    }
    return got < 0 && !done ? got : (int64_t)done;
}

int64_t p9_client_readdir(struct p9_client *c, const struct p9_file *f, uint64_t place, void *to, size_t n)
{
    int error = check(c, f);
    return error ? error : read_piece(c, P9_TREADDIR, f, place, to, smaller(n, most_read(c)));
}

static int64_t write_piece(struct p9_client *c, const struct p9_file *f, uint64_t at, const void *from, size_t n)
{
    struct p9_cursor in, q = p9_question(c);
    p9_put(&q, 4, f->fid);
    p9_put(&q, 8, at);
    p9_put(&q, 4, n);
    uint8_t *data = p9_bytes(&q, n);
    if (data)
        p9_copy(data, from, n);
    p9_say(c, &q, P9_TWRITE);
    int error = p9_answer(c, P9_TWRITE, &in);
    if (error)
        return error;
    uint32_t done = p9_u32(&in);
    return done <= n && !in.bad ? (int64_t)done : -EIO;
}

int64_t p9_client_write(struct p9_client *c, const struct p9_file *f, uint64_t at, const void *from, size_t n)
{
    size_t done = 0, piece;
    int64_t got = check(c, f);
    if (got)
        return got;
    do { /* a piece that was not whole is the last one */
        piece = smaller(n - done, c->link.area - P9_IO_HEADER);
        got = write_piece(c, f, at + done, (const char *)from + done, piece);
        done += got > 0 ? (size_t)got : 0;
    } while (got == (int64_t)piece && done < n);
    return got < 0 && !done ? got : (int64_t)done;
}

static struct timespec get_time(struct p9_cursor *in)
{
    uint64_t seconds = p9_u64(in), ns = p9_u64(in);
    return (struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(ns < 1000000000 ? ns : 0) };
}

int p9_take_attributes(struct p9_client *c, struct stat *s)
{
    struct p9_cursor in;
    int error = p9_answer(c, P9_TGETATTR, &in);
    if (error)
        return error;
    p9_bytes(&in, 8 + 5); /* what is valid; a qid's type and version */
    *s = (struct stat){ .st_dev = 2, .st_ino = (ino_t)p9_u64(&in) };
    s->st_mode = p9_u32(&in);
    p9_bytes(&in, 8);
    s->st_nlink = (nlink_t)p9_u64(&in);
    p9_bytes(&in, 8);
    s->st_size = (off_t)p9_u64(&in);
    s->st_blksize = (blksize_t)p9_u64(&in);
    s->st_blocks = (blkcnt_t)p9_u64(&in);
    s->st_atim = get_time(&in);
    s->st_mtim = get_time(&in);
    s->st_ctim = get_time(&in);
    return in.bad ? -EIO : 0;
}

int p9_client_fstat(struct p9_client *c, const struct p9_file *f, struct stat *s)
{
    int error = check(c, f);
    if (error)
        return error;
    p9_say_numbers(c, P9_TGETATTR, "48", (uint64_t)f->fid, P9_GOT_BASIC);
    return p9_take_attributes(c, s);
}

int p9_client_sync(struct p9_client *c, const struct p9_file *f)
{
    struct p9_cursor in;
    int error = check(c, f);
    if (error)
        return error;
    p9_say_numbers(c, P9_TFSYNC, "44", (uint64_t)f->fid, (uint64_t)0);
    return p9_answer(c, P9_TFSYNC, &in);
}

int p9_client_truncate(struct p9_client *c, const struct p9_file *f, uint64_t size)
{
    struct p9_cursor in;
    int error = check(c, f);
    if (error)
        return error;
    p9_say_numbers(c, P9_TSETATTR, "4444488888", (uint64_t)f->fid, (uint64_t)P9_SET_SIZE, (uint64_t)0, (uint64_t)0,
                   (uint64_t)0, size, (uint64_t)0, (uint64_t)0, (uint64_t)0, (uint64_t)0);
    return p9_answer(c, P9_TSETATTR, &in);
}
