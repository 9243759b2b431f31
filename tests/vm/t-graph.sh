# SPDX-License-Identifier: LGPL-2.1-or-later
# trace: entry and exit of the functions of the chosen subsystems' modules, by function_graph of the instance, or of the top one.
# modules: null_blk
# shellcheck shell=sh disable=SC2154

# How many lines of a file are of the module's functions. A fixed string is found faster than a pattern. usage: of_module FILE
of_module()
{
	grep -Fc '(null_blk:0:' "$1"
}

# Prints the modules to which the tracer is limited, one per line.
traced()
{
	sed -n 's/.*\[\(.*\)\]$/\1/p' "$where/set_ftrace_filter" | sort -u
}

# Prints the state of the top instance, to compare it after it was borrowed.
top()
{
	(cd "$tracing" && cat current_tracer trace_clock buffer_size_kb tracing_on set_ftrace_filter set_event)
}

off()
{
	same nop "$(cat "$instance/current_tracer")" "no tracer is on"
	has_line 'all functions enabled' "$instance/set_ftrace_filter" "no filter is left"
	same 1 "$(cat "$instance/tracing_on")" "recording goes on"
	same "$before" "$(top)" "the top instance is as it was"
	gone /run/dktrace/dktrace/spool/top
}

echo 1408 >$tracing/buffer_size_kb
before=$(top)
set_param debug=+trace subsystem_debug=echo
where=$instance
grep -qw function_graph "$instance/available_tracers" || where=$tracing
echo "function_graph in $where"
same '' "$(cat "$err")" "there is nothing to say"
same function_graph "$(cat "$where/current_tracer")" "the tracer is on"
same null_blk "$(traced)" "for null_blk alone"
no_line '^#' "$where/set_ftrace_filter" "and not for all"
has_line '^graph null_blk$' /run/dktrace/dktrace/settings "which is kept"
use_disk
run sh -c 'lctl dk >dk.txt'
head -n 30 dk.txt
entered=$(count '^00008000:00000001:.*:\(null_blk:0:[a-z_0-9.]*\(\)\) Process entered$' dk.txt)
left=$(count '^00008000:00000001:.*:\(null_blk:0:[a-z_0-9.]*\(\)\) Process leaving( \(rc=.*)?$' dk.txt)
at_least 50 "$entered" "functions are entered"
at_least "$((entered - 20))" "$left" "and left"
same 0 "$(grep 'Process entered' dk.txt | grep -v raw_syscalls | grep -vc '(null_blk:0:')" "no other functions are"

# Selection by class and subsystem; the other style.
use_disk
lctl clear
use_disk
run dktrace show --class trace --subsystem echo
at_least 20 "$(of_module "$out")" "--class trace --subsystem echo shows them"
run dktrace show --class trace --subsystem osd
same 0 "$(count "$legacy")" "--subsystem osd does not"
run dktrace dk --style trace
has_line 'funcgraph_entry: .*null_' "$out" "trace style has the function's name"

# A tracer that is set already is not set again; a change loses no earlier record.
lctl clear
use_disk
set_param debug=+trace
run sh -c 'dktrace show >show.txt'
at_least 20 "$(of_module show.txt)" "setting the same again keeps all"
set_param debug=-trace
off
run sh -c 'dktrace show >show2.txt'
at_least "$(of_module show.txt)" "$(of_module show2.txt)" "switching off keeps all"
use_disk
set_param debug=+vfstrace subsystem_debug=+llite
cat /etc/passwd >/dev/null
set_param debug=+trace
same function_graph "$(cat "$where/current_tracer")" "the tracer is on again"
run sh -c 'lctl dk >dk.txt'
at_least "$(of_module show2.txt)" "$(of_module dk.txt)" "the older ones are there"
at_least 2 "$(count 'syscalls:0:sys_enter_open' dk.txt)" "and events recorded before the switch"
same "Debug log: $(count "$legacy" dk.txt) lines, $(count "$legacy" dk.txt) kept, 0 dropped, 0 bad." \
	"$(tail -n 1 dk.txt)" "with no loss"
same '' "$(cat "$err")" "in silence neither"

# Losses before a change are reported after it.
set_param debug=vfstrace subsystem_debug=-1 debug_mb=2
lctl clear
dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
echo 0 >"$instance/tracing_on"
all=$(generated)
echo 1 >"$instance/tracing_on"
set_param debug=trace subsystem_debug=echo
run sh -c 'lctl dk >dk.txt'
kept=$(count '\(syscalls:0:' dk.txt)
lost=$(sed -n 's/.*: \([0-9]*\) records were lost.*/\1/p' "$err")
at_least "$all" "$((kept + ${lost:-0}))" "kept + lost is all that was generated before"
at_least "$((kept + ${lost:-0}))" "$((all + 4000))" "and not counted twice"

# No module of the subsystem: not the whole kernel. Another subsystem: another limit.
set_param subsystem_debug=osd
off
has_line 'no module of the chosen subsystems is loaded' "$err" "a note says so"
set_param subsystem_debug=-1
traced >modules
has_line '^null_blk$' modules "all subsystems: null_blk is among their modules"
cat modules

# With a reader, the kernel does not change the tracer; everything else is set.
set_param debug=vfstrace
dktrace follow >/dev/null 2>&1 &
follow=$!
follows $follow
set_param debug=vfstrace+trace
has_line "not recorded: .*process $follow is reading" "$err" "a note names the reader"
has_line 'raw_syscalls:sys_enter' "$instance/set_event" "events are on all the same"
off
kill -INT "$follow"
wait "$follow"
set_param debug=+trace
same function_graph "$(cat "$where/current_tracer")" "afterwards it can be had"


# A change that is killed is taken back, with the tracer too; the next one has it again.
set_param debug=-trace
off
set_param debug=+trace
run dktrace status
has_line "functions: entry and exit, of .*null_blk" "$out" "status names the modules" || cat "$out"
[ "$where" = "$instance" ] || has_line "in the kernel's top instance, which is borrowed" "$out" "and where it is"
sed '/^graph/d; s/^debug .*/debug 0x00200000/' /run/dktrace/dktrace/settings >/run/dktrace/dktrace/settings.before
set_param debug_mb=4
off
set_param debug=+trace
same function_graph "$(cat "$where/current_tracer")" "it can be had again"

run dktrace reset
status_is 0 "reset with a tracer on"
gone "$instance"
same "$before" "$(top)" "the top instance is as it was"

# The top instance is borrowed only if no other program uses it.
if [ "$where" = "$tracing" ]; then
	# refused WHY: trace without entry and exit, and nothing is touched.
	refused()
	{
		before=$(top)
		set_param debug=trace subsystem_debug=echo+llite
		has_line "not recorded: this kernel has function_graph only in the top instance: $1" "$err" "refused: $1"
		same "$before" "$(top)" "the top instance is as it was"
		has_line 'raw_syscalls:sys_enter' "$instance/set_event" "events are on all the same"
		run dktrace reset
	}
	echo function >$tracing/current_tracer
	refused 'another program uses function in the top instance'
	echo nop >$tracing/current_tracer
	echo syscalls:sys_enter_reboot >$tracing/set_event
	refused 'another program has enabled syscalls:sys_enter_reboot in the top instance'
	echo >$tracing/set_event
	echo vfs_read >$tracing/set_ftrace_filter
	refused 'another program has chosen functions in the top instance'
	echo >$tracing/set_ftrace_filter
	echo mine >$tracing/trace_marker
	refused 'the top instance has records of another program'
	has_line 'mine' $tracing/trace "which are still there"
	echo >$tracing/trace

	# Its state is restored, whatever it was; a first change that fails leaves nothing.
	echo global >$tracing/trace_clock
	echo 300 >$tracing/buffer_size_kb
	echo 0 >$tracing/tracing_on
	before=$(top)
	set_param debug=trace subsystem_debug=echo debug_mb=4
	has_line '\[mono\]' $tracing/trace_clock "its clock is the log's meanwhile"
	use_disk
	sleep 1
	since=$(date +%s)
	lctl clear
	run sh -c 'lctl dk >dk.txt'
	same 0 "$(awk -F: -v since="$since" '/\(null_blk:0:/ && $4 < since' dk.txt | wc -l)" "clear empties it too"
	use_disk
	run lctl debug_daemon start daemon.bin 10
	written()
	{
		lctl debug_daemon status | grep -q '^written: [1-9]'
	}
	until_true written
	run lctl debug_daemon stop
	run sh -c 'lctl df daemon.bin >daemon.txt'
	at_least 20 "$(count '\(null_blk:0:.*Process entered' daemon.txt)" "the daemon writes functions too"
	run dktrace reset
	same "$before" "$(top)" "the top instance is as it was: another clock, size and off"
	echo local >$tracing/trace_clock
	echo 1408 >$tracing/buffer_size_kb
	echo 1 >$tracing/tracing_on

	# If the saved state is invalid, the values after boot are restored, except the size.
	set_param debug=trace subsystem_debug=echo
	head -c 300 /dev/urandom >/run/dktrace/dktrace/spool/top
	run dktrace reset
	status_is 0 "reset with a damaged note"
	same "nop 1" "$(cat $tracing/current_tracer $tracing/tracing_on | tr '\n' ' ' | sed 's/ $//')" "the tracer is off"
	has_line '\[local\]' $tracing/trace_clock "and the clock is the kernel's own"
fi
