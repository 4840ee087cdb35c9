# SPDX-License-Identifier: MIT
"""Kinds of files of a process that are not in its archive: devices, pipes, and what stdin, stdout and stderr become; on this machine's
Linux (process_runner.c)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Done = subprocess.CompletedProcess
HEADERS = "".join(f"#include <{name}.h>\n" for name in ("limits", "poll", "signal", "sys/select", "sys/stat", "sys/time"))

DEVICES = r"""
int main(void)
{
    char text[100] = "", more[64];
    struct stat s;
    int file = open("/dev/null", O_RDWR | O_TRUNC);
    MUST(file == 3 && write(file, "gone", 4) == 4 && read(file, text, 9) == 0 && !isatty(file) && errno == ENOTTY);
    MUST(fstat(file, &s) == 0 && S_ISCHR(s.st_mode) && s.st_rdev == 0x103 && stat("/dev/null/x", &s) == -1 && errno == ENOTDIR);
    MUST(lseek(file, 7, SEEK_SET) == 7 && ftruncate(file, 0) == -1 && errno == EINVAL && close(file) == 0);
    memset(text, 'x', sizeof text);
    MUST(open("/dev/zero", O_RDWR) == 3 && read(3, text, 50) == 50 && !text[0] && !text[49] && text[50] == 'x' && close(3) == 0);
    MUST(open("/dev/full", O_RDWR) == 3 && write(3, "x", 1) == -1 && errno == ENOSPC && write(3, "", 0) == 0 && close(3) == 0);
    FILE *f = fopen("/dev/full", "w");
    MUST(f && fputs("x", f) >= 0 && fclose(f) == EOF && errno == ENOSPC);
    MUST(open("/dev/tty", O_WRONLY) == 3 && isatty(3) && write(3, "by tty\n", 7) == 7 && close(3) == 0);
    MUST(unlink("/dev/null") == 0 && open("/dev/null", O_RDONLY) == -1 && errno == ENOENT);
    MUST((file = open("/dev/urandom", O_RDONLY)) == 3);
    if (read(file, text, 40) == 40)
        MUST(read(file, more, 40) == 40 && memcmp(text, more, 40));
    else
        MUST(errno == ENOSYS);
    return wrong;
}
"""

PIPES = r"""
static int ends[2];
static void *write_all(void *bytes)
{
    MUST(write(ends[1], bytes, 20000) == 20000 && close(ends[1]) == 0);
    return NULL;
}
static void *write_late(void *unused) { pause_ms(50); MUST(write(ends[1], "late", 4) == 4); return unused; }
static volatile int came;
static void count(int signal) { came = signal; }
int main(void)
{
    static char bytes[20000], got[20000];
    pthread_t t;
    struct stat s;
    size_t n = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 300);
    MUST(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4 && fstat(3, &s) == 0 && S_ISFIFO(s.st_mode));
    MUST(lseek(3, 0, SEEK_SET) == -1 && errno == ESPIPE && read(4, got, 1) == -1 && errno == EBADF);
    pthread_create(&t, NULL, write_all, bytes);
    for (ssize_t piece; (piece = read(3, got + n, 777)) > 0;)
        n += (size_t)piece;
    pthread_join(t, NULL);
    MUST(n == sizeof bytes && !memcmp(bytes, got, n) && read(3, got, 1) == 0 && close(3) == 0);

    MUST(pipe2(ends, O_NONBLOCK) == 0 && read(ends[0], got, 1) == -1 && errno == EAGAIN);
    for (n = 0; write(ends[1], bytes, PIPE_BUF) == PIPE_BUF; n++)
        ;
    MUST(errno == EAGAIN && n > 1 && n < 1000 && fcntl(ends[0], F_SETFL, 0) == 0);
    struct pollfd p[3] = { { .fd = ends[0], .events = POLLIN }, { .fd = ends[1], .events = POLLOUT }, { .fd = -1 } };
    MUST(poll(p, 3, 0) == 1 && p[0].revents == POLLIN && p[1].revents == 0);
    while (n--)
        MUST(read(ends[0], got, PIPE_BUF) == PIPE_BUF);
    p[2].fd = 60;
    MUST(poll(p, 3, -1) == 2 && p[0].revents == 0 && p[1].revents == POLLOUT && p[2].revents == POLLNVAL);
    pthread_create(&t, NULL, write_late, NULL);
    MUST(poll(p, 1, 5000) == 1 && p[0].revents == POLLIN && read(ends[0], got, 9) == 4);
    pthread_join(t, NULL);
    MUST(poll(p, 1, 20) == 0);

    fd_set in, out;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(ends[0], &in);
    FD_SET(ends[1], &out);
    struct timeval zero = { 0, 0 };
    MUST(select(ends[1] + 1, &in, &out, NULL, &zero) == 1 && !FD_ISSET(ends[0], &in) && FD_ISSET(ends[1], &out));
    FD_SET(50, &in);
    MUST(select(51, &in, NULL, NULL, &zero) == -1 && errno == EBADF && select(-1, NULL, NULL, NULL, NULL) == -1 && errno == EINVAL);
    MUST(select(0, NULL, NULL, NULL, &(struct timeval){ 0, 20000 }) == 0);

    signal(SIGALRM, count);
    alarm(1);
    MUST(read(ends[0], got, 1) == -1 && errno == EINTR && came == SIGALRM);
    signal(SIGPIPE, count);
    MUST(close(ends[0]) == 0 && write(ends[1], "x", 1) == -1 && errno == EPIPE && came == SIGPIPE);
    p[1].events = POLLOUT;
    MUST(poll(p + 1, 1, 0) == 1 && p[1].revents & POLLERR && close(ends[1]) == 0);
    MUST(pipe(ends) == 0 && close(ends[1]) == 0 && poll((struct pollfd[]){ { .fd = ends[0] } }, 1, 0) == 1 && close(ends[0]) == 0);
    while (open("/data", O_RDONLY) < 62)
        ;
    MUST(pipe(ends) == -1 && errno == EMFILE && dup(0) == 63);
    return wrong;
}
"""

MOVED = r"""
static void *mutter(void *text) { printf("%s", (char *)text); fflush(stdout); return NULL; }
int main(void)
{
    char text[200] = "";
    pthread_t t;
    int saved = dup(1), file = open("/out", O_CREAT | O_RDWR | O_APPEND, 0600);
    printf("before\n");
    MUST(dup2(file, 1) == 1);
    printf("one\n"), puts("two"), putchar('3');
    MUST(fflush(stdout) == 0 && write(1, "4", 1) == 1);
    pthread_create(&t, NULL, mutter, "five\n");
    pthread_join(t, NULL);
    perror("on the console");
    MUST(dup2(saved, 1) == 1);
    printf("behind\n");
    MUST(pread(file, text, sizeof text, 0) == 15 && !strcmp(text, "one\ntwo\n34five\n"));
    MUST(freopen("/other", "w+", stdout) == stdout && fileno(stdout) == 1 && printf("a") == 1 && fflush(stdout) == 0 && write(1, "b", 1) == 1);
    MUST(lseek(1, 0, SEEK_SET) == 0 && read(1, text, 9) == 2 && !memcmp(text, "ab", 2) && dup2(saved, 1) == 1);
    MUST(close(0) == 0 && fread(text, 1, 1, stdin) == 0 && ferror(stdin) && !feof(stdin) && errno == EBADF);
    MUST(open("/data", O_RDONLY) == 0);
    clearerr(stdin);
    MUST(fgets(text, sizeof text, stdin) && !memcmp(text, "aaaa", 4) && lseek(0, 0, SEEK_CUR) > 0);
    MUST(fclose(stdin) == 0 && fcntl(0, F_GETFL) == -1 && errno == EBADF);
    MUST(dup2(file, 2) == 2 && fputs("to a file\n", stderr) >= 0 && pread(file, text, sizeof text, 15) == 10 && !memcmp(text, "to a file\n", 10));
    return printf("end") + wrong - 3;
}
"""

STREAMS = r"""
int main(void)
{
    int n = 0;
    MUST(!fdopen(-1, "r") && errno == EBADF && !fdopen(40, "w") && errno == EBADF);
    FILE *f = fopen("/text", "w+");
    MUST(f && fputs("abc hello", f) >= 0 && fseek(f, 0, SEEK_SET) == 0);
    MUST(fscanf(f, "%d", &n) == 0 && ungetc('x', f) == 'x' && ungetc('y', f) == EOF);
    MUST(fgetc(f) == 'x' && fgetc(f) == 'a' && ungetc('a', f) == 'a' && ungetc('z', f) == 'z' && fgetc(f) == 'z' && fgetc(f) == 'a');
    MUST(ftell(f) == 1 && fclose(f) == 0);
    int file = open("/text", O_WRONLY);
    MUST(!fdopen(file, "r") && errno == EINVAL && (f = fdopen(file, "a")) && fputs("XY", f) >= 0 && ftell(f) == 11 && fclose(f) == 0);
    return wrong;
}
"""


def test_devices_are_what_linux_has_of_them(run: Callable[..., Done]) -> None:
    done = run(HEADERS + "#line 1" + DEVICES)
    assert (done.returncode, done.stdout) == (0, "by tty\n"), done


def test_pipes_keep_order_end_and_tell_poll(run: Callable[..., Done]) -> None:
    done = run(HEADERS + "#line 1" + PIPES, "-D_GNU_SOURCE", memory=512)  # pipe2()
    assert (done.returncode, done.stdout) == (0, ""), done


def test_standard_streams_follow_their_numbers(run: Callable[..., Done]) -> None:
    done = run(HEADERS + "#line 1" + MOVED)
    assert (done.returncode, done.stdout) == (0, "before\non the console: Success\nbehind\nend"), done


def test_a_character_that_was_read_goes_back_where_it_was(run: Callable[..., Done]) -> None:
    done = run(HEADERS + "#line 1" + STREAMS)
    assert (done.returncode, done.stdout) == (0, ""), done
