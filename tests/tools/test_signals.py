# SPDX-License-Identifier: MIT
"""Signals of processes on this machine's Linux (process_runner.c): the kernel's (amalgam/signal.h), and POSIX' on them (signal.h, ucontext.h)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam.paths import ROOT

Done = subprocess.CompletedProcess
Run = Callable[..., Done]

STORM = r"""
#include <signal.h>
static volatile int stop, handled, depth, deepest;
static pthread_t target;
static void handle(int signal)
{
    (void)signal;
    if (++depth > deepest)
        deepest = depth;
    handled++;
    depth--;
}
static void *send(void *signal)
{
    while (!stop)
        pthread_kill(target, (int)(long)signal);
    return NULL;
}
static double turn(double x)
{
    for (int i = 0; i < 1000; i++)
        x = x * 1.5 > 1e9 ? x * 1e-9 : x * 1.5;
    return x;
}
static void *work(void *unused)
{
    double x = 1, y = 1;
    while (handled < ENOUGH)
        MUST((x = turn(x)) == (y = turn(y)));
    return unused;
}
int main(void)
{
    pthread_t senders[2];
    sigset_t both;
    signal(SIGUSR1, handle);
    signal(SIGUSR2, handle);
    pthread_create(&target, NULL, work, NULL);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&senders[i], NULL, send, (void *)(long)(i ? SIGUSR2 : SIGUSR1));
    pthread_join(target, NULL);
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(senders[i], NULL);
    MUST(deepest <= 2);
    printf("%d\n", handled);
    return wrong;
}
"""

# A thread begins after the signal was sent to it, and one is sent to a thread that has ended; the successor of an ended one, which has its
# number, gets nothing of it.
SUCCESSOR = r"""
#include <signal.h>
static volatile int handled, go;
static void handle(int signal) { (void)signal; handled++; }
static void *ends(void *unused) { return unused; }
static void *looks(void *unused) { while (!go) pause_ms(1); return unused; }
int main(void)
{
    pthread_t first, second;
    sigset_t set;
    signal(SIGUSR1, handle);
    pthread_create(&first, NULL, ends, NULL);
    pause_ms(50);
    pthread_create(&second, NULL, looks, NULL);
    MUST(pthread_kill(first, SIGUSR1) == ESRCH && pthread_kill(first, 0) == ESRCH);
    pause_ms(20);
    MUST(handled == 0 && pthread_kill(second, SIGUSR1) == 0);
    while (!handled)
        pause_ms(1);
    go = 1;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 200; i++) {
        pthread_create(&first, NULL, ends, NULL);
        pthread_kill(first, SIGUSR1); /* before it begins, or after its end */
        pthread_join(first, NULL);
    }
    sigpending(&set);
    MUST(set == 0 && handled == 1);
    return wrong;
}
"""


def program(folder: Path, name: str) -> Path:
    command = [ROOT / "amalgam", "cc", "-O2", ROOT / f"tests/programs/{name}.c", "-o", folder / name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / name


@pytest.mark.parametrize("name", ["signals", "masks"])
def test_signals_do_what_they_promise(process: Run, tmp_path: Path, name: str) -> None:
    done = process(program(tmp_path, name), name, threads=3)
    assert (done.returncode, done.stdout) == (0, f"{name}: right\n"), done


def test_contexts_keep_registers_floats_and_masks(process: Run, tmp_path: Path) -> None:
    done = process(program(tmp_path, "contexts"), "contexts", threads=2)
    assert (done.returncode, done.stdout) == (0, "contexts: right\n"), done


def test_a_signal_that_nobody_handles_ends_the_process_and_its_line_is_whole(process: Run, tmp_path: Path) -> None:
    done = process(program(tmp_path, "masks"), "masks", "default")
    assert (done.returncode, done.stdout) == (-4, "masks: a signal that nobody handles"), done


def test_a_storm_of_signals_fills_no_stack_and_changes_no_register(run: Run) -> None:
    done = run(STORM.replace("ENOUGH", "2000"), threads=4, memory=1024)
    assert done.returncode == 0 and int(done.stdout) >= 2000, done


def test_a_signal_to_an_ended_thread_reaches_nobody_else(run: Run) -> None:
    assert run(SUCCESSOR, threads=3, memory=1024).returncode == 0


FILES = r"""
#include <signal.h>
#include <sched.h>
#include <sys/stat.h>
static volatile int taken, failed;
static pthread_t target;
static void change(int signal)
{
    char text[8] = "";
    int file = open("/handlers", O_RDWR | O_CREAT | O_APPEND, 0600);
    failed |= signal != SIGUSR1 || write(file, "h", 1) != 1 || pread(file, text, 1, 0) != 1 || *text != 'h' || close(file);
    taken++;
}
static void *send(void *unused)
{
    while (taken < 300) {
        pthread_kill(target, SIGUSR1);
        sched_yield();
    }
    return unused;
}
int main(void)
{
    struct stat s;
    pthread_t sender;
    target = pthread_self();
    MUST(signal(SIGUSR1, change) != SIG_ERR && pthread_create(&sender, NULL, send, NULL) == 0);
    while (taken < 300 && !failed) {
        int file = open("/mine", O_RDWR | O_CREAT | O_TRUNC, 0600);
        MUST(write(file, "mine", 4) == 4 && close(file) == 0 && rename("/mine", "/other") == 0 && unlink("/other") == 0);
    }
    MUST(pthread_join(sender, NULL) == 0 && !failed && stat("/handlers", &s) == 0 && s.st_size == taken);
    return wrong;
}
"""


def test_a_handler_opens_and_changes_files_while_its_thread_does(run: Run) -> None:
    """It waits for a call of the thread that has the lock of files: without that it would wait for itself."""
    done = run(FILES, memory=512)
    assert (done.returncode, done.stdout) == (0, ""), done
