# SPDX-License-Identifier: LGPL-2.1-or-later
# function and graph: globs, modules, roots, depth and threshold; in an instance if possible.
# modules: xfs loop null_blk
# programs: mkfs.xfs
# shellcheck shell=sh disable=SC2154

global()
{
	(cd "$tracing" && cat max_graph_depth tracing_thresh set_graph_function set_ftrace_filter set_ftrace_notrace \
		set_ftrace_pid current_tracer trace_clock tracing_on buffer_size_kb options/function-fork)
}

off()
{
	run dktrace "$1" off
	status_is 0 "$1 off"
	same nop "$(cat "$instance/current_tracer")" "no tracer is on"
	global | diff before - || fail "the whole kernel's knobs are as before"
}

use()
{
	for _ in 1 2 3; do
		cat /etc/passwd >/dev/null
		ls / >/dev/null
	done
}

# The kernel looks for the name of each function of a module among all names of the module, so with xfs each choice of
# functions takes seconds. It is loaded where its functions are the subject.
rmmod xfs

set_param debug=0
dktrace reset
global >before
set_param debug=0
where=$instance
grep -qw function_graph "$instance/available_tracers" || where=$tracing

# By glob, without some.
run dktrace graph 'vfs_*' -x vfs_read,vfs_readv
status_is 0 "graph by glob" || exit
same function_graph "$(cat "$where/current_tracer")" "the tracer is on"
run dktrace graph
same "function_graph of vfs_*, without vfs_read, vfs_readv" "$(cat "$out")" "graph shows it"
run dktrace status
has_line '^functions +function_graph of vfs_\*' "$out" "so does status"
# It is saved, and set again.
dktrace save saved.conf
has_line '^graph = vfs_\* --notrace vfs_read,vfs_readv$' saved.conf "it is saved"
dktrace reset
run dktrace apply saved.conf
status_is 0 "and applied"
run dktrace graph
same "function_graph of vfs_*, without vfs_read, vfs_readv" "$(cat "$out")" "it is as it was"
same function_graph "$(cat "$where/current_tracer")" "in the kernel, too"
use
# Other settings do not change it.
set_param debug=+ioctl
run dktrace show --style trace
at_least 10 "$(count 'funcgraph_entry: .* \|  +vfs_[a-z]*\(\) \{$')" "entries of vfs_*"
at_least 10 "$(count 'funcgraph_exit: .*[0-9]+\.[0-9]{3} us \|  +\} /\* vfs_[a-z_]* \*/$')" "and exits, with their time"
same 0 "$(count '(vfs_read|vfs_readv)\(\)')" "none of those left out"
same 0 "$(grep 'funcgraph_entry' "$out" | grep -vc 'vfs_')" "and no others"
off graph
run dktrace dk --style trace
at_least 10 "$(count 'funcgraph_entry')" "what was recorded is kept"

# Under a root, to a depth. Some that vfs_read calls, and some that these call: to switch on all functions of the
# kernel takes a minute in the VM.
# AppArmor's functions, which security_file_*() calls, if the kernel has them.
set -- vfs_read 'rw_*' 'security_file_*' 'generic_file_*' 'filemap_*'
! grep -q '^apparmor_file_' "$tracing/available_filter_functions" || set -- "$@" 'apparmor_file_*'
run dktrace graph --under vfs_read --depth 2 "$@"
status_is 0 "graph under a root, to a depth"
same 2 "$(cat "$tracing/max_graph_depth")" "depth"
same vfs_read "$(cat "$tracing/set_graph_function")" "root"
lctl clear
use
run dktrace dk --style trace
at_least 3 "$(count 'funcgraph_entry: +\|  vfs_read\(\) \{$')" "the root is at the left"
at_least 3 "$(count 'funcgraph_entry: +\|    [a-z_0-9.]+\(\) \{$')" "what it calls is indented"
same 0 "$(count 'funcgraph_entry: +\|      ')" "deeper ones are not there"
grep -E 'funcgraph_entry: +\|  [a-z]' "$out" | grep -v ' vfs_read()' && fail "nor other roots"

# The depth of another program is not changed; a failure changes nothing.
DKTRACE_INSTANCE=other run dktrace graph --depth 5 'vfs_*'
status_is 1 "another log cannot have another depth"
has_line "another program" "$err" "which is said"
same 2 "$(cat "$tracing/max_graph_depth")" "depth"
DKTRACE_INSTANCE=other dktrace reset
run dktrace graph 'no_such_function*'
status_is 1 "a glob of nothing"
has_line "no function that this kernel can trace matches 'no_such_function\*'" "$err" "is told"
same function_graph "$(cat "$where/current_tracer")" "the tracer is still on"
off graph

# Above a time: exits only.
run dktrace graph --threshold 5ms 'schedule*' 'do_nanosleep' 'hrtimer_nanosleep'
status_is 0 "graph above a time"
same 5000 "$(cat "$tracing/tracing_thresh")" "threshold"
lctl clear
sleep 0.2
run dktrace dk --style trace
at_least 1 "$(count 'funcgraph_exit: +[*@] +[0-9]{5,}\.[0-9]+ us \|  +\} /\* (do|hrtimer)_nanosleep')" "a sleep is longer"
same 0 "$(count 'funcgraph_entry')" "no entries"
off graph

# By module, for a command and its children.
insmod /vm/modules/xfs.ko
mount_xfs mnt
lctl clear
run dktrace graph :mod:xfs -- sh -c 'echo x >mnt/file; cat mnt/file; exit 3'
status_is 3 "a command's own exit status"
has_line '^x$' "$out" "and its output"
echo y >mnt/other
run sh -c 'dktrace dk --style trace >dk.txt'
at_least 20 "$(count 'funcgraph_entry: .* xfs_' dk.txt)" "functions of the module"
awk '$4 == "[xfs]" { print $3 }' /proc/kallsyms | sort -u >of_xfs
sed -n 's/.*funcgraph_entry: .* \([a-z_0-9.]*\)() {$/\1/p' dk.txt | sort -u | grep -Fvx -f of_xfs >others
same "" "$(cat others)" "of no other one"
grep funcgraph_entry dk.txt | grep -Ev '^ *(dktrace|sh|cat)-' && fail "in the command only"
same nop "$(cat "$where/current_tracer")" "the tracer is off after it"
umount mnt
rmmod xfs

# A signal ends the command, and the tracer with it.
dktrace graph 'vfs_*' -- sh -c 'trap "echo told >told; exit 4" TERM; : >begun; while :; do sleep 0.1; done' \
	2>ended.err &
pid=$!
until_true [ -e begun ]
same function_graph "$(cat "$where/current_tracer")" "the tracer is on while it runs"
kill -TERM $pid
wait $pid
same 4 $? "the command's own exit status"
same told "$(cat told)" "it got the signal"
same nop "$(cat "$where/current_tracer")" "the tracer is off after a signal"

# The function tracer; killed, reset.
run dktrace function 'vfs_read' --pid $$ --children
status_is 0 "function"
same function "$(cat "$instance/current_tracer")" "in the instance on every kernel"
use
run dktrace show --style trace
at_least 3 "$(count 'function: +vfs_read <-- ')" "calls with their callers"
off function
how_long dktrace graph --depth 3 --under vfs_read 'vfs_*'
dktrace reset
for _ in 1 2 3 4; do
	kill_change 'dktrace reset' dktrace graph --depth 3 --under vfs_read 'vfs_*'
	run dktrace reset
	status_is 0 "reset after kill -9"
	global | diff before - || fail "the whole kernel's knobs are as before"
done

# With trace in debug: the command's tracer first, then that of debug again.
if [ "$where" = "$instance" ]; then
	set_param debug=0 debug=+trace subsystem_debug=echo
	same function_graph "$(cat "$instance/current_tracer")" "trace"
	dktrace graph 'vfs_*' -x vfs_read
	same vfs_read "$(cat "$instance/set_ftrace_notrace")" "graph in its place"
	dktrace graph off
	same function_graph "$(cat "$instance/current_tracer")" "trace again"
	no_line '^vfs_' "$instance/set_ftrace_filter" "for its modules"
	same "" "$(grep -v '^#' "$instance/set_ftrace_notrace")" "with nothing left out"
fi
dktrace reset

# It is saved with all its limits; apply skips functions of a missing module and sets the rest.
run dktrace graph 'loop_*' 'vfs_*' --under vfs_read --depth 2 --threshold 5us --pid 1 --children
dktrace save saved.conf
has_line '^graph = loop_\* vfs_\* --under vfs_read --depth 2 --threshold 5 --pid 1 --children --boot [0-9a-f-]*$' \
	saved.conf "roots, depth, time and processes are saved"
run dktrace graph
cp "$out" wanted
dktrace reset
run dktrace apply saved.conf
run dktrace graph
diff wanted "$out" && ok "they are set again" || fail "they are set again"
dktrace reset
printf 'debug = +ioctl\ngraph = dkt_nosuch_* --depth 1\n' >saved.conf
run dktrace apply saved.conf
status_is 0 "functions that are not there"
has_line "saved.conf:2: skipped: no function that this kernel can trace matches 'dkt_nosuch_\*'" "$err" "are told"
has_line '^debug=\+ioctl$' "$out" "and all else is set"
dktrace reset
global | diff before - && ok "nothing is left" || fail "nothing is left"
