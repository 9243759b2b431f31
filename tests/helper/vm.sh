# SPDX-License-Identifier: LGPL-2.1-or-later
# The functions for a test in the VM. The VM's init reads this file before the test, in the same shell.
# shellcheck shell=sh disable=SC2034
#
# A test passes if it made at least one check and none failed. It may end early with `exit`; the
# status then still tells of failed checks. Checks return 1 when they fail: `same ... || exit`.

set -u
tracing=/sys/kernel/tracing
work=/tmp/work
out=/tmp/vm.stdout
err=/tmp/vm.stderr
rc=
vm_checks=0
vm_failed=0

rm -rf "$work"
mkdir "$work"
cd "$work" || exit 1

vm_finish()
{
	status=$?
	unload_built
	if [ "$vm_failed" -gt 0 ]; then
		exit 1
	elif [ "$status" -eq 0 ] && [ "$vm_checks" -eq 0 ]; then
		echo "not ok: the test checked nothing"
		exit 1
	fi
	exit "$status"
}
trap vm_finish EXIT

ok()
{
	vm_checks=$((vm_checks + 1))
	echo "ok: $*"
}

# fail DESCRIPTION...: records a failure and goes on.
fail()
{
	vm_checks=$((vm_checks + 1))
	vm_failed=$((vm_failed + 1))
	echo "not ok: $*"
	return 1
}

# skip REASON: ends the test, which cannot run on this system.
skip()
{
	echo "skip: $*"
	exit 77
}

# run COMMAND...: leaves its output in the files $out and $err and its exit status in $rc.
run()
{
	echo "\$ $*"
	rc=0
	"$@" >"$out" 2>"$err" || rc=$?
	head -n 20 "$out"
	sed 's/^/stderr: /' "$err"
	[ "$rc" -eq 0 ] || echo "exit status $rc"
}

status_is()
{
	same "$1" "$rc" "${2:-exit status is $1}"
}

# same WANT GOT DESCRIPTION
same()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		fail "$3: want '$1', got '$2'"
	fi
}

# has_line ERE FILE DESCRIPTION
has_line()
{
	if grep -Eq -- "$1" "$2"; then
		ok "$3"
	else
		fail "$3: no line of $2 matches $1"
	fi
}

# no_line ERE FILE DESCRIPTION
no_line()
{
	if [ ! -e "$2" ]; then
		fail "$3: no file $2"
	elif grep -E -- "$1" "$2"; then
		fail "$3: the lines above match $1"
	else
		ok "$3"
	fi
}

exists()
{
	if [ -e "$1" ]; then
		ok "${2:-$1 is there}"
	else
		fail "${2:-$1 is there}"
	fi
}

gone()
{
	if [ -e "$1" ]; then
		fail "${2:-$1 is gone}"
	else
		ok "${2:-$1 is gone}"
	fi
}

# need PROGRAM...: skips the test unless the VM has them.
need()
{
	for vm_program; do
		command -v "$vm_program" >/dev/null || skip "no $vm_program in the VM"
	done
}

# ---- dktrace's own ----

instance=$tracing/instances/dktrace
legacy='^[0-9a-f]{8}:[0-9a-f]{8}:[0-9]+\.[012]F?:[0-9]+\.[0-9]{6}:0:[0-9]+:0:\(.*\(\)\) '

# The program under test is never optional: a test without it fails.
for vm_program in dktrace lctl; do
	command -v "$vm_program" >/dev/null || fail "no $vm_program in the VM" || exit
done

# set_param ARGUMENT...: ends the test if it fails.
set_param()
{
	run lctl set_param "$@"
	status_is 0 "set_param $* is taken" || exit
}

# stat_sum NAME: the sum of that line of per_cpu/*/stats over all CPUs.
stat_sum()
{
	cat "$instance"/per_cpu/cpu*/stats | sed -n "s/^$1: //p" | awk '{ n += $1 } END { print n + 0 }'
}

# The number of records generated since the buffers were emptied.
generated()
{
	echo $(($(stat_sum entries) + $(stat_sum overrun) + $(stat_sum 'commit overrun') +
		$(stat_sum 'dropped events') + $(stat_sum 'read events')))
}

# count ERE [FILE]: how many lines match.
count()
{
	grep -Ec -- "$1" "${2:-$out}"
}

# holds DESCRIPTION COMMAND...: the command, usually a [ ], succeeds.
holds()
{
	vm_about=$1
	shift
	if "$@"; then
		ok "$vm_about"
	else
		fail "$vm_about: not so: $*"
	fi
}

# at_least LEAST GOT DESCRIPTION
at_least()
{
	if [ "$2" -ge "$1" ]; then
		ok "$3 ($2)"
	else
		fail "$3: want at least $1, got $2"
	fi
}

# Prints all control files that dktrace may change, in every instance.
knobs()
{
	(cd "$tracing" && ls instances && cat set_event current_tracer tracing_on trace_clock buffer_size_kb \
		set_event_pid set_ftrace_filter set_ftrace_pid kprobe_events uprobe_events synthetic_events &&
		grep -Hv '^none$' events/*/*/filter; ls /run; grep tracefs /proc/mounts)
}

# uptime in hundredths of a second
centiseconds()
{
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

# ---- processes in the background, of which a signal that comes before they expect it is lost ----

# says PID ERE FILE: waits until the process has written the line; ends the test if it never does. The
# file must be a new one: the shell may empty an old one after the first look.
says()
{
	until grep -Eqs -- "$2" "$3"; do
		if ! kill -0 "$1" 2>/dev/null; then
			cat "$3"
			fail "the process has ended before it said: $2"
			exit
		fi
		sleep 0.1
	done
}

# follows PID: waits until it reads the buffers.
follows()
{
	for _ in $(seq 600); do
		for vm_fd in "/proc/$1/fd/"*; do
			case $(readlink "$vm_fd") in
			*/trace_pipe_raw) return ;;
			esac
		done
		sleep 0.1
	done
	return 1
}

# ---- for tests that say "# modules: nfsd nfsv4" ----

# Tells the kernel as exportfs and rpc.mountd do: the file system of this directory is that of the root of NFS.
# usage: export_root DIR CLIENT-ADDRESS
export_root()
{
	vm_forever=2147483647
	mkdir -p /var/lib/nfs/v4recovery
	mount -t nfsd nfsd /proc/fs/nfsd
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	echo '-2 -3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions
	echo 'tcp 2049' >/proc/fs/nfsd/portlist
	echo "nfsd $2 $vm_forever self" >/proc/net/rpc/auth.unix.ip/channel
	# Insecure ports, no check of the subtree, with a number.
	echo "self $1 $vm_forever $((0x2404)) 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
	# shellcheck disable=SC2028 # the kernel expands it
	echo "self 1 \\x00000000 $vm_forever $1" >/proc/net/rpc/nfsd.fh/channel
	echo 2 >/proc/fs/nfsd/threads
	echo Y >/proc/fs/nfsd/v4_end_grace
}

# ---- for tests that say "# build-modules: libcfs": messages as Lustre's, see module/ ----

lnet=/sys/kernel/debug/lnet

unload_built()
{
	for vm_module in texts ptlrpc lustre_debug libcfs; do
		grep -q "^$vm_module " /proc/modules && rmmod $vm_module
	done
}

# load_built MODULE...: loads fresh modules of module/, which are removed after the test.
load_built()
{
	unload_built
	for vm_module; do
		insmod "/vm/modules/$vm_module.ko" || exit
	done
}

# emit WORDS...: has the module emit what module/emit.c knows by these words.
emit()
{
	for words; do
		echo "$words" >$lnet/emit || fail "emit $words"
	done
}

# Lines without time, mark of a first record and addresses, which Lustre prints as hashes; sorted,
# as the two clocks are read one after the other.
normal()
{
	sed -E 's/^(.{8}:.{8}:[0-9]+\.[0-2])F?:[0-9]+\.[0-9]+:/\1:/; 
		/pointer|req@|lock: /s/\(____ptrval____\)|[0-9a-f]{16}/ADDRESS/g' "$1" |
		grep -v '^Debug log:' | sort
}

# compare DESCRIPTION: the module's lines in want.raw and dk's in got.raw.
compare()
{
	normal want.raw | grep "emit.c:" >want
	normal got.raw | grep "emit.c:" >got
	if cmp -s want got && [ -s want ]; then
		ok "$1: $(wc -l <want) lines are the same"
	else
		diff want got | head -n 20
		fail "$1: $(wc -l <want) lines in the module's buffer, $(wc -l <got) by dk"
	fi
}

# same_log DESCRIPTION: the trace log alone beside the module's buffer; both are empty after it.
same_log()
{
	cat $lnet/text >want.raw
	echo clear >$lnet/debug_marker
	lctl dk >got.raw 2>dk.err || fail "$1: dk ends well: $(cat dk.err)"
	compare "$1"
}

# once DESCRIPTION: trace log and module's buffer in one; both are empty after it.
once()
{
	cat $lnet/text >want.raw
	lctl dk >got.raw 2>dk.err || fail "$1: dk ends well: $(cat dk.err)"
	compare "$1"
}

# traced: what dk shows of the trace log alone, in got.raw.
traced()
{
	echo clear >$lnet/debug_marker
	lctl dk >got.raw 2>/dev/null
}
