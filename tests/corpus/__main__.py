# SPDX-License-Identifier: GPL-2.0-only
"""Prints README.md anew: python3 -m tests.corpus > tests/corpus/README.md"""

from tests.corpus import entries, table

if __name__ == "__main__":
    print(table.readme(entries.read_all()), end="")
