/* SPDX-License-Identifier: MIT */
/*
 * The check never reads outside the image, and what it accepts can be used without
 * looking: every accessor of an accepted image stays inside it.
 *
 * The input is a list of patches (16-bit offset, byte) to a valid table, whose checksum
 * is then made right, as otherwise nothing behind it would ever be reached; or, when
 * its first byte is 0, a whole image as a loader might leave it.
 */
#include <stdlib.h>

#include "sample_system.h"

static void use(const struct sys_header *h, u64 size)
{
    static volatile u64 sink;
    const u8 *start = (const u8 *)h, *end = start + size;
    for (unsigned i = 0; i < h->n_domains; i++) {
        const struct sys_domain *d = sys_domain(h, i);
        const u16 payloads[] = { sys_vm(d)->kernel, sys_vm(d)->initrd, sys_vm(d)->acpi };
        for (unsigned j = 0; j < 3; j++) {
            u64 n;
            const u8 *p = sys_payload(h, payloads[j], &n);
            if (p && (p < start || n > (u64)(end - p)))
                abort();
        }
        sink += strlen(d->name) + strlen(sys_string(h, d->cmdline));
        for (unsigned v = 0; v < d->n_vcpus; v++)
            if (d->core[v] >= h->n_cores)
                abort();
    }
    for (unsigned i = 0; i < h->n_frames; i++) {
        const struct sys_frame *f = sys_frame(h, i);
        for (unsigned j = 0; j < f->n_windows; j++)
            if (sys_window(h, f->first_window + j)->start_us > f->length_us)
                abort();
    }
    for (unsigned i = 0; i < h->n_channels; i++)
        sink += sys_channel(h, i)->domain_a;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static struct sample s;
    if (!size)
        return 0;
    if (data[0]) {
        sample_make(&s);
        for (size_t i = 1; i + 3 <= size; i += 3)
            ((u8 *)&s)[(data[i] | data[i + 1] << 8) % offsetof(struct sample, data)] = data[i + 2];
        sample_sign(&s);
        if (!system_table_check(&s, sizeof(s), NULL))
            use(&s.h, sizeof(s));
        return 0;
    }
    size--;
    u8 *image = malloc(size); /* exactly: a byte beyond is noticed */
    memcpy(image, data + 1, size);
    if (!system_table_check(image, size, NULL))
        use((const struct sys_header *)image, size);
    free(image);
    return 0;
}
