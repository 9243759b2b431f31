# SPDX-License-Identifier: LGPL-2.1-or-later
# append: trace_buf_size=2048K trace_instance=dktrace,module:module_free,module:module_load,power:suspend_resume,sched:sched_process_exec,sched:sched_process_exit,sched:sched_process_fork,task:task_rename
# What boot-config prints makes the kernel record from boot on; the log takes it over.
# shellcheck shell=sh disable=SC2154

run dktrace boot-config --cmdline debug=0 debug=+info debug_mb=4
assert_rc 0 "boot-config --cmdline"
cp "$out" words
if [ ! -e "$instance" ]; then
	assert_grep '^trace_buf_size=2048K trace_instance=dktrace,.*,task:task_rename$' words "the words of a later kernel"
	assert_eq "" "$(ls $tracing/instances)" "6.1 has no trace_instance=" || exit
	assert_grep '^6\.1\.' /proc/sys/kernel/osrelease "but all that are newer have"
	exit
fi

# The kernel of this boot was given those words.
assert_eq "$(cat words)" "$(sed 's/.*\(trace_buf_size=\)/\1/' /proc/cmdline)" "as on the command line"
run dktrace boot-config --cmdline debug=0 debug=+info debug_filter='pid == 1'
assert_grep '^# the command line takes no filters: 3 events are on without theirs$' "$err" "filters are told to be left out"
run dktrace boot-config --cmdline debug=all
assert_rc 1 "more than a command line holds"
assert_grep "bytes, the kernel's command line has 2048" "$err" "is refused"
run dktrace boot-config debug=0 debug=+info debug_filter='pid == 1 && "a" != comm'
assert_grep 'filter: ' "$err" "a wrong filter is refused"
run dktrace boot-config debug=0 debug=+info debug_mb=4 debug_filter='comm == "init"'
cat >want <<'END'
ftrace.instance.dktrace {
	trace_clock = mono
	buffer_size = 2048KB
	events = "module:module_free",
		"module:module_load",
		"power:suspend_resume",
		"sched:sched_process_fork",
		"task:task_rename"
	event.sched.sched_process_exec {
		enable
		filter = 'comm == "init"'
	}
	event.sched.sched_process_exit {
		enable
		filter = 'comm == "init"'
	}
}
END
diff want "$out" && ok "the same as bootconfig"

# It recorded before there was a process, and the log is what it was given.
run dktrace status
assert_grep '^debug +info$' "$out" "the log has the class"
assert_grep '^debug_mb +4$' "$out" "and the size"
run sh -c 'dktrace show >show.txt'
assert_rc 0 "show"
assert_grep "the clock 'local'" "$err" "whose times are shown is told"
assert_grep 'sched_process_fork\(\)\) comm=kthreadd ' show.txt "threads of the kernel's"
assert_grep 'sched_process_exec\(\)\) filename=/init pid=1 ' show.txt "the first program"
at_least 20 "$(grep -n 'filename=/init pid=1 ' show.txt | cut -d : -f 1)" "and much before it"

# A change keeps what was recorded; dk has it once.
lines=$(count "$legacy" show.txt)
set_param debug=+ioctl
run dktrace status
assert_grep '^debug +info ioctl$' "$out" "a change adds to it"
assert_grep '^sched:sched_process_exec$' "$instance/set_event" "what was on is on"
run sh -c 'dktrace dk >dk.txt'
at_least "$lines" "$(count "$legacy" dk.txt)" "nothing was lost by it"
assert_grep 'sched_process_exec\(\)\) filename=/init pid=1 ' dk.txt "the first program again"

# Going on with times of the day.
run dktrace reset
assert_gone "$instance"
set_param debug=info
stty </dev/null
run dktrace dk
assert_eq "" "$(cat "$err")" "times of the day after a reset"
