#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/run in a tree of its own: what it says of passed, failed, skipped and broken tests.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# A tree with a file of tests, whose lines are on standard input; in it @test is @TEST. usage: tree_with FILE
tree_with()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/tests/cli tree/tests/unit build/tests/unit
	cp -R "$top/tests/run" "$top/tests/runner" tree/tests/
	sed 's/^@TEST/@test/' >"tree/tests/$1"
}

# Runs without what bats sets for itself. usage: run_tree STATUS WORDS...
run_tree()
{
	local status_wanted=$1

	shift
	run "-$status_wanted" env -u BATS_RUN_TMPDIR -u BATS_TEST_FILTER tree/tests/run "$@"
}

@test "tests/run counts passed and skipped tests, and prints the reasons of skips" {
	tree_with cli/some.bats <<-'END'
		@TEST "one works" {
			true
		}
		@TEST "two cannot run" {
			skip "no ship"
		}
	END
	run_tree 0 build cli
	has "$output" "    skip: cli/some: two cannot run: no ship"
	has "$output" "  cli: 1 passed, 0 failed, 1 skipped"
	same "1 passed, 0 failed, 1 skipped" "${lines[-1]}" "the last line"
}

@test "tests/run names a failed test, what was wrong, its log and the command that repeats it" {
	tree_with cli/some.bats <<-'END'
		@TEST "it isn't right" {
			echo "wanted 2, have 1"
			false
		}
		@TEST "one/two works" {
			true
		}
	END
	run_tree 1 build cli
	has "$output" "failed: cli/some: it isn't right"
	has "$output" "wanted 2, have 1"
	has "$output" "    log: build/log/cli/some"
	has "$output" "    again: make check T='it isn'\"'\"'t right'"
	# The end of a log may be all that is kept of it.
	has "$(tail -n 8 <<<"$output")" "wanted 2, have 1"
	same "1 passed, 1 failed, 0 skipped" "${lines[-1]}" "the last line"
	run_tree 1 --only "it isn't right" build cli
	same "0 passed, 1 failed, 0 skipped" "${lines[-1]}" "of this test alone"
	run_tree 0 --only "one/two" build cli
	same "1 passed, 0 failed, 0 skipped" "${lines[-1]}" "of the other one alone"
	run_tree 1 --only cli/some build cli
	same "1 passed, 1 failed, 0 skipped" "${lines[-1]}" "of the file in its suite"
	run_tree 1 --only some build cli
	same "1 passed, 1 failed, 0 skipped" "${lines[-1]}" "of the file"
	run_tree 2 --only nothing build cli
	has "$output" "no test is called 'nothing'"
}

@test "tests/run fails if a file has no test, or nothing runs" {
	tree_with cli/some.bats </dev/null
	run_tree 1 build cli
	has "$output" "it ran no test"
	run_tree 2 build nosuch
	has "$output" "no suite 'nosuch'"
}

@test "tests/run reads what programs of cmocka print, and finds one that crashes" {
	tree_with unit/test_some.c <<-'END'
		cmocka_unit_test(one_works)
		cmocka_unit_test(two_fails)
	END
	cat >build/tests/unit/test_some <<-'END'
		#!/bin/sh
		echo "[ RUN      ] one_works"
		echo "[       OK ] one_works"
		echo "[ RUN      ] two_fails"
		echo "[  ERROR   ] --- 0x1 != 0x2"
		echo "[   LINE   ] --- some.c:3: error: Failure!"
		echo "[  FAILED  ] two_fails"
		exit 1
	END
	chmod +x build/tests/unit/test_some
	run_tree 1 build unit
	has "$output" "failed: unit/test_some: two_fails
    0x1 != 0x2"
	has "$output" "    again: make check T=two_fails"
	same "1 passed, 1 failed, 0 skipped" "${lines[-1]}" "the last line"
	printf '#!/bin/sh\necho "[ RUN      ] one_works"\nkill -SEGV $$\n' >build/tests/unit/test_some
	run_tree 1 build unit
	has "$output" "ended by signal 11"
	has "$output" "failed: unit/test_some: one_works"
	printf '#!/bin/sh\necho "needs a ship"\nexit 77\n' >build/tests/unit/test_some
	run_tree 1 build unit
	has "$output" "    skip: unit/test_some: needs a ship"
	same "0 passed, 0 failed, 1 skipped" "${lines[-1]}" "the last line: nothing passed"
}

@test "tests/run names the test whose process is killed, and ends one that prints nothing" {
	tree_with cli/some.bats <<-'END'
		@TEST "it dies" {
			until grep -q "^begin" ../build/log/cli/some; do :; done
			kill -KILL 0
		}
	END
	run_tree 1 build cli
	has "$output" "failed: cli/some: it dies
    ended by signal 9"
	mkdir -p build/tests/fuzz tree/tests/fuzz
	: >tree/tests/fuzz/some.c
	printf '#!/bin/sh\nexec sleep infinity\n' >build/tests/fuzz/some
	chmod +x build/tests/fuzz/some
	run_tree 1 --silence 1 build fuzz
	has "$output" "failed: fuzz/some
    it printed nothing for 1 s and was ended"
}

@test "tests/run that is ended lets the test put back what it changed, and make remove what is half written" {
	tree_with cli/some.bats <<-'END'
		teardown()
		{
			rm "$BATS_TEST_DIRNAME/changed"
		}
		@TEST "it lasts" {
			: >"$BATS_TEST_DIRNAME/changed"
			sleep infinity
		}
	END
	printf 'build/san/half:\n\techo half >$@ && sleep infinity\nbuild-san: build/san/half\n' >tree/Makefile
	mkdir -p tree/build/san slow
	cat >slow/sitecustomize.py <<-END
		# The process has begun, and the runner does not know it yet.
		import os, subprocess, time
		class Slow(subprocess.Popen):
		    def __init__(self, *args, **more):
		        super().__init__(*args, **more)
		        # Jobs have sessions of their own.
		        while more.get("start_new_session") and not os.path.exists("$PWD/killed"): time.sleep(0.05)
		subprocess.Popen = Slow
	END
	for words in cli san-cli "cli slow" "san-cli slow"; do
		env -u BATS_RUN_TMPDIR -u BATS_TEST_FILTER PYTHONPATH="$PWD/${words#* }" \
			tree/tests/run build "${words% *}" >out 2>&1 3>&- &
		until [ -e tree/tests/cli/changed ] || [ -s tree/build/san/half ]; do
			sleep 0.05
		done
		kill -TERM $!
		: >killed
		status=0
		wait $! || status=$?
		rm killed
		same 143 "$status" "status"
		gone tree/tests/cli/changed
		gone tree/build/san/half
	done
}

@test "the example of tests/README.md is a file of tests that passes" {
	local name

	cd "$BATS_TEST_TMPDIR"
	sed -n '/^    #!\/usr\/bin\/env bats/,/^    }/s/^    //p' "$top/tests/README.md" >example
	tree_with cli/example.bats <example
	chmod +x tree/tests/cli/example.bats
	for name in helper fixture; do
		ln -s "$top/tests/$name" "tree/tests/$name"
	done
	ln -s "$top/share" tree/share
	DKT_BUILD=$build run -0 tree/tests/cli/example.bats
	has "$output" "ok 1 report prints the records of a saved tree"
}
