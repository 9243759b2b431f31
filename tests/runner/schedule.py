# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs jobs beside each other, as many as the CPUs can take, the longest first."""

import os
import signal
import subprocess
import sys
import time

from . import jobs

# Only what hangs takes that long, in s. Single tests have shorter limits.
LIMIT = 3600


class Running:
    def __init__(self, job, place):
        self.job = job
        self.log = os.path.join(place.log, job.suite, job.name)
        os.makedirs(os.path.dirname(self.log), exist_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, env=place.environment(job),
                                            cwd=jobs.TOP, start_new_session=True)
        self.began = time.monotonic()
        self.late = False

    def kill(self, number=signal.SIGTERM):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def tests(self, status):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        if self.late:
            lines.append(f"ended after {LIMIT} s")
        return self.job.read(self.job, lines, status)


class Ended:
    """What a job was: its tests, how long it took, and how much of the CPUs."""

    def __init__(self, running, status, usage):
        self.job = running.job
        self.log = running.log
        self.tests = running.tests(status)
        self.began = running.began
        self.end = time.monotonic()
        self.cpu = usage.ru_utime + usage.ru_stime


def order(waiting, place):
    """The longest first, by what an earlier run took; what others need and what needs the machine before them."""
    for job in waiting:
        try:
            with open(os.path.join(place.log, job.suite, job.name + ".seconds"), encoding="ascii") as told:
                seconds = float(told.read())
            job.seconds = max(seconds, job.seconds) if job.suite == "build" else seconds
        except (OSError, ValueError):
            pass
    waiting.sort(key=lambda job: (job.lock != "exclusive", -job.seconds))
    waiting.sort(key=lambda job: job.suite != "build")


def may_start(job, running, done, room):
    """What it needs is there, the lock allows it, and there is room."""
    if job.needs and job.needs not in done:
        return False
    if running and sum(r.job.cpus for r in running) + job.cpus > room:
        return False
    locks = [r.job.lock for r in running if r.job.lock]
    return not job.lock or (not locks if job.lock == "exclusive" else "exclusive" not in locks)


def run(wanted, place, tell):
    """Runs all jobs, and calls tell(Ended) for each as it ends."""
    waiting = list(wanted)
    order(waiting, place)
    running, done = [], set()
    # A job waits now and then, so there is one more than the CPUs take.
    room = jobs.cores() + 1
    failed = set()

    def end(number, _frame):
        for one in running:
            one.kill(signal.SIGKILL)
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    while waiting or running:
        held = False
        for job in list(waiting):
            if job.lock == "shared" and held:
                continue
            if may_start(job, running, done, room):
                waiting.remove(job)
                running.append(Running(job, place))
            elif job.lock == "exclusive" and (not job.needs or job.needs in done):
                # Its turn comes when those that share the lock have ended.
                held = True
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if not pid:
            time.sleep(0.02)
            for one in running:
                if not one.late and time.monotonic() - one.began > LIMIT:
                    one.late = True
                    one.kill(signal.SIGKILL)
            continue
        one = next((r for r in running if r.process.pid == pid), None)
        if not one:
            continue
        running.remove(one)
        one.process.returncode = os.waitstatus_to_exitcode(status)
        one.kill(signal.SIGKILL)
        ended = Ended(one, one.process.returncode, usage)
        if place.whole:
            with open(one.log + ".seconds", "w", encoding="ascii") as told:
                told.write(f"{ended.end - ended.began:.1f}\n")
        if one.job.suite == "build" and one.process.returncode:
            failed.add("build")
        else:
            done.add(one.job.suite)
        tell(ended)
        if failed:
            waiting = [job for job in waiting if job.needs not in failed]
