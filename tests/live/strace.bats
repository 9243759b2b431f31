#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# strace of known workloads on the running kernel, also beside strace(1).
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

@test "strace prints every call of a command and passes on its status" {
	run -7 --separate-stderr dktrace strace --json -e read,write -- \
		sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=543 status=none; echo out >&2; exit 7'
	same out "$stderr" 'the output of the command'
	same 544 "$(jq -s '[.[] | select(.call == "write")] | length' <<<"$output")" writes
	same 543 "$(jq -s '[.[] | select(.call == "read" and .ret == 1)] | length' <<<"$output")" reads
	same 0 "$(jq -s '[.[] | select(.call and .state != "ended")] | length' <<<"$output")" 'incomplete calls'
	same '' "$(own)" 'left behind'
}

@test "strace prints how each process of a command ends, as strace(1) does" {
	run -7 --separate-stderr dktrace strace -e kill -- \
		sh -c 'for sig in TERM KILL SEGV; do sh -c "kill -$sig \$\$"; done; exit 7'
	same 'exited with 7
killed by SIGKILL
killed by SIGSEGV
killed by SIGTERM' "$(sed -n 's/.* +++ \(.*\) +++$/\1/p' <<<"$output" | sort)" "ends"
}

@test "strace --summary counts a command's calls though execve is not among them" {
	local calls

	for calls in lseek '!execve'; do
		run -0 --separate-stderr dktrace strace --summary --json -e "$calls" -- \
			dd if=/dev/zero of=/dev/null bs=1 count=1 seek=1 status=none
		jq -e '[.calls[].call] | index("lseek") and (index("execve") | not)' <<<"$output"
	done
}

@test "strace --output writes the calls, and not what the command prints" {
	expect 0 out "" dktrace strace -o "$tmp/calls" -e write -- echo out
	has_line '^[0-9:.]+ \( *[0-9.]+ ms\) echo/[0-9]+ write\(1' "$tmp/calls"
	no_line '^out' "$tmp/calls"
	expect 0 "" "dktrace: the earlier $tmp/calls is now $tmp/calls.old" dktrace strace -o "$tmp/calls" --json -- true
	has_line 'write\(1' "$tmp/calls.old"
	jq -es 'map(.call) | index("exit_group")' "$tmp/calls"
	run -1 --separate-stderr dktrace strace -o "$tmp/none/calls" -- true
	has "$stderr" "dktrace: "
}

@test "strace leaves the signals ignored that were so before" {
	run -0 --separate-stderr bash -c 'trap "" HUP INT; exec dktrace strace --summary -- \
		sh -c "grep SigIgn /proc/self/status >&2"'
	# SIGHUP is bit 0, SIGINT bit 1.
	same 3 "$((16#${stderr##*[[:space:]]} & 0x5003))" 'ignored signals'
}

@test "strace shows the files behind descriptors that a command inherits" {
	run -0 --separate-stderr dktrace strace -e lseek,read -- \
		sh -c 'exec dd bs=1 count=1 status=none of=/dev/null' <"$BATS_TEST_FILENAME"
	has "$output" "read(0<$BATS_TEST_FILENAME>, 1) = 1"
}

@test "strace measures a sleep, and prints nothing shorter" {
	run -0 --separate-stderr dktrace strace --took '>200ms' -e clock_nanosleep,nanosleep -- \
		sh -c 'sleep 0.01; sleep 0.2'
	has "${lines[0]}" 'clock_nanosleep(CLOCK_REALTIME, 0, 0x'
	# If the machine stands still, the first one takes longer, too.
	run -0 --separate-stderr dktrace strace --json --took '>200ms' -e clock_nanosleep,nanosleep -- \
		sh -c 'sleep 0.01; sleep 0.2'
	at_least 1 "${#lines[@]}" lines
	same '' "$(jq -c 'select(.duration_ns <= 200000000)' <<<"$output")" 'shorter ones'
}

@test "strace shows where a call waited, and the function that called it" {
	start perl -e 'select(undef, undef, undef, 0.05) while 1'
	sleeper=$pid
	start dktrace strace --stack --pid "$sleeper" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q '^        .*poll_schedule_timeout\|^        do_select+0x' "$tmp/out"
	[ ! -w $tracing/options/userstacktrace ] ||
		until_true grep -q '^        [a-z_]*select[a-z0-9_]*+0x.* (libc.so.6)$' "$tmp/out"
	kill -INT "$pid"
	wait "$pid"
	kill "$sleeper"
	has_line '^    waited ' "$tmp/out"
	# No other process is recorded.
	no_line "ms\) .*/[0-9]* .* = " <(grep -v "/$sleeper " "$tmp/out")
	no_line trace_event_ "$tmp/out"
	same '' "$(own)" 'left behind'
}

@test "strace --stack asks no server for debug information" {
	[ -w $tracing/options/userstacktrace ] || skip "the kernel records no callers of programs"
	cat >"$tmp/sleeper.c" <<-'END'
		#include <poll.h>
		#include <unistd.h>
		__attribute__((noinline)) void inner(void) { close(-1); __asm__(""); }
		__attribute__((noinline)) void outer(void) { inner(); __asm__(""); }
		int main(void)
		{
			for (;;) {
				outer();
				poll(NULL, 0, 50);
			}
		}
	END
	"${CC:-cc}" -s -fno-omit-frame-pointer -o "$tmp/sleeper" "$tmp/sleeper.c" || skip "no compiler"
	mkdir "$tmp/server"
	start "$top/tests/tools/fake-debuginfod" "$tmp/server"
	until_true [ -e "$tmp/server/url" ]
	start "$tmp/sleeper"
	sleeper=$pid
	DEBUGINFOD_URLS=$(cat "$tmp/server/url") HOME=$tmp start dktrace strace --stack -e close --pid "$sleeper" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q '^        sleeper+0x' "$tmp/out"
	kill -INT "$pid"
	wait "$pid"
	gone "$tmp/server/asked"
}

# Traces a process that starts a thread and a child later: only the thread calls getppid, only the child
# umask. The calls are in $tmp/out. usage: trace_later OPTION...
trace_later()
{
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	start perl -Mthreads -e 'open my $go, "<", $ARGV[0]; threads->create(sub { getppid })->join;
		if (!fork) { umask 0; exit } wait; select undef, undef, undef, 0.05 while 1' "$tmp/go"
	sleeper=$pid
	start dktrace strace --json -e getppid,umask,pselect6 --pid "$sleeper" "$@" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	echo >"$tmp/go"
	until_true grep -q '"pselect6"' "$tmp/out"
	kill -INT "$pid"
	wait "$pid"
	kill "$sleeper"
}

@test "strace follows threads that begin later, and with --children also processes" {
	trace_later
	same getppid "$(jq -r "select(.call and .tid != $sleeper) | .call" "$tmp/out")" 'calls of others than the main thread'
	trace_later --children
	same $'getppid\numask' "$(jq -r "select(.call and .tid != $sleeper) | .call" "$tmp/out")" 'calls with those of the child'
	same '' "$(own)" 'left behind'
}

@test "strace shows the addresses of sockets, also of new ones" {
	mkfifo "$tmp/go"
	start perl -MIO::Socket::INET -e 'open my $go, "<", $ARGV[0];
		my $l = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1);
		my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $l->sockport);
		printf STDERR "TCP:[127.0.0.1:%d->127.0.0.1:%d]\n", $c->sockport, $l->sockport;
		while (1) { syswrite $c, "x"; select undef, undef, undef, 0.05 }' "$tmp/go" 2>"$tmp/address"
	sleeper=$pid
	start dktrace strace -e write --pid "$sleeper" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	echo >"$tmp/go"
	until_true grep -q 'write([0-9]*<TCP:' "$tmp/out"
	kill -INT "$pid"
	wait "$pid"
	# The next one begins after the sockets.
	start dktrace strace -e write --pid "$sleeper" >"$tmp/later" 2>"$tmp/err"
	until_true grep -q 'write([0-9]*<TCP:' "$tmp/later"
	kill -INT "$pid"
	wait "$pid"
	run -0 dktrace strace -e write --pid "$sleeper" --duration 0.1
	kill "$sleeper"
	has "$(cat "$tmp/out")" "<$(cat "$tmp/address")>, 1) = 1"
	has "$(cat "$tmp/later")" "<$(cat "$tmp/address")>, 1) = 1"
}

@test "strace shows the new name of a process that executes another program" {
	mkfifo "$tmp/go"
	# Reads from the fifo until there is a line, then becomes perl.
	start bash -c 'exec 5<>"$0"; until read -r -t 0.05 -u 5; do :; done; exec perl -e "select(undef, undef, undef, 0.05) while 1"' "$tmp/go"
	sleeper=$pid
	start dktrace strace --pid "$sleeper" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q " bash/$sleeper " "$tmp/out"
	# A read whose time is over loses the line that it has just taken.
	has_gone() { echo >"$tmp/go"; grep -q " perl/$sleeper pselect6" "$tmp/out"; }
	until_true has_gone
	kill -INT "$pid"
	wait "$pid"
	kill "$sleeper"
}

@test "strace prints a call that has not ended when it is stopped" {
	start sleep 100000
	sleeper=$pid
	start dktrace strace --pid "$sleeper" >"$tmp/out" 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	kill -CONT "$sleeper"
	# The signal interrupts the sleep, which the kernel then starts again.
	kill -STOP "$sleeper"
	kill -CONT "$sleeper"
	until_true grep -q 'sleep.*resumed' "$tmp/out"
	kill -INT "$pid"
	wait "$pid"
	kill "$sleeper"
	has_line 'restart_syscall\(.*<unfinished \.\.\.>' "$tmp/out"
	same '' "$(own)" 'left behind'
}

# The calls of strace(1)'s output with their results, without addresses.
strace_calls()
{
	sed -nE 's/^([a-z_0-9]+)\(.*\) += +(0x[0-9a-f]+|-?[0-9]+|\?)( E[A-Z]+)?.*/\1 \2\3/p' "$1" |
		sed 's/ 0x.*/ address/; /^get.*pid\|^set_tid/s/ .*//'
}

# The same of dktrace's.
own_calls()
{
	sed -nE 's/^[^)]*\) [^ ]* ([a-z_0-9]+)\(.*\) = (0x[0-9a-f]+|-?[0-9]+|\?)(<[^>]*>)?( E[A-Z]+)?.*/\1 \2\4/p' "$1" |
		sed 's/ 0x.*/ address/; /^get.*pid\|^set_tid/s/ .*//'
}

@test "strace has the calls and results that strace(1) has" {
	command -v strace >/dev/null || skip 'needs strace(1)'
	strace -o "$tmp/theirs" true 2>/dev/null || skip 'strace(1) must not trace here'
	cd "$tmp"
	mkdir tree && touch tree/a tree/b
	for command in 'cat /etc/passwd /nonexistent' 'ls -l tree' 'mkdir /proc/no'; do
		# shellcheck disable=SC2086 # words
		strace -o "$tmp/theirs" $command >"$tmp/both" 2>/dev/null || :
		# shellcheck disable=SC2086
		dktrace strace -- $command >"$tmp/both" 2>/dev/null || :
		grep -E '^[0-9:.]+ \(' "$tmp/both" >"$tmp/ours"
		same "$(strace_calls "$tmp/theirs")" "$(own_calls "$tmp/ours")" "$command"
	done
}

@test "the summary names the functions from which a program makes its calls" {
	run -0 --separate-stderr dktrace strace --summary --stack -- "$build/tests/tools/zone-target" 200000
	[[ "$stderr" != *"frame pointers only"* ]] || skip "samples of calls are not allowed: $stderr"
	same '' "$stderr" 'standard error'
	# By the call frame information: the C library keeps no frame pointers.
	has "$output" 'main > zone_read_lines > zone_parse_line > '
	grep -A3 '^CALL ' <<<"$output" | grep -q '^newfstatat .*zone_parse_line\|^stat .*zone_parse_line'
	same '' "$(own)" 'left behind'
}

@test "stacks of the summary have shares of the calls' counts and times" {
	run -0 --separate-stderr dktrace strace --summary --stack --json -e '*stat*' -- "$build/tests/tools/zone-target" 200000
	[[ "$stderr" != *"frame pointers only"* ]] || skip "samples of calls are not allowed: $stderr"
	jq -e '.stack_samples > 0 and ([.stacks[].share] | add > 0.999 and add < 1.001)' <<<"$output"
	jq -e '(.stacks[0].functions | index("zone_parse_line")) and .stacks[0].share > 0.5' <<<"$output"
	calls=$(jq '[.calls[].count] | add' <<<"$output")
	within $((calls * 99 / 100)) "$(jq '[.stacks[].count] | add' <<<"$output")" $((calls * 101 / 100)) counts
	run -0 dktrace strace --summary --stack --csv -e '*stat*' -- "$build/tests/tools/zone-target" 200000
	has "$output" 'call,share,count,total,functions'
	has "$output" zone_parse_line
}

@test "without samples of calls, callers come from the tracer's stacks" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] || skip "needs kernel.perf_event_paranoid of 0 or more"
	run -0 --separate-stderr setpriv --bounding-set=-perfmon,-sys_admin "$build/dktrace" strace --summary --stack -- true
	has "$stderr" 'callers are found by frame pointers only'
	has_line '^CALL .*STACK' <(echo "$output")
}
