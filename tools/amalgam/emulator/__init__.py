# SPDX-License-Identifier: MIT
"""Patches of emulators. What is here changes the machine code of an emulator, and nothing else in this tree does.

mend.py makes two instructions of a QEMU that we have just started atomic, in its memory, and finds them for the copy of QEMU 10 that lies
in the cache (artifacts/qemu10.py). bochs_vmrun.py and bochs_vmlaunch.py put the instructions of VMRUN and VMLAUNCH into another order in the
copy of Bochs that lies there. The disk's own programs stay as they are. Each knows its place by its bytes and leaves anything else alone,
and tests/system/test_quirks.py and tests/tools/test_second.py say why it is there and when it can go.
"""
