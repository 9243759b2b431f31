# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of tests/run: what there is to run (jobs), when it runs (schedule), what it said (results, report)."""
