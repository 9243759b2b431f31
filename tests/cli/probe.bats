#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# probe on a tree that stands for a kernel: definitions, refusals, lists, usage.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; not for this shell

load ../helper/common

setup()
{
	export DKTRACE_INSTANCE=dkt-test-cli-$$ DKTRACE_ROOT=$BATS_TEST_TMPDIR/tree
	mkdir "$DKTRACE_ROOT"
	"$tools/gen-probe-tree" "$DKTRACE_ROOT"
}

@test "probe add --dry-run prints the definitions and creates nothing" {
	expect 0 'p:dktrace/vfs_read vfs_read count=$arg3:u64 pos=+0($arg4):s64' '' \
		dktrace probe add --dry-run vfs_read 'count pos=*pos'
	expect 0 'r:mine/back vfs_read ret=$retval:s32' '' \
		dktrace probe add --dry-run vfs_read %return 'ret=$retval:s32' -g mine --name back
	expect 0 'f:dktrace/vfs_read__return vfs_read%return ret=$retval:s64' '' \
		dktrace probe add --dry-run --kind fprobe vfs_read%return '$retval'
	expect 0 't:dktrace/vfs_seen vfs_seen f_mode=+48($arg1):u32' '' \
		dktrace probe add --dry-run --kind tracepoint vfs_seen 'file->f_mode'
	expect 0 's:synthetic/slow u64 lat; pid_t pid' '' \
		dktrace probe add --dry-run --kind synthetic slow 'u64 lat' 'pid_t pid'
	expect 0 'p:dktrace/vfs_read vfs_read
p:dktrace/vfs_table vfs_table
p:dktrace/vfs_write vfs_write' '' dktrace probe add --dry-run 'vfs_*'
	same '' "$(cat "$DKTRACE_ROOT/dynamic_events" "$DKTRACE_ROOT/kprobe_events")" made
}

@test "a refused probe names the possible values, exit 1" {
	expect 1 '' "dktrace: this kernel has no function 'vfs_raed'; did you mean vfs_read?" \
		dktrace probe add vfs_raed
	expect 1 '' "dktrace: argument 'file->f_inod': struct file has no member 'f_inod'; did you mean f_inode?" \
		dktrace probe add vfs_read 'file->f_inod'
	expect 1 '' "dktrace: 'vfs_*' matches 3 functions; the limit is 2" \
		dktrace probe add --max 2 'vfs_*'
	expect 1 '' "dktrace: 'a-b' cannot be the name of a group: use letters, digits and _" \
		dktrace probe add -g a-b vfs_read
	expect 1 '' "dktrace: the event's name '$(printf 'n%.0s' {1..64})' has 64 characters; the kernel's limit is 63; choose another with --name" \
		dktrace probe add --name "$(printf 'n%.0s' {1..64})" vfs_read
	expect 1 '' 'dktrace: open /nosuch: No such file or directory' dktrace probe add -x /nosuch main
	expect 1 '' 'dktrace: process 999999999: it does not exist' dktrace probe add -p 999999999 main
	expect 1 '' "dktrace: place 'vfs_read\\np:x/y z': it has an invalid character" dktrace probe add $'vfs_read\np:x/y z'
}

@test "probe add refuses a place inside an instruction of a program, also of a stripped one" {
	local n offset program=$tools/probe-target

	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "instructions of this machine are not decoded" ;;
	esac
	for ((n = 1; n < 16; n++)); do
		run dktrace probe add --dry-run -x "$program" "target+$n"
		[ "$status" -eq 0 ] || break
	done
	same 1 "$status" "status for target+$n"
	has "$output" "dktrace: target+$n of "
	has "$output" " is inside an instruction, and a probe there would crash the program; instructions begin at target+"
	has "$output" "; --force creates it there"
	run -0 dktrace probe add --dry-run --force -x "$program" "target+$n"
	offset=0x${output##*:0x}
	run -1 dktrace probe add --dry-run -x "$program" "$offset"
	strip -o "$BATS_TEST_TMPDIR/stripped" "$program"
	run -1 dktrace probe add --dry-run -x "$BATS_TEST_TMPDIR/stripped" "$offset"
	has "$output" "dktrace: $offset of $(realpath "$BATS_TEST_TMPDIR/stripped") is inside an instruction"
}

@test "probe add says if it cannot check whether an instruction begins at a place" {
	local offset

	run -0 dktrace probe add --dry-run --force -x "$tools/probe-target" target+1
	offset=0x${output##*:0x}
	objcopy -S -R .eh_frame -R .eh_frame_hdr "$tools/probe-target" "$BATS_TEST_TMPDIR/bare"
	run -0 --separate-stderr dktrace probe add --dry-run -x "$BATS_TEST_TMPDIR/bare" "$offset"
	has "$stderr" "$offset of $(realpath "$BATS_TEST_TMPDIR/bare"): not checked whether an instruction begins there, and a probe inside one crashes the program: no symbol tells where its function is"
}

@test "wrong usage of probe exits with status 2" {
	expect 2 '' 'dktrace: probe: needs add|list|enable|disable|del [ARGUMENT...]' dktrace probe
	expect 2 '' "dktrace: probe: 'make' is not one of add, del, disable, enable, list" dktrace probe make
	expect 2 '' 'dktrace: probe add: usage: dktrace probe add PLACE [ARGUMENT...]' dktrace probe add
	expect 2 '' 'dktrace: probe del: usage: dktrace probe del NAME|GLOB' dktrace probe del a b
	expect 2 '' 'dktrace: probe add --max 0: not a number of probes' dktrace probe add --max 0 vfs_read
	expect 2 '' 'dktrace: probe add --pid x: not a process ID' dktrace probe add -p x main
	expect 2 '' 'dktrace: probe add --kind jprobe: the kinds are kprobe, uprobe, fprobe, tracepoint, event, synthetic' \
		dktrace probe add --kind jprobe vfs_read
	expect 2 '' 'dktrace: probe add --kind uprobe: needs --exec or --pid' dktrace probe add --kind uprobe main
}

@test "probe list prints all probes with their hits" {
	echo 'p:theirs/vfs_read vfs_read count=$arg3:u64
e:g/wake sched.sched_wakeup pid=$pid:s32
r:g/back /bin/sh:0x0000000000001230' >"$DKTRACE_ROOT/dynamic_events"
	echo '  vfs_read                                                     7               2' \
		>"$DKTRACE_ROOT/kprobe_profile"
	expect 0 'PROBE           KIND      PLACE              ON OURS HITS MISSED FIELDS
theirs:vfs_read kprobe    vfs_read           no no      7      2 count=$arg3:u64
g:wake          event     sched.sched_wakeup no no               pid=$pid:s32
g:back          uretprobe /bin/sh:0x1230     no no               ' '' dktrace probe list
	run -0 dktrace probe list --json 'vfs*'
	same '{"probe":"theirs:vfs_read","kind":"kprobe","place":"vfs_read","on":false,"ours":false,"hits":7,"missed":2,"fields":"count=$arg3:u64"}' \
		"$(jq -c '.probes[]' <<<"$output")" json
	expect 0 'probe,kind,place,on,ours,hits,missed,fields
g:back,uretprobe,/bin/sh:0x1230,false,false,,,' '' dktrace probe list --csv 'g:b*'
	expect 0 '' 'dktrace: there is no probe like nosuch' dktrace probe list nosuch
	same '{"probes":[]}' "$(dktrace probe list -J nosuch | jq -c .)" none
}

@test "completion offers actions, functions and probes" {
	same 'add del disable enable list' "$(dktrace __complete dktrace probe '' | xargs)" actions
	same 'vfs_read vfs_write vfs_table' "$(dktrace __complete dktrace probe add vfs_ | xargs)" functions
	same 'vfs_write' "$(dktrace __complete dktrace probe --enable -g mine add vfs_w)" 'with options'
	same '' "$(dktrace __complete dktrace probe add -x /bin/sh vfs_)" 'of a program'
	same 'fprobe' "$(dktrace __complete dktrace probe add --kind f)" kinds
}

@test "probe finds the static markers of a program" {
	markers=$tools/marker-target
	run -0 dktrace probe list -x "$markers" 'target:gu*'
	has "$output" 'target:guarded 0x'
	same 2 "${#lines[@]}" lines
	run -0 --separate-stderr dktrace probe list -x "$markers" nosuch
	same "dktrace: $markers has no marker like nosuch" "$stderr" words
	expect 1 '' "dktrace: open /nonexistent: No such file or directory" dktrace probe list -x /nonexistent
	run -1 dktrace probe list -x "$0"
	has "$output" 'is not a program'
	# Cut at any place, it is no crash.
	for size in 64 700 5000 9000 12000 14000; do
		head -c "$size" "$markers" >"$BATS_TEST_TMPDIR/cut"
		run dktrace probe list -x "$BATS_TEST_TMPDIR/cut"
		[ "$status" -le 1 ]
	done
}
