/* SPDX-License-Identifier: MIT */
/*
 * device.c - /dev/amalgam: its calls, and what to do about each refusal. The module says in words what stood in the
 * way; what helps depends on the call and on the kind of error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

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
    { AMALGAM_LOAD, ENOMEM, FAILED, "ask for less with --heap, or load soon after boot, while memory is in one piece" },
    { AMALGAM_LOAD, ENOEXEC, FAILED, "take the image that was built with this module" },
    { AMALGAM_LOAD, E2BIG, FAILED, "ask for less with --heap; memory for domains is given later" },
    { AMALGAM_UNLOAD, EBUSY, FAILED, "amalgam detach" },
    { AMALGAM_ATTACH, EBUSY, REFUSED, "stop its guests, then: modprobe -r kvm_amd" },
    { AMALGAM_ATTACH, EPERM, REFUSED, "docs/attach.md: under another hypervisor, and locked-down kernels" },
    { AMALGAM_ATTACH, EALREADY, FAILED, "amalgam status" },
    { AMALGAM_DETACH, EALREADY, FAILED, "amalgam status" },
    { AMALGAM_DETACH, EBUSY, FAILED, "amalgam domain destroy" },
    { AMALGAM_MEM_TAKE, EBUSY, FAILED, "amalgam domain destroy" },
    { AMALGAM_CPU_TAKE, ETIMEDOUT, FAILED, "amalgam domain destroy" },
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
    static const char *const names[] = { "load",     "unload",   "attach",    "detach",      "status",
                                         "cpu give", "cpu take", "cpu state", "memory give", "memory take" };
    unsigned index = _IOC_NR(call) - _IOC_NR(AMALGAM_LOAD);
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "?";
}

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

int device_call(unsigned long number, void *args)
{
    struct amalgam_why why = { "" };
    int error = device_try(number, args);
    if (!error)
        return DONE;
    const struct remedy *r = remedy_of(number, error);
    if (ioctl(device_fd, AMALGAM_WHY, &why) || !why.text[0])
        fail(r ? r->next : "", "%s: %s", name_of(number), strerror(error));
    else
        fail(r ? r->next : "", "%s: %s", name_of(number), why.text);
    return r ? r->status : FAILED;
}

static int run_modprobe(bool nested)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        execlp("modprobe", "modprobe", "amalgam", nested ? "nested=1" : NULL, NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int module_load(const char *path, bool nested)
{
    if (!access("/sys/module/amalgam", F_OK))
        return DONE;
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
    return error ? fail(error == ENOEXEC || error == EINVAL ? "build it against this kernel's headers (DKMS does)" : "",
                        "%s: %s", path, strerror(error))
                 : DONE;
}
