#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile: the functions and stacks of recordings, as tables, trees, text and pictures.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	# The callers are from the innermost on; those of the program follow the kernel's.
	cat >now.txt <<-'END'
	   dd-7 [000] 10.000000: made: a
	 => copy_user
	 => vfs_read
	 => libc.so.6+0x10
	 => read_it
	 => main
	   dd-7 [000] 10.020000: made: b
	 => copy_user
	 => vfs_read
	 => libc.so.6+0x20
	 => read_it
	 => main
	   dd-7 [001] 10.040000: made: c
	 => vfs_write
	 => libc.so.6+0x30
	 => write_it
	 => main
	   dd-7 [001] 10.050000: made: without a stack
	   md5 sum-9 [001] 12.500000: sys_enter: NR 1 (0, 0, 0, 0, 0, 0)
	 => 0xffffffff81000000
	 => vfs_read
	 => /usr/lib/libc.so.6[+0x11ee1f]
	 => 0x401000
	END
	cat >before.txt <<-'END'
	   dd-7 [000] 10.000000: made: a
	 => vfs_read
	 => 0x401000
	 => main
	   dd-7 [000] 10.000001: made: a
	 => old
	 => 0x401000
	 => main
	END
	# Names with signs that another program takes for its own.
	printf '%s\n' '  a;b <i>-1 [000] 1.000000: made: x' ' => f;"1' ' => f2(int, char)' \
		' => x<script>alert</script>' " => it's" $' => \e[31mred\x01' ' => (anonymous namespace)::g(int)' \
		' => net/http.(*Client).Do' $' => \xff\xe2\x80\xae' >hostile.txt
}

@test "profile prints what was read, the hottest functions and the hottest stacks" {
	run -0 --separate-stderr dktrace profile now.txt
	same "" "$stderr" "words"
	golden profile-text
}

@test "a tree goes down to the functions that are called, or up to the callers" {
	run -0 dktrace profile --tree now.txt
	golden profile-tree
	run -0 dktrace profile --callers --min 30 now.txt
	golden profile-callers
}

@test "a tree leaves out branches below --min and counts them" {
	run -0 dktrace profile --tree --min 40% now.txt
	same 'Not shown: 2 branches with less than 40 %; --min 0 shows all.' "${lines[-1]}" "the rest"
	lacks "$output" vfs_write
	run -0 dktrace profile --tree --min 0 now.txt
	lacks "$output" 'Not shown'
	same 2 "$(dktrace profile --tree --min 40 --json now.txt | jq .left_out)" "JSON"
	expect 2 '' "dktrace: --min: 'nan' is not a percentage from 0 to 100" dktrace profile --tree --min nan now.txt
	expect 2 '' "dktrace: --min: '101' is not a percentage from 0 to 100" dktrace profile --tree --min 101 now.txt
	expect 2 '' "dktrace: profile: cannot combine --tree and --callers; give one of them" dktrace profile --tree --callers now.txt
}

@test "folded has a line for each stack, the outermost function first" {
	expect 0 'dd;main;read_it;[libc.so.6];vfs_read;copy_user 2
dd;main;write_it;[libc.so.6];vfs_write 1
md5_sum;[unknown];[libc.so.6];vfs_read;[unknown] 1' '' dktrace profile --style folded now.txt
	expect 0 'main;read_it;[libc.so.6];vfs_read_[k];copy_user_[k] 2' '' dktrace profile --style folded --comm dd --filter 'CPU == 0' \
		--keys none --mark-kernel now.txt
	expect 0 'raw_syscalls:sys_enter;md5_sum;tid_9;cpu_1;[unknown];[libc.so.6];vfs_read;[unknown] 1' '' \
		dktrace profile --style folded --keys comm,cpu,tid,event -e sys_enter now.txt
	expect 2 '' "dktrace: --keys: 'process' is not a key; the keys are event, comm, pid, tid and cpu, or none" \
		dktrace profile --keys comm,process now.txt
}

@test "stacks can be grouped by process" {
	expect 0 'pid_9;[unknown];[libc.so.6];vfs_read;[unknown] 1' '' \
		dktrace profile --style folded --keys pid -e sys_enter now.txt
}

@test "a range of time and other selections choose the samples" {
	expect 0 'dd;main;write_it;[libc.so.6];vfs_write 1' '' dktrace profile --style folded --since 10.03 --until 11 now.txt
	expect 1 '' "dktrace: no call stack is selected; 'dktrace info now.txt' shows the events and times of the file" \
		dktrace profile --pid 8 now.txt
	echo '   dd-7 [000] 10.000000: made: a' >none.txt
	expect 1 '' "dktrace: none.txt has no call stacks; record them with 'perf record -g' or with 'dktrace record --stack EVENTS'" \
		dktrace profile none.txt
}

@test "names of other programs and files stay data in each form" {
	run -0 dktrace profile --style folded hostile.txt
	same 'a_b_<i>;\xff\u202e;net/http.(*Client).Do;(anonymous namespace)::g;\x1b[31mred\x01;its;x<script>alert</script>;f2;f:1 1' \
		"$output" "folded"
	run -0 dktrace profile hostile.txt
	lacks "$output" $'\e'
	has "$output" '\x1b[31mred\x01'
	dktrace profile --style speedscope hostile.txt >hostile.json
	same true "$(jq '[.shared.frames[].name] | contains(["a;b <i>", "f;\"1", "f2(int, char)"])' hostile.json)" "JSON"
	for style in svg icicle heatmap; do
		dktrace profile --style "$style" hostile.txt >hostile.svg
		no_line '<script' hostile.svg
		no_line $'\e' hostile.svg
		python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' hostile.svg
	done
}

@test "two profiles are compared by their shares" {
	run -0 dktrace profile now.txt --before before.txt
	golden profile-before
	run -0 dktrace profile now.txt --before before.txt --style folded
	same 'dd;main;[unknown];old 1 0' "${lines[0]}" "a stack that is gone"
	same 'dd;main;[unknown];vfs_read 1 0' "${lines[1]}" "one that ends elsewhere"
	same 'dd;main;read_it;[libc.so.6];vfs_read;copy_user 0 2' "${lines[2]}" "a new one"
	same '[0,0.5]' "$(dktrace profile now.txt --before before.txt --json --callers |
		jq -c '.tree[] | select(.depth == 1 and .function == "vfs_read") | [.total, .before]')" "shares"
	dktrace profile now.txt --before before.txt --style svg >flame.svg
	has_line '>main: 3 samples, 75.00 %, before 100.00 %: -25.00<' flame.svg
	expect 2 '' "dktrace: profile: --style pprof cannot compare; text, folded, svg and icicle can" \
		dktrace profile now.txt --before before.txt --style pprof
	expect 1 '' "dktrace: open nosuch: No such file or directory" dktrace profile now.txt --before nosuch
}

@test "a flame graph has a frame for each function of each stack, an icicle upside down" {
	dktrace profile --style svg now.txt >flame.svg
	dktrace profile --style icicle now.txt >icicle.svg
	has_line '>vfs_read: 2 samples, 50.00 %<' flame.svg
	has_line '>all: 4 samples, 100.00 %<' flame.svg
	# Root and leaf, from the top down.
	y()
	{
		sed -n "s|.* y=\"\([0-9.]*\)\".*>$2: .*|\1|p" "$1"
	}
	same 68.0 "$(y icicle.svg all)" "root of the icicle"
	same "$(y icicle.svg copy_user)" "$(y flame.svg all)" "root of the flames"
	same "$(y icicle.svg all)" "$(y flame.svg copy_user)" "leaf of the flames"
}

@test "a heat map has a column for each second and a row for each fiftieth of it" {
	dktrace profile --style heatmap now.txt >heat.svg
	grep -o '>[0-9.]*: [0-9]* samples*<' heat.svg | diff <(printf '>%s<\n' '10.000000: 1 sample' '10.020000: 1 sample' \
		'10.040000: 1 sample' '12.500000: 1 sample') -
}

@test "speedscope's JSON has shared frames, and a weight for each stack" {
	dktrace profile --style speedscope now.txt >scope.json
	same sampled "$(jq -r '.profiles[0].type' scope.json)" "type"
	same https://www.speedscope.app/file-format-schema.json "$(jq -r '."$schema"' scope.json)" "schema"
	same 4 "$(jq '.profiles[0].endValue' scope.json)" "whole"
	same '[false,true]' "$(jq -c '[.shared.frames[] | has("file")] | unique' scope.json)" "no file is null"
	same '[]' "$(jq -c '[.shared.frames[] | select(has("file")) | select(.file | type != "string")]' scope.json)" "files"
	jq -r '.shared.frames as $frames | .profiles[0] | [.samples, .weights] | transpose[] |
		"\([.[0][] | $frames[.].name] | join(";")) \(.[1])"' scope.json | LC_ALL=C sort |
		diff <(dktrace profile --style folded now.txt | sed 's/md5_sum/md5 sum/' | LC_ALL=C sort) -
}

@test "pprof's file is compressed as by gzip and has the names" {
	run -2 dktrace profile --style pprof --json now.txt
	dktrace profile --style pprof now.txt >out.pb.gz
	gzip -dc out.pb.gz >out.pb
	for name in samples count comm dd 'md5 sum' copy_user '\[libc.so.6\]' libc.so.6 kernel now.txt; do
		grep -qa "$name" out.pb
	done
}

@test "an output file is complete or absent, and no input" {
	expect 0 '' '' dktrace profile --style folded -o out now.txt
	same 3 "$(wc -l <out)" "lines"
	expect 1 '' "dktrace: now.txt is the input: name another file to write" dktrace profile -o now.txt now.txt
	run -1 dktrace profile -o new --pid 8 now.txt
	gone new
	run -0 dktrace profile -o table now.txt
	diff table <(dktrace profile now.txt)
	unread 141 dktrace profile --style folded now.txt
}

@test "JSON and CSV have all numbers" {
	dktrace profile --json now.txt >all.json
	same '4 4 samples 2500000000 2' "$(jq -r '"\(.samples) \(.weight) \(.unit) \(.duration) \(.cpus)"' all.json)" "facts"
	same '[0.25,0.25,1,"vfs_write","kernel"]' \
		"$(jq -c '.functions[] | select(.function == "vfs_write") | [.self, .total, .samples, .function, .where]' all.json)" function
	same '["dd","main","read_it","[libc.so.6]","vfs_read","copy_user"]' "$(jq -c '.stacks[0].functions' all.json)" stack
	same 1 "$(jq '.unknown' all.json)" unknown
	run -0 dktrace profile --csv --top 1 now.txt
	same 'self,total,samples,weight,function,where,before,difference' "${lines[0]}" heading
	same '0.5,0.5,2,2,copy_user,kernel,,' "${lines[1]}" row
}

@test "profile of several files merges them, and reports what was lost" {
	printf '%s\n' 'CPU:0 [LOST 7 EVENTS]' '   dd-7 [000] 12.000000: made: a' ' => vfs_read' >more.txt
	run -3 --separate-stderr dktrace profile now.txt more.txt --offset more.txt=0 --keys none --style folded
	has "$output" 'vfs_read 1'
	has "$stderr" 'more.txt: 7 of 8 records were lost'
}

@test "--interval needs a file, wall-clock time, and intervals of one thread" {
	these=': syscall, nfsd, fsync, ext4-fsync'
	expect 2 '' 'dktrace: profile: --interval needs --off-cpu' dktrace profile --interval fsync now.txt
	expect 2 '' 'dktrace: profile: --took needs --interval' dktrace profile --off-cpu --took '>1ms' now.txt
	expect 2 '' "dktrace: --took: 'slow' is not a time; write '>10ms', '<1ms', '10ms' or '>10ms,<1s'" \
		dktrace profile --off-cpu --interval fsync --took slow now.txt
	expect 2 '' "dktrace: profile: --interval: 'block' is not the time of one thread; these are$these" \
		dktrace profile --off-cpu --interval block now.txt
	expect 2 '' "dktrace: profile: --interval: there is no 'nosuch'; these are the time of one thread$these" \
		dktrace profile --off-cpu --interval nosuch now.txt
	expect 2 '' 'dktrace: profile: --interval reads the records twice; name a file, not standard input' \
		dktrace profile --off-cpu --interval fsync - <now.txt
	run -2 dktrace profile --off-cpu --interval fsync -- true
	has "$output" '--interval is for a file: record the events of the intervals'
}
