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
	# A start of a program takes long in the VM.
	[ ! -s "$out" ] || head -n 20 "$out"
	[ ! -s "$err" ] || sed 's/^/stderr: /' "$err"
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

# until_true COMMAND...: waits until the command succeeds. The limit, ten minutes, ends what hangs; it is counted
# in steps, because the clock may be set meanwhile.
until_true()
{
	vm_steps=0
	until "$@"; do
		vm_steps=$((vm_steps + 1))
		if [ "$vm_steps" -ge 6000 ]; then
			fail "still not true after ten minutes: $*"
			exit
		fi
		sleep 0.1
	done
}

# not COMMAND...: succeeds if the command fails.
not()
{
	! "$@"
}

# finds ERE FILE: true if a line matches; without output, also if there is no file yet.
finds()
{
	grep -Eqs -- "$1" "$2"
}

# lines FILE: the number of its lines, 0 without the file.
lines()
{
	if [ -e "$1" ]; then
		wc -l <"$1"
	else
		echo 0
	fi
}

# json PATH... <TEXT: prints the value at each path, such as .cpus[1].read, on a line of its own, or null; a string
# without its quotes. .cpus.length is the number of elements. A start of jq takes six times as long, because it
# reads a library of its own.
json()
{
	awk -v paths="$*" '
		function token(word)
		{
			if (!match(text, /^[ \n]*("([^"\\]|\\.)*"|[-+.0-9A-Za-z]+|[][{},:])/)) {
				print "invalid JSON at: " substr(text, 1, 40)
				bad = 1
				exit 1
			}
			word = substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
			sub(/^[ \n]+/, "", word)
			return word
		}

		function found(path, have)
		{
			if (!(path in values))
				return
			if (have ~ /^"/) {
				have = substr(have, 2, length(have) - 2)
				gsub(/\\\//, "/", have)
				gsub(/\\"/, "\"", have)
			}
			values[path] = have
		}

		function members(path, word)
		{
			for (word = token(); word != "}"; word = token()) {
				if (word == ",")
					word = token()
				token()
				value(path "." substr(word, 2, length(word) - 2))
			}
		}

		function elements(path, n)
		{
			for (n = 0; text !~ /^[ \n]*\]/; n++) {
				value(path "[" n "]")
				if (text ~ /^[ \n]*,/)
					token()
			}
			token()
			found(path ".length", n)
		}

		function value(path, word)
		{
			word = token()
			if (word == "{")
				members(path)
			else if (word == "[")
				elements(path)
			else
				found(path, word)
		}

		BEGIN {
			n_paths = split(paths, path, " ")
			for (i = 1; i <= n_paths; i++)
				values[path[i]] = "null"
		}
		{ text = text $0 "\n" }
		END {
			if (text != "")
				value("")
			for (i = 1; i <= n_paths && !bad; i++)
				print values[path[i]]
			exit bad || text == ""
		}'
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

# stat_sum NAME...: the sum of these lines of per_cpu/*/stats over all CPUs.
stat_sum()
{
	cat "$instance"/per_cpu/cpu*/stats | awk -F ': ' -v names="$(printf '%s:' "$@")" '
		BEGIN { for (i = split(names, name, ":"); i; i--) counts[name[i]] }
		$1 in counts { n += $2 }
		END { print n + 0 }'
}

# The number of records generated since the buffers were emptied.
generated()
{
	stat_sum entries overrun 'commit overrun' 'dropped events' 'read events'
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

# Prints the definitions of all events that were made at run time. Kernels before 4.20 have no list of all.
made_events()
{
	if [ -e "$tracing/dynamic_events" ]; then
		cat "$tracing/dynamic_events"
	else
		cat "$tracing/kprobe_events" "$tracing/uprobe_events" "$tracing/synthetic_events"
	fi
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

# follows PID: waits until it reads the buffers; ends the test if it never does.
follows()
{
	until stat -c %N "/proc/$1/fd/"* 2>/dev/null | grep -q "/trace_pipe_raw'"; do
		if ! kill -0 "$1" 2>/dev/null; then
			fail "the process has ended before it read the buffers"
			exit
		fi
		sleep 0.1
	done
}

# True if the process has stopped or ended. usage: is_held PID
is_held()
{
	! grep -q '^State:[[:space:]]*[RSD]' "/proc/$1/status" 2>/dev/null
}

# kill_change UNDO COMMAND...: kills the command at some moment of its work. A command that ended before is undone
# and started again, with a shorter pause, so that the kill is certain on a machine of any speed. The longest
# pause is $longest microseconds; the variable is for the test to set.
kill_change()
{
	vm_undo=$1
	shift
	while :; do
		vm_pause=$(($(od -An -N4 -tu4 /dev/urandom) % longest))
		"$@" >/dev/null 2>&1 &
		vm_victim=$!
		usleep "$vm_pause"
		# The kernel warns if a process is killed while it allocates a buffer for it; a stop waits for the end of the call.
		kill -STOP "$vm_victim" 2>/dev/null
		until_true is_held "$vm_victim"
		kill -KILL "$vm_victim" 2>/dev/null
		wait "$vm_victim" 2>/dev/null
		[ $? -ne 137 ] || break
		longest=$((vm_pause + 1))
		$vm_undo >/dev/null 2>&1
	done
	echo "killed after $vm_pause of at most $longest us"
}

# how_long COMMAND...: runs it and sets longest to the microseconds that it took.
how_long()
{
	vm_since=$(centiseconds)
	"$@" >/dev/null 2>&1
	longest=$((($(centiseconds) - vm_since) * 10000 + 1))
}

# ---- for tests that say "# modules: xfs loop" and "# programs: mkfs.xfs" ----

# mount_xfs DIR: mounts a new file system on a directory that it makes.
mount_xfs()
{
	new_xfs xfs.img
	mkdir "$1"
	mount -t xfs -o loop xfs.img "$1" || fail "xfs can be mounted" || exit
}

# new_xfs FILE: a file with a new file system. A start of mkfs.xfs takes seconds in the VM, so the tests copy
# what the first one made. Below 300 MB, newer ones want to be asked for it.
new_xfs()
{
	if [ ! -e /tmp/xfs.img ]; then
		truncate -s 64M /tmp/xfs.img
		mkfs.xfs --unsupported -q /tmp/xfs.img 2>/dev/null || mkfs.xfs -q /tmp/xfs.img ||
			fail "mkfs.xfs makes a file system" || exit
	fi
	cat /tmp/xfs.img >"$1"
}

# ---- for tests that say "# modules: null_blk" ----

# use_disk: calls functions of the module, which has few, so that a tracer is set quickly. Each write is a request.
use_disk()
{
	for _ in $(seq 16); do
		dd if=/dev/zero of=/dev/nullb0 bs=4k count=1 conv=fsync 2>/dev/null
	done
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
		/pointer|req@|class@|lock: /s/\(____ptrval____\)|[0-9a-f]{16}/ADDRESS/g' "$1" |
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

# Emits messages in all contexts. Kernels before 6.2 do not record that soft interrupts are off.
emit_contexts()
{
	emit softirq hardirq
	! grep -q 'BH-disabled' "$tracing/trace" || emit bh
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

# Runs the examples of these manuals that live/examples.cases gives to a test, in the directory room. Its header needs
# "programs: bash", "python: tests/tools/examples" and the files. usage: run_examples TEST MANUAL...
run_examples()
{
	mkdir -p room /srv /mnt /vm/tree/build
	ln -sf /bin/dktrace /bin/lctl /vm/tree/build/
	export ROOM="$work/room" DKTRACE_INSTANCE=dktrace
	test=$1
	shift
	run unshare -m python3 /vm/tree/tests/tools/examples run-as "$test" /vm/tree/tests/live/examples.cases "$@"
	status_is 0 "each example runs and prints what is printed"
	same '' "$(cat "$out")" "nothing is wrong"
}
