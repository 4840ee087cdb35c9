// SPDX-License-Identifier: MIT
/*
 * Devices of QEMU's machine `virt` that Spike does not have, as a library for its option --extlib. Each is given with
 * its address:
 * --device=sswi,0x2f00000
 */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <riscv/abstract_device.h>
#include <riscv/processor.h>
#include <riscv/sim.h>
#include <unistd.h>

namespace
{

reg_t address_of(const std::vector<std::string> &arguments)
{
    if (arguments.empty())
        throw std::runtime_error("a device needs its address: --device=NAME,ADDRESS");
    return strtoull(arguments[0].c_str(), nullptr, 0);
}

/** A device whose registers are written and read as 0. */
class write_only_t : public abstract_device_t
{
  public:
    bool load(reg_t, size_t length, uint8_t *bytes) override
    {
        memset(bytes, 0, length);
        return true;
    }
    reg_t size() override { return 0x1000; }

  protected:
    static uint32_t word(size_t length, const uint8_t *bytes)
    {
        uint32_t value = 0;
        memcpy(&value, bytes, std::min(length, sizeof(value)));
        return value;
    }
};

} // namespace

/** Doorbells (ACLINT 1.0, SSWI): storing 1 in a hart's word makes its supervisor software interrupt pending. */
class sswi_t : public write_only_t
{
  public:
    explicit sswi_t(const sim_t *sim) : harts(sim->get_harts()) {}
    bool store(reg_t address, size_t length, const uint8_t *bytes) override
    {
        auto hart = harts.find(address / 4);
        if ((word(length, bytes) & 1) && hart != harts.end())
            hart->second->get_state()->mip->backdoor_write_with_mask(MIP_SSIP, MIP_SSIP);
        return true;
    }
    reg_t size() override { return 0x4000; }

  private:
    const std::map<size_t, processor_t *> &harts;
};

/** The test finisher: the low half of a word says how the board ends, the high half is the status of a failure. */
class finisher_t : public write_only_t
{
  public:
    bool store(reg_t, size_t length, const uint8_t *bytes) override
    {
        uint32_t value = word(length, bytes);
        switch (value & 0xffff) {
        case 0x5555:
        case 0x7777: // a reset: as QEMU with -no-reboot
            _exit(0);
        case 0x3333: _exit(value >> 16);
        default: return true;
        }
    }
};

static sswi_t *make_sswi(const void *, const sim_t *sim, reg_t *base, const std::vector<std::string> &arguments)
{
    *base = address_of(arguments);
    return new sswi_t(sim);
}

static finisher_t *make_finisher(const void *, const sim_t *, reg_t *base, const std::vector<std::string> &arguments)
{
    *base = address_of(arguments);
    return new finisher_t;
}

/** No firmware of ours looks for these in a device tree. */
static std::string no_node(const sim_t *, const std::vector<std::string> &) { return ""; }

REGISTER_DEVICE(sswi, make_sswi, no_node)
REGISTER_DEVICE(finisher, make_finisher, no_node)
