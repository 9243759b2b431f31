# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what a job printed: TAP, cmocka's lines, those of tests/vm/run, or nothing but its exit status."""

import re

SKIPPED = 77


class Test:
    """One test: its name says what is expected of whom; words tell a failure, or why it was skipped."""

    def __init__(self, name, verdict, words=(), seconds=None):
        self.name = name
        self.verdict = verdict
        self.words = list(words)
        self.seconds = seconds


def of_status(_job, lines, status):
    verdict = {0: "ok", SKIPPED: "skip"}.get(status, "not ok")
    words = lines[-1:] if verdict == "skip" else [ended(status)] + lines[-38:] if verdict == "not ok" else []
    return [Test("", verdict, words)]


def ended(status):
    return f"exit status {status}" if status >= 0 else f"ended by signal {-status}"


def of_tap(job, lines, status):
    """bats says "begin 1 NAME", then "ok 1 NAME in 20ms # skip REASON"; the words of a failure follow as comments."""
    tests, begun = [], None
    for line in lines:
        if begins := re.match(r"begin \d+ (.*)$", line):
            begun = begins[1]
            continue
        found = re.match(r"(ok|not ok) \d+ (.*?)(?: in (-?\d+)ms)?(?: # (?:skip|SKIP)\b ?(.*))?$", line)
        if found:
            verdict, name, ms, reason = found.groups()
            begun = None
            skipped = verdict == "ok" and reason is not None
            tests.append(Test(name, "skip" if skipped else verdict, [reason] if skipped else [],
                              int(ms) / 1000 if ms else None))
        elif tests and tests[-1].verdict == "not ok" and line.startswith("#"):
            tests[-1].words.append(line[1:].strip())
    return checked(job, tests, lines, status, begun)


def of_cmocka(job, lines, status):
    tests, words, name = [], [], None
    if status == SKIPPED:
        return [Test("", "skip", lines[-1:])]
    for line in lines:
        found = re.match(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] (\S+)$", line)
        if not found:
            words.append(re.sub(r"^\[ +\w+ +\] --- ", "", line))
        elif found[1] == "RUN":
            name, words = found[2], []
        elif found[2] == name:
            verdict = {"OK": "ok", "FAILED": "not ok", "SKIPPED": "skip"}[found[1]]
            reasons = [w[len("skip: "):] for w in words if w.startswith("skip: ")]
            tests.append(Test(name, verdict, reasons if verdict == "skip" else words if verdict == "not ok" else []))
            name, words = None, []
    if not tests and lines and (found := re.match(r"(\d+) passed, (\d+) failed$", lines[-1])):
        # A program without cmocka only counts.
        tests = [Test("", "ok")] * int(found[1]) + [Test("", "not ok", lines[-40:])] * int(found[2])
    return checked(job, tests, lines, status, name)


def of_vm(job, lines, status):
    """tests/vm/run says "VERDICT KERNEL TEST: NOTE", and the end of the log of a failure behind bars."""
    tests = []
    if status == SKIPPED:
        return [Test("", "skip", lines[-1:])]
    for line in lines:
        found = re.match(r"(ok|not ok|skip|again) \S+ (\S+?): (.*)$", line)
        if found:
            verdict, name, note = found.groups()
            seconds = re.search(r"([\d.]+) s(?: in all)?$", note)
            tests.append(Test(name, "note" if verdict == "again" else verdict, [] if verdict == "ok" else [note],
                              float(seconds[1]) if seconds and name != "kernel" else None))
        elif tests and tests[-1].verdict in ("not ok", "note"):
            tests[-1].words.append(line.strip(" |"))
    # The checks that failed, which say what was expected, before all else.
    for test in tests:
        test.words.sort(key=lambda word: not word.startswith("not ok: "))
    return checked(job, tests, lines, status)


def checked(job, tests, lines, status, begun=None):
    """A job that fails says so even if none of its tests does, and one without tests has not passed. The test that
    began and did not end has failed."""
    if begun or status < 0 or status > 0 and not any(test.verdict == "not ok" for test in tests):
        tests.append(Test(begun or "", "not ok", [ended(status)] + lines[-38:]))
    elif not tests and not job.may_be_empty:
        tests.append(Test("", "not ok", lines[-40:] + ["it ran no test"]))
    return tests
