/* SPDX-License-Identifier: MIT */
/*
 * kvm-holder.c - kvm-holder SECONDS: holds an empty virtual machine of KVM for that time, which keeps AMD-V enabled.
 * When it holds it, it writes its process id to /tmp/kvm-held.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0);
    if (vm < 0) {
        perror("kvm-holder");
        return 1;
    }
    FILE *file = fopen("/tmp/kvm-held", "w");
    if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file))
        return 1;
    sleep(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0);
    return 0;
}
