// SPDX-License-Identifier: MIT
/*
 * amalgam_tunnel - a tunnel of Amalgam as a UIO device of Linux.
 *
 * The guest's ACPI tables describe each tunnel as device AMLG0001 with a memory range and an interrupt. A program uses
 * it by /dev/uioN: mmap() maps the memory, read() waits until the peer rings, a write of 4 bytes rings the peer. So no
 * program needs /dev/mem or a hypercall.
 */
#include <linux/acpi.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/uio_driver.h>

#include "amalgam_calls.h"

struct tunnel {
    struct uio_info uio;
    u64 index;
};

static irqreturn_t tunnel_ring(int irq, struct uio_info *info)
{
    return IRQ_HANDLED; /* edge-triggered, so there is nothing to acknowledge; UIO counts it */
}

static int tunnel_notify(struct uio_info *info, s32 unused)
{
    struct tunnel *t = container_of(info, struct tunnel, uio);

    return amalgam_tunnel_notify(t->index);
}

/* Find the index of the tunnel at this address. ACPI has only the range, so ask the kernel below. */
static int tunnel_index(u64 gpa, u64 *index)
{
    u64 i;

    for (i = 0;; i++) {
        s64 at = amalgam_tunnel_info(i, AMALGAM_TUNNEL_INFO_GPA);

        if (at < 0)
            return at;
        if (at == gpa) {
            *index = i;
            return 0;
        }
    }
}

static int tunnel_probe(struct platform_device *pdev)
{
    struct resource *memory = platform_get_resource(pdev, IORESOURCE_MEM, 0);
    int irq = platform_get_irq(pdev, 0);
    struct tunnel *t;
    int error;

    if (!memory)
        return dev_err_probe(&pdev->dev, -ENODEV, "its ACPI description has no memory\n");
    if (irq < 0)
        return dev_err_probe(&pdev->dev, irq, "its ACPI description has no interrupt\n");
    t = devm_kzalloc(&pdev->dev, sizeof(*t), GFP_KERNEL);
    if (!t)
        return -ENOMEM;
    error = tunnel_index(memory->start, &t->index);
    if (error)
        return dev_err_probe(&pdev->dev, error, "Amalgam knows no tunnel at %pa\n", &memory->start);
    t->uio.name = "amalgam-tunnel";
    t->uio.version = "1";
    t->uio.irq = irq;
    t->uio.handler = tunnel_ring;
    t->uio.irqcontrol = tunnel_notify;
    t->uio.mem[0].name = "shared";
    t->uio.mem[0].addr = memory->start;
    t->uio.mem[0].size = resource_size(memory);
    t->uio.mem[0].memtype = UIO_MEM_IOVA; /* ordinary cached memory, unlike UIO_MEM_PHYS */
    error = devm_uio_register_device(&pdev->dev, &t->uio);
    if (!error)
        dev_info(&pdev->dev, "tunnel %llu at %pR, irq %d\n", t->index, memory, irq);
    return error;
}

static const struct acpi_device_id tunnel_ids[] = { { "AMLG0001" }, {} };
MODULE_DEVICE_TABLE(acpi, tunnel_ids);

static struct platform_driver tunnel_driver = {
    .probe = tunnel_probe,
    .driver = { .name = "amalgam_tunnel", .acpi_match_table = tunnel_ids },
};
module_platform_driver(tunnel_driver);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Tunnels between guests of Amalgam");
