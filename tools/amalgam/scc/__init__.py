# SPDX-License-Identifier: MIT
"""The framework of MetalSVM's paper (section IV) as host commands: merge images, boot a board from them, reset some of its cores."""
