# SPDX-License-Identifier: MIT
"""Worst-case execution time of the linked kernel: image -> control-flow graphs -> integer linear programs -> bounds.

image.py   the ELF file: code words, symbols, the marks of include/wcet.h
code.py    what an instruction word does to control flow, and what it costs in each model
flow.py    control-flow graph, dominators, loops of one routine
ipet.py    implicit path enumeration: the longest path as an integer linear program
analyse.py from the exception vectors down: every routine that can run while a guest waits
"""
