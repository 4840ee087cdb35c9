# SPDX-License-Identifier: MIT
"""Streams of processes as ISO C and POSIX say it: programs that `cc` makes, on this machine's Linux (process_runner.c)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Done = subprocess.CompletedProcess
LINES = 4000  # of /data


SHARED = """
static FILE *f;
static unsigned torn, total, here;
static int whole(const char *l)
{
    size_t n = strlen(l);
    for (size_t i = 1; i < 40; i++)
        if (l[i] != l[0])
            return 0;
    return n == 41 && l[40] == '\\n';
}
static void *reader(void *how)
{
    char l[200] = { 0 };
    __atomic_add_fetch(&here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&here, __ATOMIC_SEQ_CST) < 2)
        ;
    while (how ? fread(l, 41, 1, f) == 1 : fgets(l, sizeof l, f) != NULL) {
        __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
        if (!whole(l))
            __atomic_add_fetch(&torn, 1, __ATOMIC_RELAXED);
    }
    return how;
}
int main(void)
{
    pthread_t t;
    f = fopen("/data", "r");
    for (char *how = NULL; how < (char *)2; how++) {
        here = torn = total = 0;
        rewind(f);
        pthread_create(&t, NULL, reader, how);
        reader(how);
        pthread_join(t, NULL);
        printf("%s: %u of %u torn\\n", how ? "fread" : "fgets", torn, total);
    }
}
"""


def test_calls_of_two_threads_on_one_stream_are_whole(run: Callable[..., Done]) -> None:
    done = run(SHARED)
    assert done.stdout == f"fgets: 0 of {LINES} torn\nfread: 0 of {LINES} torn\n"


HELD = """
static FILE *f;
static int got = -1;
static void *reader(void *unused)
{
    MUST(ftrylockfile(f) != 0);
    __atomic_store_n(&got, fgetc(f), __ATOMIC_SEQ_CST);
    return unused;
}
static void *printer(void *unused)
{
    printf("other\\n");
    return unused;
}
int main(void)
{
    pthread_t t;
    f = fopen("/short", "r");
    flockfile(f);
    MUST(ftrylockfile(f) == 0);
    pthread_create(&t, NULL, reader, NULL);
    pause_ms(30);
    MUST(getc_unlocked(f) == '0' && fgetc(f) == '1');
    funlockfile(f);
    pause_ms(30);
    MUST(__atomic_load_n(&got, __ATOMIC_SEQ_CST) == -1 && getc_unlocked(f) == '2');
    funlockfile(f);
    pthread_join(t, NULL);
    MUST(got == '3');
    flockfile(stdout);
    pthread_create(&t, NULL, printer, NULL);
    printf("first\\n");
    pause_ms(30);
    putchar_unlocked('2');
    puts(" lines");
    funlockfile(stdout);
    pthread_join(t, NULL);
    return wrong;
}
"""


def test_a_thread_holds_a_stream_by_flockfile(run: Callable[..., Done]) -> None:
    done = run(HELD)
    assert (done.returncode, done.stdout) == (0, "first\n2 lines\nother\n")


FLUSHED = """
int main(void)
{
    FILE *f = fdopen(dup(1), "w"), *g = fdopen(dup(1), "w");
    MUST(setvbuf(f, NULL, _IOFBF, 100) == 0);
    fputs("first\\n", f);
    printf("second ");
    MUST(fflush(NULL) == 0);
    printf(" third\\n");
    fputs("fourth\\n", f);
    fclose(f);
    fputs("fifth", g);
    return wrong;
}
"""


def test_fflush_of_all_and_exit_write_what_streams_have(run: Callable[..., Done]) -> None:
    done = run(FLUSHED)
    assert (done.returncode, sorted(done.stdout.split())) == (0, ["fifth", "first", "fourth", "second", "third"]), done


UNFINISHED = """
static void *worker(void *unused)
{
    printf("the worker's result is 42");
    pause_ms(60000);
    return unused;
}
static void last(void) { printf("at exit, "); }
int main(void)
{
    pthread_t t;
    atexit(last);
    pthread_create(&t, NULL, worker, NULL);
    pause_ms(30);
    printf("main ends, ");
    return 0;
}
"""


def test_exit_writes_the_unfinished_lines_of_all_threads(run: Callable[..., Done]) -> None:
    assert run(UNFINISHED).stdout in ("main ends, at exit, the worker's result is 42", "the worker's result is 42main ends, at exit, ")


ERRORS = """
static void *reader(void *f)
{
    MUST(fputc('x', f) == 'x');
    return NULL;
}
int main(void)
{
    char to[4];
    pthread_t t;
    FILE *f = fopen("/folder", "r");
    errno = 0;
    MUST(f && fgetc(f) == EOF && errno == EISDIR && ferror(f) && !feof(f));
    clearerr(f);
    MUST(fread(to, 1, 1, f) == 0 && ferror(f) && !feof(f));
    MUST(!ferror((clearerr(f), f)) && !fgets(to, sizeof to, f) && ferror(f));
    MUST(fclose(f) == 0);
    f = fopen("/short", "r");
    MUST(f && fputc('x', f) == EOF && errno == EBADF && ferror(f));
    MUST(fread(to, 1, 0, f) == 0 && fread(to, 0, 1, f) == 0);
    fseek(f, 0, SEEK_END);
    MUST(fgetc(f) == EOF && feof(f));
    MUST(fclose(f) == 0);
    MUST(!fdopen(open("/short", O_RDONLY), "w") && errno == EINVAL);
    int number = open("/short", O_WRONLY);
    f = fdopen(number, "w");
    MUST(dup2(open("/short", O_RDONLY), number) == number); /* its writes fail from now on */
    MUST(f && fputc('x', f) == 'x' && fseek(f, 0, SEEK_SET) == -1 && errno == EBADF && ferror(f));
    pthread_create(&t, NULL, reader, f);
    pthread_join(t, NULL);
    MUST(fclose(f) == EOF);
    return wrong;
}
"""


def test_a_failed_call_is_an_error_and_frees_the_stream(run: Callable[..., Done]) -> None:
    done = run(ERRORS)
    assert (done.returncode, done.stdout) == (0, "")


POSITIONS = r"""
int main(void)
{
    char *line = NULL, text[50];
    size_t size = 0;
    long at = -1;
    int fields[2] = { 0 };
    FILE *f = fopen("/data", "r");
    MUST(getline(&line, &size, f) == 41 && line[40] == '\n' && line[41] == 0 && size > 41 && ftell(f) == 41);
    MUST(fgetc(f) == 'b' && ftell(f) == 42 && ungetc('b', f) == 'b' && ftell(f) == 41);
    MUST(ungetc('x', f) == 'x' && ftell(f) == 40 && ungetc('y', f) == EOF && fgetc(f) == 'x' && ftell(f) == 41);
    MUST(fseek(f, 0, SEEK_CUR) == 0 && ftell(f) == 41 && fgetc(f) == 'b');
    MUST(ungetc('x', f) == 'x' && fgetc(f) == 'x' && fgetc(f) == 'b' && ftell(f) == 43);
    MUST(fseek(f, -2, SEEK_CUR) == 0 && ftell(f) == 41);
    MUST(lseek(fileno(f), 0, SEEK_CUR) == 41 && fgetc(f) == 'b' && fflush(f) == 0 && lseek(fileno(f), 0, SEEK_CUR) == 42);
    fseek(f, 0, SEEK_END);
    MUST((at = ftell(f)) == 41 * 4000 && fgetc(f) == EOF && feof(f) && getline(&line, &size, f) == -1);
    MUST(ungetc('z', f) == 'z' && !feof(f) && ftell(f) == at - 1 && fgetc(f) == 'z' && fgetc(f) == EOF);
    MUST(fseek(f, -1, SEEK_SET) == -1 && errno == EINVAL && ftell(f) == at);
    rewind(f);
    MUST(setvbuf(f, NULL, _IONBF, 0) == 0 && fgetc(f) == 'a' && lseek(fileno(f), 0, SEEK_CUR) == 1);
    fpos_t here;
    MUST(fgetpos(f, &here) == 0 && fseek(f, 500, SEEK_SET) == 0 && fsetpos(f, &here) == 0 && ftell(f) == 1);
    MUST(getdelim(&line, &size, 'b', f) == 41 && !strcmp(line + 38, "a\nb"));
    MUST(getdelim(NULL, &size, 'b', f) == -1 && errno == EINVAL);
    MUST(freopen("/short", "r", f) == f && fgets(text, sizeof text, f) == text && !strcmp(text, "0123456789\n"));
    rewind(f);
    MUST(fscanf(f, "%4d%2d", &fields[0], &fields[1]) == 2 && fields[0] == 123 && fields[1] == 45 && ftell(f) == 6);
    MUST(!freopen("/none", "r", f) && errno == ENOENT);
    MUST(fileno(stdin) == 0 && fileno(stdout) == 1 && fileno(stderr) == 2);
    MUST(fseek(stdout, 0, SEEK_SET) == -1 && errno == ESPIPE && getchar() == EOF && feof(stdin));
    MUST(freopen("/short", "r", stdin) == stdin && scanf("%d", &fields[0]) == 1 && fields[0] == 123456789 && getchar() == '\n');
    MUST(!fopen("/short", "") && errno == EINVAL && !fopen("/none", "r") && errno == ENOENT && !fopen("/folder", "w") && errno == EISDIR);
    free(line);
    MUST(dprintf(1, "%s %d\n", "dprintf", 5) == 10 && dprintf(9, "x") < 0 && errno == EBADF);
    errno = ENOENT;
    perror("why");
    return wrong;
}
"""


def test_positions_lines_and_pushed_back_characters(run: Callable[..., Done]) -> None:
    done = run(POSITIONS)
    assert (done.returncode, done.stdout) == (0, "dprintf 5\nwhy: No such file or directory\n")


MESSAGES = """
#include <err.h>
int main(int argc, char **argv)
{
    errno = ENOENT;
    warn("%d", argc);
    warnx("%s", argv[1]);
    errno = EIO;
    err(3, NULL);
}
"""


def test_messages_have_the_programs_name(process: Callable[..., Done], run: Callable[..., Done], tmp_path: Path) -> None:
    run(MESSAGES)
    done = process(tmp_path / "program", "name", "text")
    assert (done.returncode, done.stdout) == (3, "name: 2: No such file or directory\nname: text\nname: I/O error\n")


MEMORY = r"""
int main(void)
{
    char bytes[8] = "abc", c, *text;
    size_t size;
    FILE *f = fmemopen(bytes, sizeof bytes, "r+");
    MUST(f && fgetc(f) == 'a' && fseek(f, 0, SEEK_END) == 0 && ftell(f) == 8 && fgetc(f) == EOF && feof(f));
    rewind(f);
    MUST(fputs("xy", f) == 0 && fflush(f) == 0 && !strcmp(bytes, "xyc") && fgetc(f) == 'c');
    MUST(fileno(f) == -1 && fclose(f) == 0);
    f = fmemopen(bytes, sizeof bytes, "w");
    MUST(bytes[0] == 0 && fputs("12345678", f) == 0 && fflush(f) == 0 && !memcmp(bytes, "12345678", 8));
    MUST(fputc('9', f) == '9' && fflush(f) == EOF && errno == ENOSPC && fclose(f) == 0);
    f = fmemopen(NULL, 20, "w+");
    MUST(fprintf(f, "%d", 4711) == 4 && fseek(f, 1, SEEK_SET) == 0 && fscanf(f, "%c", &c) == 1 && c == '7' && fclose(f) == 0);
    strcpy(bytes, "ab");
    f = fmemopen(bytes, sizeof bytes, "a");
    MUST(ftell(f) == 2 && fputs("cd", f) == 0 && fclose(f) == 0 && !strcmp(bytes, "abcd"));
    f = open_memstream(&text, &size);
    MUST(f && fflush(f) == 0 && size == 0 && text && *text == 0);
    for (int i = 0; i < 500; i++)
        MUST(fprintf(f, "%03d ", i) == 4);
    MUST(fflush(f) == 0 && size == 2000 && strlen(text) == 2000 && !strcmp(text + 1996, "499 "));
    MUST(fseek(f, 4, SEEK_SET) == 0 && fputs("abc", f) == 0 && fflush(f) == 0 && size == 7 && !strncmp(text, "000 abc 002", 11));
    MUST(fseek(f, 2004, SEEK_SET) == 0 && fputc('x', f) == 'x' && fclose(f) == 0 && size == 2005 && !text[2002] && text[2004] == 'x');
    free(text);
    return wrong;
}
"""


def test_streams_on_memory(run: Callable[..., Done]) -> None:
    done = run(MEMORY)
    assert (done.returncode, done.stdout) == (0, "")
