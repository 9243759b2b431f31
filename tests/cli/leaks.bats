#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command ends without lost memory, in each of its main modes. The other tests start the sanitized tool without
# this check, which takes half of a start.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common
load ../helper/fleet

setup()
{
	sanitized || skip "needs the build with the sanitizers"
	cd "$BATS_TEST_TMPDIR" || return
	export DKTRACE_INSTANCE=dkt-leaks-$$-$BATS_TEST_NUMBER
	# A process writes its part here: a line for each thread that was searched, and the memory that is lost.
	checks=$BATS_TEST_TMPDIR/checks
	export DKT_CHECKS=$checks
	mkdir "$checks"
	export LSAN_OPTIONS="suppressions=$top/tests/leaks:print_suppressions=0:log_threads=1"
	export ASAN_OPTIONS=handle_sigill=2:intercept_tls_get_addr=0:report_globals=0:detect_leaks=1:log_path=$checks/of
}

teardown()
{
	[ ! -e /sys/kernel/tracing/instances/"$DKTRACE_INSTANCE" ] || dktrace reset
}

# Fails if a process so far has lost memory.
none_lost()
{
	! grep -s -A 20 'ERROR: ' "$checks"/*
}

# Runs a command, and checks its exit status, that its memory was searched at its end, and that none was lost. Its
# output is in the files out and err. usage: clean STATUS COMMAND...; the status
# may be a pattern.
clean()
{
	local wanted=$1 have=0 before

	shift
	before=$(ls "$checks")
	"$@" >out 2>err 3>&- || have=$?
	# shellcheck disable=SC2053 # a pattern
	[[ $have = $wanted ]] || {
		cat err
		same "$wanted" "$have" "status of $*"
	}
	searched "$before" "$@"
}

# Fails unless a process was searched since the files of $checks were these, and has lost nothing.
# usage: searched FILES COMMAND...
searched()
{
	local before=$1

	shift
	[ "$before" != "$(ls "$checks")" ] || {
		echo "its memory was not searched: $*"
		return 1
	}
	none_lost || {
		echo "the above was lost by: $*"
		return 1
	}
}

@test "a program that loses memory is found, and one that is not searched" {
	cat >loses.c <<-'END'
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			/* Several, as an old value on the stack may keep one. */
			for (int i = 0; i < 100; i++) {
				char *volatile lost = malloc(42);
				lost = NULL;
			}
			return 0;
		}
	END
	"${CC:-cc}" -g -fsanitize=address -o loses loses.c || skip "no compiler with the address sanitizer"
	run clean 1 ./loses
	same 1 "$status" "status"
	has "$output" "detected memory leaks"
	has "$output" "the above was lost by: ./loses"
	rm "$checks"/*
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 run clean 0 ./loses
	same 1 "$status" "status"
	has "$output" "its memory was not searched: ./loses"
}

@test "every command is among the tests of this file" {
	commands=$(dktrace help | sed -n 's/^  \([a-z][a-z_-]*\) .*/\1/p')
	at_least 40 "$(wc -l <<<"$commands")" commands
	for command in $commands; do
		grep -qE "^[[:space:]]*clean(_until '.*')? [^ ]+ dktrace $command( |$)" "$BATS_TEST_FILENAME" || {
			echo "no test here runs 'clean STATUS dktrace $command'"
			return 1
		}
	done
}

@test "commands on recordings lose no memory" {
	dat=$top/tests/fixture/tracedat/v6.dat
	perf=$top/tests/fixture/perfdata/plain.data
	chains=$top/tests/fixture/perfdata/pipe.data
	text=$top/tests/fixture/text/trace-6.18.txt
	"$tools/gen-records" cpus 200 >log.bin
	clean 0 dktrace report "$dat"
	clean 0 dktrace report --event '*' --filter 'common_pid > 0' --since 1 "$dat"
	clean 0 dktrace report --jobs 2 "$top/tests/fixture/tracedat/v7-zstd.dat"
	clean 0 dktrace report "$top/tests/fixture/tracedat/v7-zlib.dat"
	clean 0 dktrace report "$perf"
	clean 0 dktrace report "$top/tests/fixture/perfdata/zstd.data"
	clean 0 dktrace report --offset "$perf=0" "$dat" "$perf"
	clean 3 dktrace report "$text"
	clean 0 dktrace report "$top/tests/fixture/text/graph-6.1.txt"
	clean 0 dktrace report --class rpctrace --rate rpctrace=2 log.bin
	for style in legacy trace raw json csv folded perfetto; do
		clean 0 dktrace report --style $style "$capture"
	done
	clean 0 dktrace report --style ctf --output ctf "$capture"
	clean 0 dktrace report --style ctf-lttng --output lttng "$capture"
	clean 0 dktrace convert "$dat" out.dat
	clean 0 dktrace convert --compression zlib "$perf" packed.dat
	clean 3 dktrace convert --format trace.dat-6 "$text" old.dat
	clean 0 dktrace convert --format json "$capture" out.json
	clean 0 dktrace convert "$capture" out.sqlite
	clean 0 dktrace convert log.bin log.dat
	clean 0 dktrace merge --output merged.dat --offset "$perf=0" "$dat" "$perf"
	clean 0 dktrace split --count 5 "$dat" part.dat
	clean 0 dktrace info "$dat" "$perf" "$capture"
	clean 0 dktrace info --json part-001.dat
	"$tools/gen-journal" | head -c -16 >killed.dat
	clean 3 dktrace report killed.dat
	clean 3 dktrace recover killed.dat
	clean 0 dktrace dk --input "$capture"
	clean 0 dktrace dk --input "$capture" --format trace.dat dk.dat
	clean 0 dktrace show --input "$capture" --class vfstrace
	clean 0 dktrace hist --input "$capture" syscalls:sys_exit_read --keys ret,common_pid.execname --json
	clean 0 dktrace hist --input "$capture" --sql 'SELECT ret FROM sys_exit_read WHERE ret > 100'
	clean 0 dktrace hist --input "$perf" sched:sched_switch --keys stacktrace --folded
	clean 0 dktrace latency syscall --input "$capture"
	clean 0 dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --match common_pid --input "$capture" --csv
	clean 0 dktrace latency syscall --input "$capture" --style svg
	clean 0 dktrace strace "$capture"
	clean 0 dktrace strace --json --errors "$capture"
	clean 0 dktrace analyze syscallstats "$capture"
	clean 0 dktrace analyze iolog --csv "$capture"
	clean 0 dktrace analyze iolatencyfreq --json "$capture"
	clean 0 dktrace lami syscallstats --metadata
	clean 0 dktrace lami syscallstats "$capture"
	clean 0 dktrace sql "$capture"
	clean 0 dktrace sql out.sqlite 'SELECT * FROM syscallstats' --json
	clean 0 dktrace sql "$dat" 'SELECT count(*) FROM events' --csv
	clean 0 dktrace view "$capture" "$dat" --offset "$dat=0" --output page.html
	for style in text folded svg icicle heatmap speedscope pprof; do
		clean 0 dktrace profile --style $style "$chains"
	done
	clean 0 dktrace profile --tree --json "$chains"
	clean 0 dktrace profile --callers "$chains" --before "$chains"
	clean 1 dktrace profile --output page "$perf"
	clean 1 dktrace annotate main "$perf"
	clean 1 dktrace archive "$perf" -o archive.tgz
	clean 1 dktrace annotate main --symbols nosuch "$perf"
	clean 0 dktrace load --dry-run --clickhouse http://127.0.0.1:1/x "$capture"
	"$top/tests/tools/gen-lustre-log" client 2.15 200 >client.dk
	"$top/tests/tools/gen-lustre-log" server 2.15 200 >server.dk
	for question in rpc locks evictions leaks messages masks; do
		clean 0 dktrace lustre $question server.dk
		clean 0 dktrace lustre $question --json --offset server.dk=0 client.dk server.dk
	done
	clean 0 dktrace lustre timeline 400 server.dk
	printf '%s\n' 'a: osc.x.cur_grant_bytes=1' 'b: osc.x.import=' 'b:   state: NEW' >site.params
	clean 0 dktrace lustre params site.params client.dk
	clean 0 lctl df log.bin
	clean 0 lctl dk --input "$capture"
}

@test "commands that read no recording lose no memory" {
	DKTRACE_ROOT=$capture
	export DKTRACE_ROOT
	clean 0 dktrace help
	clean 0 dktrace help tasks
	clean 0 dktrace help slow disk
	clean 0 dktrace help report
	clean 0 dktrace report --help
	clean 0 dktrace --version
	clean 0 dktrace list classes
	clean 0 dktrace list subsystems --json
	clean 0 dktrace list events 'syscalls:*'
	clean 0 dktrace list fields syscalls:sys_enter_read --csv
	clean 0 dktrace list counts
	clean 0 dktrace boot-config debug=vfstrace debug_mb=10
	clean 0 dktrace boot-config --cmdline debug=vfstrace
	clean 0 dktrace doctor
	clean 0 dktrace doctor --json
	clean 0 dktrace __complete dktrace set_param debug=+vf
	make_direct
	clean 0 dktrace collect --ssh "$direct" -w a,b analyze syscallstats "$capture"
	clean 0 dktrace remote </dev/null
	clean 0 lctl --list-commands
	clean 0 lctl get_param debug
	clean 0 lctl list_param '*'
	printf 'filter trace\nshow inode\n' >words
	clean 0 lctl <words
}

@test "commands that fail lose no memory" {
	head -c 3000 "$top/tests/fixture/perfdata/plain.data" >cut.data
	head -c 9000 "$top/tests/fixture/tracedat/v7-zstd.dat" >cut.dat
	clean 2 dktrace nosuch
	clean 2 dktrace report --nosuch x
	clean 2 dktrace report
	clean 1 dktrace report missing.dat
	clean 1 dktrace stat -e cs,nopmu/x/ -- true
	clean 1 dktrace stat -e cs,block:nosuch -- true
	clean 1 dktrace report cut.data
	clean 1 dktrace report cut.dat
	clean 2 dktrace report --filter 'a ==' "$capture"
	clean 2 dktrace report --style nosuch "$capture"
	clean 1 dktrace report --output /nonexistent/x "$capture"
	clean 1 dktrace convert "$capture" /nonexistent/x.dat
	clean 1 dktrace hist --input "$capture" no:such --keys x
	clean 1 dktrace sql "$capture" 'SELECT nosuch FROM sys_exit_read'
	clean 2 dktrace analyze nosuch "$capture"
	clean 1 dktrace dk --input missing
	clean 1 dktrace load --clickhouse http://127.0.0.1:1/x "$capture"
	clean 1 lctl df missing
}

# Ends a command in the background when its output has the word.
# usage: clean_until WORD STATUS COMMAND...
clean_until()
{
	local word=$1 status=0 wanted=$2 before

	shift 2
	before=$(ls "$checks")
	"$@" >out 2>err 3>&- &
	until_true grep -q "$word" out
	kill -TERM $!
	wait $! || status=$?
	same "$wanted" "$status" "status of $*"
	searched "$before" "$@"
}

@test "commands on the running kernel lose no memory" {
	local work=(sh -c 'exec cat /dev/null')

	[ "$(id -u)" = 0 ] || skip "needs root"
	mountpoint -q /sys/kernel/tracing || skip "needs tracefs"
	mkdir "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE-x" 2>/dev/null || skip "this kernel may not be traced here"
	rmdir "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE-x"
	# No process has this name, so that no record is lost, whatever the machine does.
	clean 0 dktrace set_param debug_mb=4 debug_filter='comm == "dkt-no-such"'
	clean 0 dktrace set_param debug=+vfstrace
	clean 22 dktrace set_param debug_filter='nosuch =='
	clean 0 dktrace get_param debug subsystem_debug debug_mb debug_filter
	clean 0 dktrace filter set syscalls:sys_enter_openat 'dfd > 1'
	clean 0 dktrace filter list --json
	clean 0 dktrace filter clear syscalls:sys_enter_openat
	clean 0 dktrace trigger add sched:sched_process_exit traceoff:1 --filter 'comm == dkt-no-such'
	clean 0 dktrace trigger list
	clean 0 dktrace trigger del sched:sched_process_exit
	clean 0 dktrace save settings
	clean 0 dktrace apply settings
	clean 0 dktrace stop
	clean 0 dktrace start
	clean 0 dktrace mark a marker
	clean 0 dktrace status
	clean 0 dktrace status --json
	clean 0 dktrace show
	clean 0 dktrace dk
	clean 0 dktrace mark another marker
	clean 0 dktrace dk --format trace.dat dk.dat
	clean 0 dktrace clear
	clean 0 dktrace mark the last marker
	clean_until 'the last marker' 0 dktrace follow
	# Not every kernel has snapshots, or memory that survives a reboot.
	clean '[01]' dktrace snapshot take
	clean '[01]' dktrace snapshot free
	clean '[01]' dktrace last-boot
	clean 0 dktrace function
	clean 0 dktrace graph
	clean 0 dktrace record -e sched:sched_process_exec -o exec.dat -- "${work[@]}"
	clean 0 dktrace record -c vfstrace -o files.dat -- "${work[@]}"
	clean 0 dktrace profile -- "${work[@]}"
	clean 0 dktrace profile --duration 0.1
	clean 0 dktrace profile --duration 0.1 --comm 'k*' --call-graph dwarf
	clean 1 dktrace profile --comm no-such-program
	clean 0 dktrace hist sched:sched_process_exec --keys common_pid -- "${work[@]}"
	clean 0 dktrace latency syscall -- "${work[@]}"
	clean 0 dktrace strace -- "${work[@]}"
	clean 0 dktrace stat -- "${work[@]}"
	clean 0 dktrace stat -r 2 -e 'raw_syscalls:*,sched_switch[prev_pid > 0],iotrace,-block:block_plug' --csv -- "${work[@]}"
	clean 0 dktrace stat --per-class --per-cpu -e 'raw_syscalls:*,cs' --json -- "${work[@]}"
	clean 0 dktrace stat --interval 10ms --duration 0.1 --per-thread
	clean 0 dktrace analyze syscallstats -- "${work[@]}"
	clean 0 dktrace top --batch --frames 1 --delay 0.1
	clean 0 dktrace top --json --frames 1 --delay 0.1
	clean 0 dktrace probe add --dry-run -x "$tools/probe-target" target
	clean 0 dktrace probe list
	clean 0 dktrace flight start -e sched:sched_process_exec --size 64K --dir "$PWD"
	clean 0 dktrace flight status
	clean 0 dktrace flight dump 'a reason'
	clean 0 dktrace flight stop
	clean 0 dktrace daemon start -e sched:sched_process_exec --dir "$PWD/segments"
	clean 0 dktrace daemon status --json
	clean 0 dktrace daemon stop
	clean 0 dktrace info segments
	clean 0 lctl set_param debug=-vfstrace
	clean 0 lctl mark a marker
	clean 0 lctl dk
	clean 0 lctl clear
	clean 0 dktrace reset
	none_lost
}
