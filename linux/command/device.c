/* SPDX-License-Identifier: MIT */
/*
 * device.c - calls of /dev/amalgam, and the remedy for each refusal. The module gives the reason as text; the remedy
 * depends on the call and on errno.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define MODULE_TRIES 1000 /* 10 ms each */

int device_fd = -1;

static const struct remedy {
    unsigned long call; /* 0: any */
    int error, status;
    const char *next;
} remedies[] = {
    { AMALGAM_LOAD, EOPNOTSUPP, REFUSED,
      "another machine, or its firmware's setup; docs/attach.md lists what is needed" },
    { AMALGAM_LOAD, EPERM, REFUSED, "docs/attach.md: under another hypervisor, and locked-down kernels" },
    { AMALGAM_LOAD, EBUSY, REFUSED, "stop its guests, then: modprobe -r kvm_amd" },
    { AMALGAM_LOAD, EEXIST, FAILED, "amalgam unload, or use what is loaded" },
    { AMALGAM_LOAD, EACCES, FAILED, "run it as root, with CAP_SYS_MODULE" },
    { AMALGAM_LOAD, ENOMEM, FAILED, "ask for less with --heap, or load soon after boot, while memory is in one piece" },
    { AMALGAM_LOAD, ENOSPC, FAILED, "leave out --heap, or ask for that much" },
    { AMALGAM_LOAD, ENOEXEC, FAILED, "take the image that was built with this module" },
    { AMALGAM_LOAD, E2BIG, FAILED, "ask for less with --heap; memory for domains is given later" },
    { AMALGAM_UNLOAD, EBUSY, FAILED, "amalgam detach" },
    { AMALGAM_ATTACH, EBUSY, REFUSED, "stop its guests, then: modprobe -r kvm_amd" },
    { AMALGAM_ATTACH, EAGAIN, FAILED, "attach again when it is awake; if it was attached before, it is by itself" },
    { AMALGAM_ATTACH, EPERM, REFUSED, "docs/attach.md: under another hypervisor, and locked-down kernels" },
    { AMALGAM_DETACH, EBUSY, FAILED, "amalgam domain destroy, or amalgam recover" },
    { AMALGAM_MEM_TAKE, EBUSY, FAILED, "amalgam domain destroy" },
    { AMALGAM_CPU_TAKE, EBUSY, FAILED, "amalgam domain destroy" },
    { AMALGAM_CPU_TAKE, ETIMEDOUT, FAILED, "amalgam domain destroy" },
    { AMALGAM_MEM_CLAIM, EEXIST, FAILED, "amalgam recover" },
    { 0, ENODATA, FAILED, "amalgam load" },
    { 0, ENXIO, FAILED, "amalgam attach" },
    { 0, EACCES, FAILED, "run it as root" },
    { 0, ENOTTY, FAILED, "the module is of another version: reinstall, then modprobe -r amalgam" },
};

static const struct remedy *remedy_of(unsigned long call, int error)
{
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
        if ((!remedies[i].call || remedies[i].call == call) && remedies[i].error == error)
            return &remedies[i];
    return NULL;
}

static const char *name_of(unsigned long call)
{
    static const char *const names[] = { "load",     "unload",       "attach",       "detach",      "status",
                                         "cpu give", "cpu take",     "cpu state",    "memory give", "memory take",
                                         "why",      "memory write", "memory claim", "held" };
    unsigned index = _IOC_NR(call) - _IOC_NR(AMALGAM_LOAD);
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "?";
}

bool device_there(void) { return device_fd >= 0 || !access(AMALGAM_DEVICE, F_OK); }

int device_open(void)
{
    if (device_fd >= 0)
        return DONE;
    device_fd = open(AMALGAM_DEVICE, O_RDWR | O_CLOEXEC);
    if (device_fd >= 0)
        return DONE;
    const char *next = errno == ENOENT   ? "amalgam load (it loads the module, too)"
                       : errno == EACCES ? "run it as root"
                                         : "";
    return fail(next, errno == ENOENT ? "the module is not loaded" : "%s: %s", AMALGAM_DEVICE, strerror(errno));
}

int device_try(unsigned long number, void *args)
{
    int result;
    do
        result = ioctl(device_fd, number, args);
    while (result && errno == EINTR && !interrupted);
    return result ? errno : 0;
}

static int say_refusal(unsigned long number, int error)
{
    struct amalgam_why why = { "" };
    const struct remedy *r = remedy_of(number, error);
    if (ioctl(device_fd, AMALGAM_WHY, &why) || !why.text[0])
        fail(r ? r->next : "", "%s: %s", name_of(number), strerror(error));
    else
        fail(r ? r->next : "", "%s: %s", name_of(number), why.text);
    return r ? r->status : FAILED;
}

int device_call(unsigned long number, void *args)
{
    int error = device_try(number, args);
    return error ? say_refusal(number, error) : DONE;
}

int device_make(unsigned long number, void *args, bool *already)
{
    struct amalgam_why why = { "" };
    int error = device_try(number, args);
    *already = error == EALREADY || (number == AMALGAM_UNLOAD && error == ENODATA);
    if (!*already)
        return error ? say_refusal(number, error) : DONE;
    ioctl(device_fd, AMALGAM_WHY, &why);
    return say_already(why.text);
}

/* A lock of the open file (F_OFD_SETLK); the lock in control.c is a flock(), which does not conflict with it. It ends
 * with the process, even if that is killed, but not before a call of the device that is running has returned. */
int device_lock(void)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
    int status = device_open();
    if (status || !fcntl(device_fd, F_OFD_SETLK, &lock))
        return status;
    if (errno == EAGAIN || errno == EACCES)
        say_waiting("gives or takes back");
    while (fcntl(device_fd, F_OFD_SETLKW, &lock))
        if (errno != EINTR || interrupted)
            return fail("", "waiting for another amalgam: %s", strerror(errno));
    return DONE;
}

/* Execute the modprobe that Linux itself uses, else the one where distributions install it: a service, or the prolog of
 * a batch system, may have no PATH. */
static void exec_modprobe(bool nested)
{
    static const char *const places[] = { "/usr/sbin/modprobe", "/sbin/modprobe", "/usr/bin/modprobe",
                                          "/bin/modprobe" };
    char *words[] = { "modprobe", "amalgam", nested ? "nested=1" : NULL, NULL };
    char path[256];
    const char *search = getenv("PATH"); /* for programs that modprobe executes */
    if (!search || !*search)
        setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
    if (!sysfs_read("/proc/sys/kernel/modprobe", path, sizeof(path)) && path[0] == '/')
        execv(path, words);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        execv(places[i], words);
    execvp("modprobe", words);
}

static int run_modprobe(bool nested)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        exec_modprobe(nested);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Wait until a module that is being loaded has its device: if a `load` is killed, its modprobe goes on. */
static int await_device(void)
{
    char state[16];
    for (unsigned i = 0; i < MODULE_TRIES && !interrupted; i++) {
        if (device_there() || sysfs_read("/sys/module/amalgam/initstate", state, sizeof(state)))
            return DONE;
        usleep(10000);
    }
    return fail("modprobe -r amalgam, then amalgam load",
                "the module is loaded, but " AMALGAM_DEVICE " has not appeared");
}

int module_load(const char *path, bool nested)
{
    if (!access("/sys/module/amalgam", F_OK)) {
        int status = await_device();
        if (status || device_there())
            return status; /* otherwise the module was just being unloaded */
    }
    if (!path) {
        int status = run_modprobe(nested);
        return status ? fail("install the module (make -C linux install; dkms), or name it: amalgam load --module FILE",
                             "modprobe amalgam ended with status %d", status)
                      : DONE;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int error = file < 0 || syscall(SYS_finit_module, file, nested ? "nested=1" : "", 0) ? errno : 0;
    if (file >= 0)
        close(file);
    if (error == EEXIST) /* another process has loaded it */
        return await_device();
    return error ? fail(error == ENOEXEC || error == EINVAL ? "build it against this kernel's headers (DKMS does)" : "",
                        "%s: %s", path, strerror(error))
                 : DONE;
}
