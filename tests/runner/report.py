# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the course of a run: skips and failures as they come, then each suite, the slowest tests, the failures
again with the commands that repeat them, and the sum."""

import os
import re
import shlex
import time

SLOWEST = 10
# Lines of a failure that are printed; its log has all.
LINES = 40
# Those of them that are printed again at the end, which may be all that is kept of a log.
LAST_LINES = 12


def line(text=""):
    print(text, flush=True)


class Failure:
    def __init__(self, path, test, log):
        self.path = path
        self.test = test
        self.log = log

    def title(self):
        return f"{self.path}: {self.test.name}" if self.test.name else self.path

    def again(self):
        suite, name = self.path.split("/")
        only = self.test.name if self.test.name and self.test.name not in ("kernel",) else name
        if only == name and suite not in ("lint", "clang", "abi"):
            only = f"{suite.removeprefix('san-')}/{name}"
        return f"make check T={shlex.quote(only)}"

    def causes(self):
        """The words without the places, which bats puts first."""
        return [words for words in self.test.words if not re.match(r"\(?(from function|in test file) ", words)]

    def show(self):
        line(f"failed: {self.title()}")
        for words in self.test.words[:LINES]:
            line(f"    {words}")
        if len(self.test.words) > LINES:
            line(f"    ({len(self.test.words) - LINES} more lines)")
        line(f"    log: {self.log}")


class Suite:
    def __init__(self):
        self.left = 0
        self.counts = {"ok": 0, "not ok": 0, "skip": 0, "note": 0}
        self.cpu = 0.0
        self.began = None
        self.end = None

    def add(self, ended):
        self.left -= 1
        self.cpu += ended.cpu
        self.began = min(self.began or ended.began, ended.began)
        self.end = ended.end
        for test in ended.tests:
            self.counts[test.verdict] += 1

    def text(self):
        return f"{self.counts['ok']} passed, {self.counts['not ok']} failed, {self.counts['skip']} skipped"


class Report:
    def __init__(self, place, wanted):
        self.place = place
        self.began = time.monotonic()
        self.suites = {}
        self.failures = []
        self.times = []
        for job in wanted:
            self.suites.setdefault(job.suite, Suite()).left += 1

    def ended(self, ended):
        job = ended.job
        suite = self.suites[job.suite]
        if job.suite == "build":
            # A build is not a test: it counts if it fails.
            ended.tests = [test for test in ended.tests if test.verdict != "ok"]
        suite.add(ended)
        for test in ended.tests:
            if test.verdict in ("skip", "note"):
                line(f"    {test.verdict}: {job.path}: {test.name}{': ' if test.name else ''}{' '.join(test.words)}")
            elif test.verdict == "not ok":
                self.failures.append(Failure(job.path, test, os.path.relpath(ended.log)))
                self.failures[-1].show()
        # bats looks at the clock, which may have been set meanwhile.
        seconds = ended.end - ended.began
        times = [(t.seconds, f"{job.path}: {t.name}") for t in ended.tests if t.seconds and 0 < t.seconds <= seconds]
        self.times += times or [(seconds, job.path)]
        if suite.left == 0:
            line(f"  {job.suite}: {suite.text()}")

    def failed(self, suite, name, words):
        from .results import Test
        self.suites.setdefault(suite, Suite()).counts["not ok"] += 1
        self.failures.append(Failure(f"{suite}/{suite}", Test(name, "not ok", words), "git status"))
        self.failures[-1].show()

    def finish(self):
        line(f"\n{'SUITE':<14} {'PASSED':>6} {'FAILED':>6} {'SKIPPED':>7} {'WALL s':>7} {'CPU s':>7}")
        for name, suite in self.suites.items():
            counts = suite.counts
            wall = suite.end - suite.began if suite.end else 0
            line(f"{name:<14} {counts['ok']:>6} {counts['not ok']:>6} {counts['skip']:>7} {wall:>7.0f} {suite.cpu:>7.0f}")
        cpu = sum(suite.cpu for suite in self.suites.values())
        line(f"{'all':<36} {time.monotonic() - self.began:>7.0f} {cpu:>7.0f}")
        line(f"\nthe {SLOWEST} slowest:")
        for seconds, name in sorted(self.times, reverse=True)[:SLOWEST]:
            line(f"{seconds:>7.1f} s  {name}")
        if self.failures:
            line()
            for failure in self.failures:
                line(f"failed: {failure.title()}")
                for words in failure.causes()[:LAST_LINES]:
                    line(f"    {words}")
                line(f"    again: {failure.again()}")
        total = {verdict: sum(s.counts[verdict] for s in self.suites.values()) for verdict in ("ok", "not ok", "skip")}
        line(f"\n{total['ok']} passed, {total['not ok']} failed, {total['skip']} skipped")
        return 0 if total["ok"] and not total["not ok"] else 1
