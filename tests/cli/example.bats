#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples that read a recording, built from the installed tree, and that of a command.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common
load ../helper/example

setup_file()
{
	install_library
}

@test "histogram counts the records of a trace.dat file" {
	local file=$top/tests/fixture/tracedat/v7-zstd.dat
	build_example histogram
	"$example" "$file" sched:sched_switch prev_comm,next_comm >"$BATS_TEST_TMPDIR/example"
	dktrace hist --input "$file" sched:sched_switch --keys prev_comm,next_comm --top 0 --json >"$BATS_TEST_TMPDIR/tool"
	cat "$BATS_TEST_TMPDIR/example"
	same "$(jq -r '.. | objects | select(has("prev_comm")) | [.prev_comm, .next_comm, .hitcount] | @tsv' \
		"$BATS_TEST_TMPDIR/tool" | sort)" "$(sort "$BATS_TEST_TMPDIR/example")"
}

@test "histogram reports errors" {
	local file=$top/tests/fixture/tracedat/v7-zstd.dat
	build_example histogram
	run -2 "$example"
	expect 1 "" "histogram: open /no/file: No such file or directory" "$example" /no/file a:b c
	expect 1 "" "histogram: there is no event no:such" "$example" "$file" no:such comm
	run -1 "$example" "$file" sched:sched_switch nofield
	has "$output" "sched:sched_switch has no field 'nofield'"
}

@test "lustre-log prints a file of Lustre's log as report does" {
	build_example lustre-log libdktrace-lustre
	cd "$BATS_TEST_TMPDIR"
	"$tools/gen-records" cpus 2000 >log.bin
	for style in legacy json; do
		# 0x100000 is rpctrace alone: a mask of names has errors and warnings too.
		dktrace report log.bin --style "$style" --class rpctrace >wanted
		run -0 "$example" log.bin 0x100000 "$style"
		at_least 100 "${#lines[@]}"
		diff wanted - <<<"$output"
	done
	dktrace report log.bin --style legacy >saved.log
	"$example" saved.log -1 | cmp - saved.log
}

@test "lustre-log runs without the shared libraries if linked with the archives" {
	build_example lustre-log libdktrace-lustre static
	run ! grep -a 'libdktrace.*\.so' <(readelf -d "$example")
	"$tools/gen-records" cpus 200 >"$BATS_TEST_TMPDIR/log.bin"
	dktrace report "$BATS_TEST_TMPDIR/log.bin" --style legacy >"$BATS_TEST_TMPDIR/wanted"
	LD_LIBRARY_PATH='' "$example" "$BATS_TEST_TMPDIR/log.bin" -1 | diff "$BATS_TEST_TMPDIR/wanted" -
}

@test "lustre-log reports errors" {
	build_example lustre-log libdktrace-lustre
	expect 1 "" "lustre-log: unknown mask 'bogus'" "$example" /dev/null +bogus
	expect 1 "" "lustre-log: open /no/file: No such file or directory" "$example" /no/file -1
	expect 1 "" "lustre-log: there is no style 'x'" "$example" "$top/tests/fixture/tracedat/v7-zstd.dat" -1 x
}

@test "a command is added by a file, its declarations and a row, as CONTRIBUTING.md says" {
	local tree=$BATS_TEST_TMPDIR/tree san old

	for tool in make cc pkg-config; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	[ -e "$build/ctl/commands.o" ] || skip "nothing is built"
	mkdir -p "$tree/build"
	cp -a "$top/Makefile" "$top"/{lib,compat,answers,recording,fleet,ctl,include,share,examples} "$tree"
	cp -a "$build"/{ctl,gen,libdktrace*.a} "$tree/build"
	cd "$tree" || return
	# A block of CONTRIBUTING.md is the command, another its row.
	sed -n '/^## Add a command/,/^## How/s/^    //p' "$top/CONTRIBUTING.md" >block
	grep '^{ "hello"' block >row
	grep -v '^{ "hello"' block >ctl/cmd/hello.c
	sed -i '/"__complete"/r row' ctl/commands.c
	# Only what uses the new names has to be compiled.
	cp -p ctl/app/commands.h old
	echo 'command_fn cmd_hello; extern const struct opt hello_opts[];' >>ctl/app/commands.h
	touch -r old ctl/app/commands.h
	san=$(grep -o -- '-fsanitize=[^ ]*' build/gen/flags | head -n 1 | cut -d = -f 2)
	old=$(printf -- '-o build/%s ' gen/flags libdktrace.a libdktrace-lustre.a libdktrace-tool.a)
	# shellcheck disable=SC2086 # words
	make -s O=build ${san:+SAN="$san"} $old build/dktrace
	expect 0 "hello, world" "" build/dktrace hello
	expect 0 "hello, you" "" build/dktrace hello -n you
	expect 2 "" "dktrace: hello: too many arguments; usage: dktrace hello" build/dktrace hello you
	has "$(build/dktrace help hello)" "-n, --name NAME        greet NAME"
	has "$(build/dktrace __complete dktrace hello -)" "--name"
	has "$(build/dktrace help)" "hello        greet"
}
