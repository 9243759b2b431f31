# SPDX-License-Identifier: LGPL-2.1-or-later
# append: trace_buf_size=2048K trace_instance=dktrace,module:module_free,module:module_load,power:suspend_resume,sched:sched_process_exec,sched:sched_process_exit,sched:sched_process_fork,task:task_rename
# The output of boot-config makes the kernel record from boot on, and the log takes over.
# shellcheck shell=sh disable=SC2154

run dktrace boot-config --cmdline debug=0 debug=+info debug_mb=4
status_is 0 "boot-config --cmdline"
cp "$out" words
if [ ! -e "$instance" ]; then
	has_line '^trace_buf_size=2048K trace_instance=dktrace,.*,task:task_rename$' words "the words of a later kernel"
	same "" "$(ls $tracing/instances)" "6.1 has no trace_instance=" || exit
	has_line '^6\.1\.' /proc/sys/kernel/osrelease "but all that are newer have"
	exit
fi

# The kernel of this boot was given those words.
same "$(cat words)" "$(sed 's/.*\(trace_buf_size=\)/\1/' /proc/cmdline)" "as on the command line"
run dktrace boot-config --cmdline debug=0 debug=+info debug_filter='pid == 1'
has_line '^# the command line takes no filters: 7 events are enabled without theirs$' "$err" "filters are told to be left out"
run dktrace boot-config --cmdline debug=0 debug=+info+ioctl debug_mb=4
same "$(cat words)" "$(cat "$out")" "system calls are left out"
has_line '^# syscalls: the command line enables them too early: left to dktrace apply$' "$err" "which is told"
run dktrace boot-config debug=0 debug=+ioctl
has_line 'events = "syscalls:sys_enter_ioctl",' "$out" "bootconfig, which is handled later, can have them"
run dktrace boot-config --cmdline debug=all
status_is 1 "more than a command line holds"
has_line "bytes; the limit of the kernel's command line is 2048" "$err" "is refused"
run dktrace boot-config debug=0 debug=+info debug_filter='pid == 1 && "a" != comm'
has_line 'filter: ' "$err" "a wrong filter is refused"
run dktrace boot-config debug=0 debug=+info debug_mb=4 debug_filter='filename ~ "*/lctl"'
cat >want <<'END'
ftrace.instance.dktrace {
	trace_clock = mono
	buffer_size = 2048KB
	events = "module:module_free",
		"module:module_load",
		"power:suspend_resume",
		"sched:sched_process_exit",
		"sched:sched_process_fork",
		"task:task_rename"
	event.sched.sched_process_exec {
		enable
		filter = 'filename ~ "*/lctl"'
	}
}
END
diff want "$out" && ok "the same as bootconfig"

# The kernel recorded before the first process, and the log has these records.
run dktrace status
has_line '^debug +info$' "$out" "the log has the class"
has_line '^debug_mb +4$' "$out" "and the size"
run sh -c 'dktrace show >show.txt'
status_is 0 "show"
has_line "the clock 'local'" "$err" "whose times are shown is told"
has_line 'sched_process_fork\(\)\) comm=kthreadd ' show.txt "threads of the kernel's"
has_line 'sched_process_exec\(\)\) filename=/init pid=1 ' show.txt "the first program"
at_least 20 "$(grep -n 'filename=/init pid=1 ' show.txt | cut -d : -f 1)" "and much before it"

# A change keeps the records, and dk prints them once.
lines=$(count "$legacy" show.txt)
set_param debug=+ioctl
stty -F /dev/ttyS0 >/dev/null
run dktrace status
has_line '^debug +info ioctl$' "$out" "a change adds to it"
has_line '^sched:sched_process_exec$' "$instance/set_event" "what was on is on"
run sh -c 'dktrace dk >dk.txt'
at_least "$lines" "$(count "$legacy" dk.txt)" "nothing was lost by it"
has_line 'sched_process_exec\(\)\) filename=/init pid=1 ' dk.txt "the first program again"
has_line 'sys_enter_ioctl\(\)\)' dk.txt "system calls, which a change has added"

# Going on with times of the day.
run dktrace reset
gone "$instance"
set_param debug=info
stty </dev/null
run dktrace dk
same "" "$(cat "$err")" "times of the day after a reset"
