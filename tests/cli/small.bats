# SPDX-License-Identifier: LGPL-2.1-or-later
# Commands report missing objects before they change anything, and other details of the command line.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; scripts of their own

load ../helper/common

v6=$top/tests/fixture/tracedat/v6.dat
perf=$top/tests/fixture/perfdata/plain.data
text=$top/tests/fixture/text/trace-6.18.txt

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

@test "a command after -- that cannot be run fails before anything else happens" {
	local words

	printf '#! /no/such/interpreter -x\n' >script
	chmod +x script
	for words in 'hist sched:sched_switch --' 'latency syscall --' \
		'function vfs_read --' 'graph vfs_read --' 'analyze cputop --' 'strace --' \
		'record -e sched:sched_switch --'; do
		# shellcheck disable=SC2086
		expect 127 '' 'dktrace: run nosuchcmd: No such file or directory' dktrace $words nosuchcmd
		# shellcheck disable=SC2086
		expect 126 '' 'dktrace: run /etc: Permission denied' dktrace $words /etc
		# shellcheck disable=SC2086
		expect 127 '' 'dktrace: run ./script: No such file or directory' dktrace $words ./script
	done
	expect 127 '' 'dktrace: run ./script: No such file or directory' dktrace hist sched:sched_switch ./script
	gone trace.dat
	expect 126 '' 'dktrace: run /etc/passwd: Permission denied' \
		dktrace hist sched:sched_switch -- /etc/passwd
}

@test "--event that no event matches is an error" {
	local words='dktrace: --event: no event matches'

	expect 1 '' "$words 'nosuch*'" dktrace report "$v6" --event 'nosuch*'
	expect 1 '' "$words 'nosuch*'" dktrace info "$v6" --event 'nosuch*'
	expect 1 '' "$words 'a' or the others" dktrace convert "$v6" out.dat --event a,b
	gone out.dat
	expect 1 '' "$words 'nosuch'" dktrace split "$v6" out.dat --count 10 --event nosuch
	run -0 dktrace report "$v6" --event nosuch,print
	same 1 "${#lines[@]}" "lines"
	# It is enough that one of several files has it.
	run -0 --separate-stderr dktrace report "$v6" "$top/tests/fixture/tracedat/v7-zlib.dat" \
		--event print
	run -0 --separate-stderr dktrace merge "$v6" "$perf" --offset "$perf=0" --output out.csv \
		--event sched:sched_process_exec
	same 14 "$(wc -l <out.csv)" "lines"
	run -1 --separate-stderr dktrace merge "$v6" "$perf" --offset "$perf=0" --output no.csv \
		--event 'nosuch*'
	same "$words 'nosuch*'" "${stderr_lines[-1]}" "merge"
	gone no.csv
}

@test "events that a file does not have are an error of hist and latency" {
	local file

	for file in "$v6" "$text" "$perf"; do
		run -1 --separate-stderr dktrace hist --input "$file" 'nosuch:*'
		has "$stderr" "'nosuch' is not a class, subsystem or event (SYSTEM:EVENT)"
		run -1 --separate-stderr dktrace latency --input "$file" nosuch:a nosuch:b --match common_pid
		has "$stderr" "there is no event nosuch:a"
	done
}

@test "split needs --force to write more than 1,000 files" {
	for ((i = 0; i < 1001; i++)); do
		printf '00000001:02000400:0.0:1495061256.%06d:0:1:0:(f.c:1:f()) %d\n' "$i" "$i"
	done >text.log
	expect 1 '' "dktrace: more than 1000 files would be written: use a larger piece, or --force" \
		dktrace split text.log part.csv --count 1
	gone part-001.csv
	run -0 dktrace split text.log part.csv --count 1 --force
	exists part-1001.csv
}

@test "every command exits with 141 if the reader of its output closes the pipe" {
	local words

	for words in "dk --input $capture" "show --input $capture" "report $v6" "report -j 2 $v6" \
		"report $v6 --style perfetto" "info $v6" "info --json $v6" 'list classes' \
		latency help --version --help 'dk --help' \
		"convert $v6 - --format trace" "convert $v6 - --format perfetto" \
		"merge $v6 $v6 --output - --format trace" "split $v6 part.dat --count 10" \
		"hist --input $v6 timer:hrtimer_start" "latency --input $text syscall"; do
		# shellcheck disable=SC2086 # words
		unread 141 dktrace $words
		no_line '[Bb]roken pipe' words
	done
	for words in "dk --input $capture" --list-commands 'debug_list subs' help; do
		# shellcheck disable=SC2086 # words
		unread 141 lctl $words
	done
}

@test "info describes several files one after the other" {
	run -1 --separate-stderr dktrace info "$v6" nosuch "$top/tests/fixture/tracedat/v7-zlib.dat"
	same 2 "$(grep -c '^kind ' <<<"$output")" "files"
	has "$stderr" "dktrace: open nosuch: No such file or directory"
	same 2 "$(dktrace info --json "$v6" "$v6" | jq -s length)" "objects"
}

@test "show FILE writes a trace.dat, as dk FILE does" {
	run -0 dktrace show --input "$capture" --format trace.dat show.dat
	dktrace info show.dat | grep 'kind      trace.dat version 7'
}

@test "--watch 0 is refused" {
	local switches=sched:sched_switch

	expect 2 '' "dktrace: --watch: '0' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" dktrace hist $switches -w0
	expect 2 '' "dktrace: --watch: no space before the seconds: -w0" dktrace hist $switches -w 0
}
