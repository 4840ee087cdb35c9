# SPDX-License-Identifier: MIT
"""The system compiler: a YAML file, checked completely, becomes one binary image."""
