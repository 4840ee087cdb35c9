/* SPDX-License-Identifier: MIT */
/*
 * kexec-now.c - kexec-now KERNEL CMDLINE [crash]: loads this kernel without an initrd and starts it at once; with
 * `crash` it is only loaded, and starts when the running kernel crashes.
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned long flags = KEXEC_FILE_NO_INITRAMFS | (argc > 3 ? KEXEC_FILE_ON_CRASH : 0);
    int kernel = argc > 2 ? open(argv[1], O_RDONLY) : -1;
    if (kernel < 0 || syscall(SYS_kexec_file_load, kernel, -1, strlen(argv[2]) + 1, argv[2], flags)) {
        perror("kexec-now");
        return 1;
    }
    if (argc > 3)
        return 0;
    syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
    perror("kexec-now");
    return 1;
}
