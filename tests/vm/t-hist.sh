# SPDX-License-Identifier: LGPL-2.1-or-later
# Histograms of the kernel and of user space agree, and known workloads give known counts.
# shellcheck shell=sh disable=SC2154,SC2086,SC2016

need dktrace

[ -e $tracing/events/sched/sched_switch/hist ] || skip "no histograms"

# A worker with a unique name; busybox accepts names that begin with its own.
ln -s /bin/busybox busybox-w
cat >worker <<'END'
i=0
while [ $i -lt 50 ]; do
	: </etc/passwd
	i=$((i + 1))
done
for n in 1 2 3 4 5 7 8 9 15 16 17 31 32 33 63 64 65 100 127 128 129 1000 4095 4096 4097; do
	echo | busybox-w dd of=/dev/null bs=$n count=3 if=/dev/zero 2>/dev/null
done
END

work="$PWD/busybox-w sh $PWD/worker"
mine='COMM ~ "busybox-*"'

# The kernel stores the name of a process unless another CPU is storing one: a few names are missing.
drop_nameless()
{
	sed -n 's/.*<\.\.\.>\(\[[0-9]*\]\).*/\1/p' here.csv | sort -u >nameless
	[ -s nameless ] || return
	[ "$(wc -l <nameless)" -le 16 ] || fail "$(wc -l <nameless) processes have no name"
	for table in kernel here; do
		grep -vFf nameless $table.csv >named.csv
		mv named.csv $table.csv
	done
}

# Both at once: the command of the one is the hist that counts in the kernel.
# usage: both EVENTS OPTION...
both()
{
	events=$1
	shift
	dktrace hist "$events" "$@" --filter "$mine" --here --csv -- \
		sh -c 'exec dktrace hist "$@" >kernel.csv 2>kernel.err' - "$events" "$@" --filter "$mine" --csv -- $work \
		>here.csv 2>here.err
	rc=$?
	same 0 "$rc" "hist $events $*" || cat kernel.err here.err
	sed 's/^/stderr: /' kernel.err here.err
	drop_nameless
	if cmp -s kernel.csv here.csv; then
		ok "the same table of both: $(($(wc -l <kernel.csv) - 1)) rows"
	else
		fail "the tables differ"
		diff kernel.csv here.csv | head -n 20
	fi
	[ "$(wc -l <kernel.csv)" -gt 1 ] || fail "an empty table"
}

PATH=$PWD:$PATH
# Room for the names of all, for as long as the test takes.
echo 4096 >"$tracing/saved_cmdlines_size"
both raw_syscalls:sys_enter --keys id
both raw_syscalls:sys_enter --keys id.syscall,common_pid.execname
# A packet to this host is received by a soft interrupt.
ip link set lo up
run dktrace hist irq:softirq_entry --keys vec -- ping -q -c 1 127.0.0.1
has_line '^NET_RX +[0-9]+ ' "$out" "numbers have the names of the print format"
run dktrace hist irq:softirq_entry --keys vec -t 0.1
same 'dktrace: counting for 0.1 s' "$(cat "$err")" "and the kernel counts"
hostname oss7
run dktrace hist irq:softirq_entry --keys vec --style svg -t 0.1
has_line 'oss7, [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}.*: [0-9]+ hits' "$out" "its picture has host and time"
run dktrace hist irq:softirq_entry --keys vec --keep
ping -q -c 1 127.0.0.1
run dktrace hist
has_line '^NET_RX +[0-9]+ ' "$out" "so they have where it is kept"
dktrace reset
run dktrace hist sched:sched_switch --keys next_pid.execname -- sleep 0.1
has_line "execname of common_pid only, not 'next_pid.execname': records are read and counted in user space" "$err" \
	"what the kernel cannot is told"
has_line '^sleep\[[0-9]+\] +[0-9]+ |^swapper/[0-9]+\[0\] +[0-9]+ ' "$out" "and done here"
both syscalls:sys_enter_read --keys count --vals count,fd --sort count
both syscalls:sys_enter_read --keys count.log2 --vals count --sort count
both syscalls:sys_enter_read --keys count.buckets=64 --sort count.descending
both syscalls:sys_exit_read --keys ret.log2,common_pid --sort common_pid
both syscalls:sys_exit_read --keys ret --sort ret
both syscalls:sys_enter_openat --keys flags.hex,dfd
# Not sched_switch: a process's last one may come after its parent knows that it has ended.
both sched:sched_process_fork --keys parent_comm --vals parent_pid
both sched:sched_process_exec --keys filename
both syscalls:sys_enter_read,syscalls:sys_enter_write,syscalls:sys_enter_openat --keys event
both syscalls:sys_enter_read,syscalls:sys_enter_write --keys event,count.log2 --vals count
both kmem:kmalloc --keys call_site.sym --vals bytes_req,bytes_alloc

# Numbers known in advance.
run dktrace hist syscalls:sys_enter_openat --keys common_pid --csv --filter "$mine && flags == 0" -- $work
has_line '^[0-9]+,5[0-9]$' "$out" "50 opens by one process, and those of its start"
run dktrace hist syscalls:sys_enter_read --keys count.buckets=100 --csv --filter "$mine && fd == 0" -- $work
has_line '^4000-4099,9$' "$out" "a bucket of three sizes, three reads each"
run dktrace hist syscalls:sys_enter_read --keys count.log2 --csv --filter "$mine && fd == 0" -- $work
has_line '^4097-8192,3$' "$out" "4097 is above 4096"
has_line '^2049-4096,6$' "$out" "4095 and 4096"
has_line '^65-128,12$' "$out" "65 to 128"
has_line '^129-256,3$' "$out" "129"

# The order is the kernel's.
run dktrace hist syscalls:sys_enter_read --keys count --sort count.descending --keep --filter "$mine"
status_is 0 "--keep"
kept=$tracing/instances/dktrace-hist
run dktrace status
has_line 'kept in the instance dktrace-hist' "$out" "status tells of it"
$work
run dktrace hist --csv
sed -n 's/^{ count: *\([0-9]*\) } hitcount: *\([0-9]*\)$/\1,\2/p' $kept/events/syscalls/sys_enter_read/hist >kernel.rows
tail -n +2 "$out" | sort -t , -k 1,1nr >ours.rows
holds "rows of the kernel's file, in its order" cmp kernel.rows ours.rows
run dktrace hist
has_line 'syscalls:sys_enter_read hist:keys=count' "$out" "kept: named with its trigger"
run dktrace hist syscalls:sys_enter_read --keys count --keep
has_line 'is counted already' "$err" "a second one on the same event is refused"
dktrace hist --json >before.json
$work
run dktrace hist --csv --diff before.json
has_line '^4097,3$' "$out" "--diff: what came since"
run dktrace reset
gone $kept "reset ends what was kept"

# Stacks, in the kernel and in user space.
run dktrace hist kmem:kmalloc --keys stacktrace --folded -- $work
has_line '^[a-zA-Z0-9_.]+;.*;[a-zA-Z0-9_.]+ [0-9]+$' "$out" "folded stacks of the kernel's"
run dktrace hist kmem:kmalloc --keys stacktrace --folded --here -- $work
has_line ';vfs_read|;do_sys_openat2;|do_syscall_64;' "$out" "folded stacks of ours"

# A table that is too small reports the size to use.
run dktrace hist sched:sched_switch,raw_syscalls:sys_enter --keys common_timestamp --size 128 --csv -- $work
has_line 'hits did not fit into the table; use --size [0-9]+' "$err" "dropped: with the size to use"

# Variables, handlers, actions.
run dktrace hist syscalls:sys_exit_read --keys common_pid --var 'r=ret' --do 'onmax($r).save(common_pid)' \
	--filter "$mine" -- $work
has_line 'SAVED' "$out" "onmax and save"
has_line 'max: 4097 common_pid: [0-9]+' "$out" "the most that was read"

# A class that is a part of an event, in the kernel and in user space.
mkdir classes
cat >classes/10.yaml <<'YAML'
classes:
  error:
    about: reads of a size that nobody else has
    entries:
      - events: syscalls:sys_exit_read
        filter: ret == 1234
      - events: syscalls:sys_enter_openat
YAML
for how in --csv "--csv --here"; do
	run env DKTRACE_CLASSES="$PWD/classes" dktrace hist error $how -- dd if=/dev/zero of=/dev/null bs=1234 count=7
	has_line 'sys_exit_read,7$' "$out" "those of seven reads: $how"
	has_line 'sys_enter_openat,[1-9]' "$out" "and each of the other event: $how"
done

# Five processes, each of which reads once: so many bytes.
cat >reads <<'SH'
for n in 1100 1100 1200 1300 1300; do
	busybox-w dd if=/dev/zero of=/dev/null bs=$n count=1 2>/dev/null
done
SH
zeros='COMM ~ "busybox-*" && fd == 0'
got="$mine && ret >= 1100 && ret <= 1300"
echo 'dkt_test_read long n; int pid' >>$tracing/synthetic_events
echo 'dkt_test_time u64 us; int pid' >>$tracing/synthetic_events
seen=$tracing/instances/seen
mkdir $seen
echo 1 >$seen/events/synthetic/enable

# Prints and removes the records of events that actions wrote. usage: values FIELD
values()
{
	sed -n "s/.*dkt_test_[a-z]*: .*\\b$1=\\([0-9]*\\).*/\\1/p" $seen/trace
	echo >$seen/trace
}

run dktrace hist syscalls:sys_exit_read --keys common_pid --var 'r=ret' \
	--do 'onchange($r).trace(dkt_test_read,ret,common_pid)' --filter "$got" -- busybox-w sh reads
status_is 0 "onchange and trace"
same '1100 1100 1200 1300 1300' "$(values n | xargs)" "an event for each change"
run dktrace hist syscalls:sys_exit_read --keys common_pid --var 'r=ret' --do 'onchange($r).save(ret)' \
	--filter "$got" -- busybox-w sh reads
same 2 "$(count 'changed: 1300 ret: 1300')" "onchange and save"

# onmatch: a variable of the first event, an action of the second.
run dktrace hist syscalls:sys_enter_read --keys common_pid --var 'from=common_timestamp.usecs' --filter "$zeros" --keep
status_is 0 "the first of two"
run dktrace hist syscalls:sys_exit_read --keys common_pid --var 'us=common_timestamp.usecs-$from' \
	--do 'onmatch(syscalls.sys_enter_read).trace(dkt_test_time,$us,common_pid)' --filter "$got" --keep
status_is 0 "onmatch and trace"
busybox-w sh reads
same 5 "$(values us | wc -l)" "an event for each match"
run dktrace reset
status_is 0 "both go"
run dktrace hist syscalls:sys_exit_read --keys ret --var 'r=ret' --do 'onmax($r).snapshot()' --filter "$got" --keep
status_is 0 "onmax and snapshot"
echo 1 >$kept/events/syscalls/sys_exit_read/enable
busybox-w sh reads
has_line 'triggering value .*1300' $kept/events/syscalls/sys_exit_read/hist "by the most that was read"
has_line 'sys_read -> 0x|sys_exit_read' $kept/snapshot "the snapshot holds records"
run dktrace reset
rmdir $seen
echo '!dkt_test_read long n; int pid' >>$tracing/synthetic_events
echo '!dkt_test_time u64 us; int pid' >>$tracing/synthetic_events
same '' "$(cat $tracing/synthetic_events)" "actions let go of the events"

# Refused: the words, and nothing left.
run dktrace hist syscalls:sys_enter_read --keys buf,nofield -- true
status_is 1 "no such field"
run dktrace hist sched:sched_process_exec,sched:sched_switch --keys prev_comm,next_comm --vals prev_prio -- true
run dktrace hist syscalls:sys_enter_read --keys count --vals '$nosuch' -- true
status_is 1 "no such variable"
has_line 'sys_enter_read' "$err" "which event it is about"
same '' "$(ls $tracing/instances)" "nothing is left"

# After a kill, reset or the next command removes the instance.
dktrace hist syscalls:sys_enter_read --keys count >/dev/null 2>killed.err &
pid=$!
says $pid Ctrl-C killed.err
kill -9 $pid
wait $pid 2>/dev/null
same 1 "$(ls $tracing/instances | wc -l)" "an instance is left"
run dktrace hist syscalls:sys_enter_read --keys count -- true
same '' "$(ls $tracing/instances)" "the next one removed it"

# A pipe without a reader ends it, as every command that prints.
mkfifo pipe
(
	exec 5<>pipe 6>pipe 5<&-
	dktrace hist sched:sched_switch --duration 0.2 >&6
) 2>/dev/null
same 141 $? "the status is that of SIGPIPE"
