# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a suite consists of: one job for each file or program of tests."""

import glob
import os
import re
import shlex
import shutil
import subprocess

from . import results

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(TOP, "tests")
KERNELS = ("6.1", "6.12")

# Undefined behaviour is an illegal instruction in the sanitized build. The search for leaks crashes on what the
# sanitizer notes of thread-local variables in libraries that are loaded late.
ASAN = "handle_sigill=2:intercept_tls_get_addr=0"
# The suites that start the tool thousands of times leave the edges of globals to the others, and leaks to cli/leaks,
# which has a pass over each command: a start takes a third of the time.
ASAN_STARTS = ASAN + ":report_globals=0:detect_leaks=0"

# The suites whose tests call the tool by its name.
TOOL = ("unit", "cli", "cli-plain", "live")
# How much of a CPU a job of a suite keeps busy: live tests wait for the kernel half of the time.
CPUS = {"live": 0.5}
# In this order, because the last one to begin should be a short one: seconds that a job takes, if no earlier run
# has told. The build with sanitizers comes first: most others need it.
SECONDS = {"build": 10000, "vm": 1000, "hosts": 100, "clang": 60, "live": 20, "cli": 10, "abi": 10, "lint": 10}
# The suites that consist of files.
FILES = ("unit", "fuzz", "cli", "cli-plain", "live", "vm", "hosts")


class Unknown(Exception):
    pass


class Place:
    """The tree, the build, and what both tell about the machine."""

    def __init__(self, build, only):
        # The times of a choice of tests tell nothing of the next run.
        self.whole = not only
        os.makedirs(os.path.join(build, "log"), exist_ok=True)
        self.build = os.path.abspath(build)
        self.san = os.path.join(self.build, "san")
        self.log = os.path.join(self.build, "log")

    def environment(self, job):
        env = dict(os.environ, DKT_BUILD=job.build, DKTRACE_CLASSES=os.path.join(TOP, "share/classes.d"),
                   DKTRACE_INTERVALS=os.path.join(TOP, "share/intervals.d"),
                   LC_ALL="C", TZ="UTC", ASAN_OPTIONS=job.asan,
                   LSAN_OPTIONS=f"suppressions={TESTS}/leaks:print_suppressions=0")
        if job.kind in TOOL:
            env["PATH"] = f"{job.build}:{env['PATH']}"
        # The jobserver of the make that started this one is not for its children.
        env["MAKEFLAGS"] = re.sub(r"-j\d* --jobserver-auth=\S+|-j\d*", "", env.get("MAKEFLAGS", ""))
        env.update(job.env)
        return env

    @staticmethod
    def mount_tracefs():
        if os.geteuid() == 0 and not os.path.ismount("/sys/kernel/tracing"):
            subprocess.run(["mount", "-t", "tracefs", "nodev", "/sys/kernel/tracing"],
                           stderr=subprocess.DEVNULL, check=False)

    @staticmethod
    def changes():
        # Where a package is built there may be no git.
        if not shutil.which("git"):
            return ""
        return subprocess.run(["git", "-C", TOP, "status", "--porcelain"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout


class Job:
    """A command, where it runs, and how its output is read."""

    def __init__(self, suite, name, command, build, read, **more):
        self.suite = suite
        self.name = name
        self.command = command
        self.build = build
        self.read = read
        self.needs = more.get("needs")
        self.lock = more.get("lock")
        self.asan = more.get("asan", ASAN)
        self.env = more.get("env", {})
        # A part of a file, by the names of its tests, may have none of these.
        self.may_be_empty = more.get("may_be_empty", False)
        # It prints when it is through, and ends what hangs itself.
        self.ends_itself = more.get("ends_itself", False)
        kind = suite.removeprefix("san-")
        self.kind = kind
        self.cpus = CPUS.get(kind, 1)
        self.seconds = SECONDS.get(kind, 1) + more.get("size", 0)

    @property
    def path(self):
        return f"{self.suite}/{self.name}"


def bare(path):
    """tests/cli/report.bats -> report, tests/unit/test_expr.c -> expr, tests/vm/t-stop.sh -> stop"""
    return re.sub(r"^(test_|t-)", "", os.path.splitext(os.path.basename(path))[0])


class Choice:
    """The tests that a name stands for: all of the files and programs that are called so, SUITE/FILE or FILE, or else
    all tests that have it in their names. No name stands for all tests."""

    def __init__(self, only):
        suite, _, name = only.partition("/")
        self.suite, self.words = (suite, name) if name and suite.removeprefix("san-") in FILES else ("", only)
        every = [f for kind in ("unit", "fuzz", "cli", "live", "vm", "vm/hosts") for f in glob.glob(f"{TESTS}/{kind}/*")]
        self.is_file = bare(self.words) in {bare(f) for f in every if not f.endswith((".exp", ".h"))}

    def __bool__(self):
        return bool(self.words)

    def of(self, suite, path, names=()):
        """(whether any test of the file is wanted, None or a pattern of those that are)"""
        if not self:
            return True, None
        if self.suite not in ("", suite, suite.removeprefix("san-")):
            return False, None
        if self.is_file:
            return bare(self.words) == bare(path), None
        found = [re.escape(name) for name in names if self.words in name]
        return bool(found), "^(" + "|".join(found) + ")$"


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


# ---- the suites: each yields jobs ----

def cores():
    return len(os.sched_getaffinity(0))


def make(target):
    return shlex.split(os.environ.get("MAKE", "make")) + ["--no-print-directory", f"-j{cores()}", "-C", TOP, target]


def of_programs(suite, build, choice, **more):
    """The programs of cmocka of tests/unit or tests/live."""
    kind = suite.removeprefix("san-")
    for source in sorted(glob.glob(f"{TESTS}/{kind}/test_*.c")):
        text = text_of(source)
        names = re.findall(r"cmocka_unit_test\w*\((\w+)", text)
        wanted, pattern = choice.of(suite, source, names)
        if wanted:
            # The program itself takes the words, see helper/check.h.
            words = {"DKT_TEST": choice.words} if pattern else {}
            name = os.path.splitext(os.path.basename(source))[0]
            yield Job(suite, name, [f"{build}/tests/{kind}/{name}"], build, results.of_cmocka,
                      size=len(names) / 20, env=words, **more)


def of_fuzz(suite, build, choice, **more):
    for source in sorted(glob.glob(f"{TESTS}/fuzz/*.c")):
        name = bare(source)
        if choice.of(suite, source)[0]:
            yield Job(suite, name, [f"{build}/tests/fuzz/{name}"] + sorted(glob.glob(f"{TESTS}/fuzz/corpus/{name}/*")),
                      build, results.of_status, **more)


# A file of bats whose tests need the kernel's tracer for themselves is a job with the lock.
def of_bats(suite, build, choice, tag="", **more):
    kind = suite.removeprefix("san-").removesuffix("-plain")
    for source in sorted(glob.glob(f"{TESTS}/{kind}/*.bats")):
        text = text_of(source)
        names = [n.replace('\\"', '"') for n in re.findall(r'^@test "(.*)" \{$', text, re.M)]
        wanted, pattern = choice.of(suite, source, names)
        if not wanted:
            continue
        tags = set(re.findall(r"[\w-]+", " ".join(re.findall(r"^# bats (?:test|file)_tags=(.*)$", text, re.M))))
        whole = re.search(r"^# bats file_tags=.*\balone\b", text, re.M)
        for alone in (False, True):
            if tag and tag not in tags or alone and "alone" not in tags or whole and not alone:
                continue
            # The words of several tags in one option must all hold.
            filters = [t for t in (tag, "alone" if alone else "!alone" if "alone" in tags else "") if t]
            # This formatter tells when a test begins. The limit of bats itself is not used: a test that ends before
            # bats has set a trap leaves the sleep of that limit behind, and the file lasts as long as this sleep.
            command = ["bats", "--print-output-on-failure", "--timing", "--formatter", "cat"]
            command += ["--filter-tags", ",".join(filters)] if filters else []
            command += ["--filter", pattern] if pattern else []
            yield Job(suite, os.path.splitext(os.path.basename(source))[0] + ("-alone" if alone else ""),
                      command + [source], build, results.of_tap, asan=ASAN_STARTS, size=len(names),
                      lock=("exclusive" if alone else "shared") if kind == "live" else None,
                      may_be_empty=bool(pattern), **more)


def of_live(suite, build, choice, **more):
    reason = "needs root" if os.geteuid() != 0 else "" if os.path.ismount("/sys/kernel/tracing") else "needs tracefs"
    if reason:
        yield Job(suite, "all", ["sh", "-c", f"echo {reason}; exit 77"], build, results.of_status)
        return
    yield from of_programs(suite, build, choice, lock="shared", **more)
    yield from of_bats(suite, build, choice, **more)


def of_vm(suite, build, choice):
    files = sorted(glob.glob(f"{TESTS}/vm/t-*.sh"))
    wanted = [f for f in files if choice.of("vm", f)[0]]
    for kernel in KERNELS:
        here = [os.path.basename(f)[:-3] for f in wanted
                if not (needs := re.search(r"^# kernel: *(\S+)", text_of(f), re.M)) or needs[1] == kernel]
        if here:
            yield Job(suite, kernel, [f"{TESTS}/vm/run", "-k", kernel, "-o", build] + (here if choice else []),
                      build, results.of_vm, size=len(here), ends_itself=True)
    for file in sorted(glob.glob(f"{TESTS}/vm/hosts/t-*.host")):
        if choice.of("hosts", file)[0]:
            name = os.path.basename(file)[:-5]
            yield Job("hosts", name, [f"{TESTS}/vm/hosts/run", "-o", build, name], build, results.of_vm,
                      ends_itself=True)


def single(suite, command, build, choice, read):
    if not choice or choice.words == suite:
        yield Job(suite, suite, command, build, read)


def of_suite(place, suite, choice):
    kind = suite.removeprefix("san-")
    build, more = (place.san, {"needs": "build"}) if suite != kind else (place.build, {})
    if kind == "unit":
        return of_programs(suite, build, choice, **more)
    if kind == "fuzz":
        return of_fuzz(suite, build, choice, **more)
    if kind == "cli":
        return of_bats(suite, build, choice, **more)
    if kind == "cli-plain":
        return of_bats(suite, build, choice, tag="plain", **more)
    if kind == "live":
        return of_live(suite, build, choice, **more)
    if suite == "vm":
        return of_vm(suite, build, choice)
    if suite == "abi":
        return single(suite, [f"{TESTS}/abi", build], build, choice, results.of_tap)
    if suite == "lint":
        return single(suite, [f"{TESTS}/lint", build], build, choice, results.of_status)
    if suite == "clang":
        return single(suite, make("build-clang"), build, choice, results.of_status)
    raise Unknown(f"no suite '{suite}'")


def of_suites(place, suites, only):
    choice = Choice(only)
    jobs = [job for suite in suites for job in of_suite(place, suite, choice)]
    if not jobs:
        raise Unknown(f"no test is called '{only}', and none has this in its name")
    if any(job.needs == "build" for job in jobs):
        jobs.append(Job("build", "san", make("build-san"), place.build, results.of_status))
    return jobs
