#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds that leave out libraries. "make check-builds" runs this file with such a build, too.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# Skips the test unless the build is without the library.
left_out()
{
	has_word "$1" "$(dktrace --version)" || skip "this build has $1"
}

# usage: has_word WORD TEXT
has_word()
{
	[[ " ${2//,/ } " == *" $1 "* ]]
}

# Prints the words of make before it builds. usage: told VARIABLE=VALUE...
told()
{
	run -2 --separate-stderr env -u MAKEFLAGS -u MAKELEVEL make -n -C "$top" O="$BATS_TEST_TMPDIR/none" "$@"
}

@test "doctor and --version agree on the libraries that were left out" {
	run -0 dktrace doctor --csv
	local row
	row=$(grep ^libraries, <<<"$output")
	for name in capstone curl d3 edit kdumpfile sqlite tracefs; do
		if has_word "$name" "$(dktrace --version)"; then
			has "${row#*without}" "$name"
		else
			has "${row%without*}" "$name"
		fi
	done
}

@test "make WITHOUT= refuses a library that it does not know, and names those that it does" {
	told WITHOUT="curl nonsense"
	has "$stderr" "WITHOUT: unknown library nonsense; these can be left out: capstone curl d3 edit kdumpfile sqlite tracefs"
}

@test "make names the packages that are missing, and how to do without those that can be left out" {
	# pkg-config and dpkg of a machine without libedit and libelf.
	mkdir bin
	# shellcheck disable=SC2016 # for the scripts
	printf '#!/bin/sh\ncase " $* " in *" --exists"*" libe"*) exit 1 ;; esac\nPATH=${PATH#*:} exec pkg-config "$@"\n' >bin/pkg-config
	# shellcheck disable=SC2016 # for the scripts
	printf '#!/bin/sh\ncase "$*" in *libe*-dev) exit 1 ;; esac\nPATH=${PATH#*:} exec dpkg-query "$@"\n' >bin/dpkg-query
	chmod 755 bin/*
	command -v dpkg-query >/dev/null || skip "needs dpkg-query"
	PATH=$PWD/bin:$PATH told
	has "$stderr" "packages are missing, run scripts/deps build: libelf-dev libedit-dev"
	has "$stderr" "make WITHOUT='edit'"
	PATH=$PWD/bin:$PATH told WITHOUT=edit
	has "$stderr" "scripts/deps build: libelf-dev; "
}

@test "make for a 32-bit machine says that it is not supported" {
	told CC="${CC:-cc} -m32"
	has "$stderr" "dktrace needs a 64-bit machine"
}

@test "without SQLite, sql and databases are refused by name" {
	left_out sqlite
	expect 1 "" "dktrace: sql: statements are answered by SQLite, which this dktrace was built without" \
		dktrace sql "$capture" 'SELECT 1'
	run -1 --separate-stderr dktrace convert "$capture" x.sqlite
	has "$stderr" "databases are of SQLite, which this dktrace was built without"
	gone x.sqlite
}

@test "without curl, servers are refused by name" {
	left_out curl
	run ! --separate-stderr dktrace load --clickhouse http://localhost:1/x "$capture"
	has "$stderr" "a server is reached with libcurl, which this dktrace was built without"
}

@test "without d3, the page of view has its tables and says why it has no charts" {
	left_out d3
	run -0 dktrace view "$capture" --output page.html
	has_line "built without d3" page.html
	has_line '^const d3 = [{]$' page.html
}
