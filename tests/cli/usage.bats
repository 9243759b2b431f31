#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Wrong command lines: exact messages, exit status 2, nothing on stdout.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

wrong()
{
	local words=$1

	shift
	expect 2 "" "dktrace: $words" dktrace "$@"
}

# getopt's message is followed by a hint to --help.
wrong_option()
{
	wrong "$1
Try 'dktrace${2:+ $2} --help'." "${@:2}"
}

@test "an unknown command fails with status 2" {
	wrong "unknown command 'frobnicate'; 'dktrace help' lists the commands" frobnicate
	wrong "unknown command or task 'frobnicate'; 'dktrace help' lists the commands, 'dktrace help tasks' the tasks" help frobnicate
	# No abbreviations.
	wrong "unknown command 'statu'; 'dktrace help' lists the commands; did you mean stat?" statu
}

@test "an unknown option, or one of another command, fails with status 2" {
	wrong "unrecognized option '--frob'
Try 'dktrace --help'." --frob
	wrong "invalid option -- 'x'
Try 'dktrace --help'." -x
	wrong "unrecognized option '--style'
Try 'dktrace --help'." --style legacy dk
	wrong_option "unrecognized option '--json'" dk --json
	wrong_option "unrecognized option '--pid'" status --pid 1
	wrong_option "option '--pid' requires an argument" dk --pid
	wrong_option "option requires an argument -- 'f'" show -f
}

@test "too many or too few arguments fail with status 2" {
	wrong "dk: too many arguments; usage: dktrace dk [FILE]" dk a b
	wrong "--format: unknown format 'xml'; use trace.dat, trace.dat-6, sqlite or a style" dk -F xml out
	wrong "--format: name the file to write" dk -F trace.dat
	wrong "cannot combine --format with --style" dk -F trace.dat -S trace out
	wrong "show: too many arguments; usage: dktrace show [FILE]" show a b
	wrong "status: too many arguments; usage: dktrace status" status x
	wrong "reset: too many arguments; usage: dktrace reset" reset now
	wrong "get_param: needs [-n|-N] PARAMETER..." get_param
	wrong "set_param: needs [-n] PARAMETER=VALUE..." set_param
	wrong "list: needs classes|subsystems|events|fields|counts [GLOB...]" list
	wrong "list: 'frob' is not one of classes, subsystems, events, fields, counts" list frob
	wrong "list fields: needs an event or a glob of events, such as 'block:*'" list fields
}

@test "an invalid option value fails with status 2" {
	wrong "--style: unknown style 'xml'; use legacy, trace, raw, json, csv, folded, ctf, ctf2, ctf-lttng or perfetto" dk --style xml
	wrong "--pid: '-4' is not a list of processes such as 1234,1235" dk --pid -4
	wrong "--pid: '12x' is not a list of processes such as 1234,1235" show --pid 12x
	wrong "--pid: the value is empty; write --pid LIST" show --pid ''
	wrong "--cpu: '99999999999' is not a list of numbers such as 0-3,5" dk --cpu 99999999999
	wrong "--class: unknown name 'nosuch'; see 'dktrace list classes'" dk --class ioctl+nosuch
	wrong "--subsystem: unknown name 'nosuch'; see 'dktrace list subsystems'" dk --subsystem nosuch
	for when in yesterday 25:00 12:61 12:00:00.x @ @-1 @1.x -5y 2026-13-01\ 10:00; do
		wrong "--since: '$when' is not a time: SECONDS of the trace's clock, HH:MM[:SS], 'YYYY-MM-DD[ HH:MM[:SS]]', ISO 8601, @SECONDS, -N[smhd]" \
			show --since "$when"
	done
}

@test "without a command, dktrace prints help and fails with status 2" {
	run -2 dktrace
	has "$output" "Usage: dktrace [OPTION...] COMMAND [ARGUMENT...]"
}

@test "an invalid name of an instance leaves nothing behind" {
	local name

	for name in a/b ../x . .. .hidden; do
		expect 2 "" "dktrace: '$name' cannot be the name of an instance" dktrace --root "$capture" -B "$name" status
	done
	expect 2 "" "dktrace: '' cannot be the name of an instance" dktrace --root "$capture" --instance '' status
	# Other tests use /run/dktrace meanwhile: look only for files of these names.
	for name in /run/dktrace/a /run/x /run/dktrace/.hidden; do
		[ ! -e "$name" ]
	done
}

@test "an empty DKTRACE_INSTANCE is the default instance" {
	DKTRACE_INSTANCE='' run -0 dktrace --root "$capture" status
	has "${lines[0]}" "instance         dktrace"
	DKTRACE_INSTANCE=dkt-other run -0 dktrace --root "$capture" status
	has "${lines[0]}" "instance         dkt-other"
	DKTRACE_INSTANCE=dkt-other run -0 dktrace -B dkt-third --root "$capture" status
	has "${lines[0]}" "instance         dkt-third"
}

@test "what is wrong whatever the machine is like has the same words and exit status in all commands" {
	local words commands command option arguments

	# The words, the commands that have the option, and the option.
	while IFS='|' read -r words commands option; do
		for command in $commands; do
			case $command in
			record) arguments="record -o $BATS_TEST_TMPDIR/x $option" ;;
			daemon | flight) arguments="$command start --dir $BATS_TEST_TMPDIR $option" ;;
			filter) arguments="filter set $option" ;;
			trigger) arguments="trigger add sched:sched_switch traceoff $option" ;;
			function | graph) arguments="$command vfs_read $option" ;;
			hist) arguments="hist sched:sched_switch -i $capture $option" ;;
			latency) arguments="latency syscall -i $capture $option" ;;
			convert) arguments="convert $capture x.dat $option" ;;
			recover) arguments="recover $capture $option" ;;
			report | info) arguments="$command $capture $option" ;;
			strace-live) arguments="strace $option" ;;
			*) arguments="$command $option" ;;
			esac
			case $command in
			record | daemon | flight) [[ $option == *-[ce]\ * ]] || arguments+=" -e sched:*" ;;
			esac
			# shellcheck disable=SC2086 # words
			set -f && run --separate-stderr dktrace $arguments && set +f
			same "2: dktrace: $words" "$status: ${stderr%%$'\n'*}" "$arguments"
			same "" "$output" "stdout of $arguments"
		done
	done <<-'END'
		--class: unknown name 'nosuch'; see 'dktrace list classes'|record daemon flight show dk follow report info convert hist latency|-c nosuch
		--subsystem: unknown name 'nosuch'; see 'dktrace list subsystems'|record daemon flight show dk follow report info convert hist latency|-u nosuch
		--class: '0' names no classes; see 'dktrace list classes'|record daemon flight show dk follow report info convert hist latency|-c 0
		--class: 'ioctl+' ends without a name|record daemon flight show dk follow report info convert hist latency|-c ioctl+
		--subsystem: 'osd-osd' names no subsystems; see 'dktrace list subsystems'|record daemon flight show dk follow report info convert hist latency|-u osd-osd
		--pid: 'abc' is not a list of processes such as 1234,1235|record daemon flight filter function graph strace-live|-p abc
		--pid: 'abc' is not a list of processes such as 1234,1235|show dk follow report info convert hist latency|-p abc
		--cpu: '5-1' is not a list of numbers such as 0-3,5|record daemon flight filter show dk follow report info convert hist latency strace-live|-C 5-1
		filter: a comparison is missing here|record daemon flight trigger show dk follow report info convert hist latency|-f (((
		--compression: 'lz5' is not zstd, zlib or none|record daemon show dk report convert recover|--compression lz5
		--depth: '7x' is not a number from 1 to 200|graph|--depth 7x
		--threshold: '7x' is not a time such as 100us or 5ms; units are ns, us, ms, s, m, h and d|graph|--threshold 7x
	END
}

@test "a command that records nothing is wrong usage in all commands" {
	local command

	for command in record "daemon start" "flight start"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr dktrace $command
		has "$stderr" "name what to record: "
	done
}

@test "log is the log of the instance in each command that reads a file, and ./log is the file of that name" {
	local command words="'log' is the log of the instance; write ./log for the file of that name"
	local -a commands=("report X" "info X" "convert X x.dat" "merge X -o x.dat" "split X x.dat --count 5" "sql X" "view X -o x.html"
		"lustre rpc X" "strace X" "strace -i X" "hist -i X" "hist sched:sched_switch X" "latency -i X" "latency syscall X"
		"analyze cputop X" "lami cputop X" "load --dry-run --clickhouse http://127.0.0.1:1/x X")

	cd "$BATS_TEST_TMPDIR" || return
	export DKTRACE_ROOT=$capture
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr dktrace ${command/X/log}
		has "$stderr" "nothing is recorded yet"
		lacks "$stderr" "./log"
	done
	unset DKTRACE_ROOT
	cp "$top/tests/fixture/tracedat/v7-zstd.dat" log
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		DKTRACE_ROOT=$capture run -1 --separate-stderr dktrace ${command/X/log}
		has "$stderr" "$words"
		has "$stderr" "nothing is recorded yet"
	done
	run -0 --separate-stderr dktrace report ./log
	same '' "$stderr" "the file"
	at_least 1 "${#lines[@]}" "records of the file"
}

@test "--input of the log's commands names report for each file that is not a directory" {
	local command file

	cd "$BATS_TEST_TMPDIR" || return
	: >empty
	mkfifo pipe
	for command in show dk follow; do
		for file in empty pipe /dev/null; do
			expect 2 "" "dktrace: $command: --input takes a saved tree: 'dktrace report $file' prints the records of a file" \
				timeout 600 dktrace "$command" -i "$file"
		done
		expect 1 "" "dktrace: open missing: No such file or directory" dktrace "$command" -i missing
	done
}

@test "a word in the place of FILE that is neither a file nor a command to run is refused before anything is recorded" {
	local word words

	cd "$BATS_TEST_TMPDIR" || return
	: >"empty"
	# A command that takes FILE or COMMAND has both in its row of the help.
	same "analyze hist latency profile strace" "$(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\) .*/\1/p' | while read -r command; do
		dktrace "$command" --help | grep -Eq '^Usage: .*\[FILE(\.\.\.)?\]+ \[-- COMMAND' && echo "$command"
	done | sort | xargs)" "commands with FILE and COMMAND"
	for words in "analyze cputop" "hist all" "hist block:block_rq_issue" "latency syscall" "latency function f" "profile" "strace" \
		"latency sched:sched_switch sched:sched_wakeup --match pid"; do
		for word in missing ./missing no/missing empty/missing; do
			# shellcheck disable=SC2086 # words of the command
			expect 2 "" "dktrace: ${words%% *}: there is no file '$word'; a command is written after --" dktrace $words "$word"
		done
	done
	expect 2 "" "dktrace: hist: there is no file 'missing'; a command is written after --" dktrace hist all missing -- true
	expect 127 "" "dktrace: run missing: No such file or directory" dktrace latency syscall -- missing
}

@test "each command with COMMAND in its help runs it, and needs a program that exists" {
	local command words

	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	for command in $(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\) .*/\1/p'); do
		dktrace "$command" --help | grep -Eq '^Usage: .*\[-- COMMAND' || continue
		case $command in
		analyze) words=cputop ;;
		function | graph) words=vfs_read ;;
		hist) words=all ;;
		latency) words=syscall ;;
		record) words="-e sched:sched_switch" ;;
		*) words= ;;
		esac
		# shellcheck disable=SC2086 # words of the command
		expect 127 "" "dktrace: run missing: No such file or directory" dktrace "$command" $words -- missing
	done
	same "" "$(ls)" "files"
}

@test "--input FILE is FILE as an argument in each command that reads files" {
	local command wanted words after seen="" file=$top/tests/fixture/tracedat/v6.dat

	cd "$BATS_TEST_TMPDIR" || return
	for command in $(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\) .*/\1/p'); do
		dktrace "$command" --help | grep -q -- '--input FILE' || continue
		seen+=" $command" words="" after=""
		case $command in
		analyze | lami) words=cputop ;;
		annotate) words=main ;;
		convert) words="-F json" after=out ;;
		hist) words=all ;;
		latency) words=syscall ;;
		load) words="--dry-run --clickhouse http://localhost:1/db" ;;
		lustre) words="timeline word" ;;
		archive | merge | view) words="-o out" ;;
		split) words="--count 1000000" after=out ;;
		esac
		# shellcheck disable=SC2086 # words of the command
		{
			rm -f out*
			run --separate-stderr dktrace "$command" $words "$file" $after
			wanted="$status $output $stderr $(cat out* 2>/dev/null | wc -c)"
			rm -f out*
			run --separate-stderr dktrace "$command" $words $after -i "$file"
		}
		same "$wanted" "$status $output $stderr $(cat out* 2>/dev/null | wc -c)" "$command"
	done
	same " archive convert info load merge report split sql view analyze annotate hist lami latency profile strace lustre" "$seen" "commands"
}
