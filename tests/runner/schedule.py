# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs jobs beside each other, as many as the CPUs can take, the longest first."""

import os
import signal
import subprocess
import sys
import time

from . import jobs

# Only what hangs prints nothing for that long, in s.
SILENCE = 1800

# How long a job that is interrupted may take to put back what it changed, in s.
GRACE = 20


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
        self.size = 0
        self.printed = self.began
        self.silent = 0

    def hangs(self, limit):
        """Whether it printed nothing for that many seconds."""
        size = os.stat(self.log).st_size
        if size != self.size:
            self.size, self.printed = size, time.monotonic()
        if time.monotonic() - self.printed > limit:
            self.silent = limit
        return bool(self.silent)

    def signal(self, number):
        """To the job and all that it left running in its process group."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def has_ended(self):
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def tests(self, status):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        tests = self.job.read(self.job, lines, status)
        if self.silent:
            tests[-1].words.insert(0, f"it printed nothing for {self.silent} s and was ended")
        return tests


def stop(running):
    """Interrupted, bats runs the end of its test, and make removes what is half written."""
    until = time.monotonic() + GRACE
    for one in running:
        one.signal(signal.SIGINT)
    while time.monotonic() < until and not all(one.has_ended() for one in running):
        time.sleep(0.02)
    for one in running:
        one.signal(signal.SIGKILL)


class Ended:
    """What a job was: its tests, how long it took, and how much of the CPUs."""

    def __init__(self, running, status, usage):
        self.job = running.job
        self.log = running.log
        self.status = status
        self.tests = running.tests(status)
        self.began = running.began
        self.end = time.monotonic()
        self.cpu = usage.ru_utime + usage.ru_stime


class Schedule:
    def __init__(self, wanted, place, silence):
        self.place = place
        self.silence = silence
        self.waiting = list(wanted)
        self.running = []
        self.interrupted = 0 # the number of a signal
        # The suites of jobs that have passed and others need: the build.
        self.done = set()
        # A job waits now and then, so there is one more than the CPUs take.
        self.room = jobs.cores() + 1
        self.order()

    def order(self):
        """The longest first, by what an earlier run took; before them what others need and what runs alone."""
        for job in self.waiting:
            try:
                with open(os.path.join(self.place.log, job.suite, job.name + ".seconds"), encoding="ascii") as told:
                    job.seconds = float(told.read())
            except (OSError, ValueError):
                pass
        self.waiting.sort(key=lambda job: (job.suite != "build", job.lock != "exclusive", -job.seconds))

    def ready(self, job):
        return not job.needs or job.needs in self.done

    def may_start(self, job):
        """What it needs is there, the lock allows it, and there is room."""
        if not self.ready(job):
            return False
        if self.running and sum(one.job.cpus for one in self.running) + job.cpus > self.room:
            return False
        locks = [one.job.lock for one in self.running if one.job.lock]
        return not job.lock or (not locks if job.lock == "exclusive" else "exclusive" not in locks)

    def start(self):
        held = False
        for job in list(self.waiting):
            if job.lock == "shared" and held:
                continue
            if self.may_start(job):
                self.waiting.remove(job)
                self.running.append(Running(job, self.place))
            elif job.lock == "exclusive" and self.ready(job):
                # Its turn comes when those that share the lock have ended.
                held = True

    def end_hanging(self):
        for one in self.running:
            if not one.job.ends_itself and not one.silent and one.hangs(self.silence):
                stop([one])

    def next_end(self):
        """Waits until a job ends."""
        while True:
            if self.interrupted:
                stop(self.running)
                sys.exit(128 + self.interrupted)
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            for one in self.running:
                if one.process.pid == pid:
                    self.running.remove(one)
                    one.process.returncode = os.waitstatus_to_exitcode(status)
                    one.signal(signal.SIGKILL)
                    return Ended(one, one.process.returncode, usage)
            if not pid:
                self.end_hanging()
                time.sleep(0.02)

    def note(self, ended):
        job = ended.job
        if self.place.whole:
            with open(ended.log + ".seconds", "w", encoding="ascii") as told:
                told.write(f"{ended.end - ended.began:.1f}\n")
        if job.suite == "build" and ended.status:
            self.waiting = [other for other in self.waiting if other.needs != "build"]
        else:
            self.done.add(job.suite)


def run(wanted, place, silence, tell):
    """Runs all jobs, and calls tell(Ended) for each as it ends. One that prints nothing for silence seconds is ended."""
    schedule = Schedule(wanted, place, silence)

    # Only noted here: a job may have begun that is not among those that run yet.
    def end(number, _frame):
        schedule.interrupted = number

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    while schedule.waiting or schedule.running:
        schedule.start()
        ended = schedule.next_end()
        schedule.note(ended)
        tell(ended)
