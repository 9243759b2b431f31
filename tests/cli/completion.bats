#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion in bash: lines as typed, and the candidates for the last word of each.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
	# shellcheck source=/dev/null
	source "$top/ctl/dktrace.bash"
}

# Prints the candidates for a line with the cursor at its end, sorted, on one line.
offers()
{
	COMP_LINE=$1
	COMP_POINT=${2:-${#1}}
	COMPREPLY=()
	_dktrace
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}

# is LINE WORDS: those words and no others.
is()
{
	run -0 offers "$1"
	same "$2" "$output" "offered for $1"
}

@test "completion offers commands" {
	is "dktrace s" "save set_param show snapshot split sql start stat status stop strace"
	is "dktrace fol" "follow"
	is "dktrace nosuch" ""
	is "dktrace nosuch " ""
	run -0 offers "dktrace help d"
	has " $output " " daemon "
	has " $output " " doctor "
	has " $output " " disk "
	run -0 offers "dktrace help slow "
	has " $output " " fsync "
	is "dktrace help slow fsyn" "fsync fsyncs"
	is "dktrace boot-config debug_f" "debug_filter="
	run -0 offers "dktrace "
	same "$({
		dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\) .*/\1/p'
		printf '%s\n' --help --instance --root --version
	} | sort | paste -sd ' ')" "$output" "offered"
}

@test "completion offers the first words that the help of a command names" {
	local command first

	is "dktrace daemon " "reload start status stop"
	is "dktrace flight " "dump file follow start status stop"
	is "dktrace flight --json st" "start status stop"
	is "dktrace flight dump " ""
	is "dktrace snapshot " "free show take"
	for command in $(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\) .*/\1/p'); do
		run -0 dktrace help "$command"
		first=$(sed -n 's/^Usage: [^|]* \[*\([a-z]*\)|.*/\1/p' <<<"${lines[0]}")
		[ -n "$first" ] || continue
		run -0 offers "dktrace $command "
		has " $output " " $first "
	done
}

@test "completion offers the options of the command" {
	is "dktrace --i" "--instance"
	is "dktrace dk --s" "--since --style --subsystem"
	is "dktrace dk --c" "--class --comm --compression --cpu"
	is "dktrace status --j" "--json"
	is "dktrace status " "--csv --help --instance --json --root --version"
	is "dktrace show --js" ""
	is "dktrace --instance x dk --st" "--style"
}

@test "completion offers the values of options" {
	is "dktrace dk --style " "csv ctf ctf-lttng ctf2 folded json legacy perfetto raw trace"
	is "dktrace dk --style=l" "legacy"
	is "dktrace dk -S t" "trace"
	is "dktrace dk --class rpc" "rpctrace"
	is "dktrace dk --class=rpc" "rpctrace"
	is "dktrace dk -c ioctl+rpc" "ioctl+rpctrace"
	is "dktrace follow --subsystem ldlm,os" "ldlm,osc ldlm,osd ldlm,ost"
}

@test "completion offers filters and triggers" {
	is "dktrace fil" "filter"
	is "dktrace filter " "clear list set"
	is "dktrace filter set vfs" "vfstrace"
	is "dktrace filter set rpctrace+ldl" "rpctrace+ldlm"
	is "dktrace filter set --c" "--children --comm --cpu --csv"
	is "dktrace trigger " "add del list rearm"
	is "dktrace trigger add dlmt" "dlmtrace"
	is "dktrace trigger add vfstrace trace" "traceoff traceon"
	is "dktrace trigger add vfstrace enable_event:dlm" "dlmtrace"
	is "dktrace trigger add --f" "--filter"
	is "dktrace trigger rearm vfs" ""
}

@test "completion offers parameters and their values" {
	is "dktrace set_param de" "debug= debug_filter= debug_mb= debug_sources= debug_user_data="
	is "dktrace set_param debug=vf" "vfstrace"
	is "dktrace set_param debug=+vf" "+vfstrace"
	is "dktrace set_param debug=-1+rpctrace-ne" "-1+rpctrace-net -1+rpctrace-neterror -1+rpctrace-nettrace"
	is "dktrace set_param debug=no" "none"
	is "dktrace set_param subsystem_debug=os" "osc osd ost"
	is "dktrace set_param printk=em" "emerg"
	is "dktrace set_param debug_mb=" ""
	is "dktrace get_param debug_" "debug_filter debug_mb debug_sources debug_user_data"
	is "dktrace set_param debug_sources=" "all default functions kernel lustre none"
	is "dktrace set_param debug_sources=lustre+k" "lustre+kernel"
	is "dktrace set_param debug_mb=10 debug=+ioc" "+ioctl"
}

@test "completion offers the names of list" {
	is "dktrace list c" "classes counts"
	is "dktrace list counts fs" "fsyncs"
	is "dktrace hist fsy" "fsyncs"
	is "dktrace list classes rpc" "rpctrace"
	is "dktrace list classes rpctrace ioc" "ioctl"
	is "dktrace list subsystems lov l" "ldlm lfsck libcfs llite lmv lnd lnet log lov lquota"
	is "dktrace list events --j" "--json"
}

@test "completion offers the pairs, events and fields of hist and latency" {
	export DKTRACE_ROOT=$top/tests/fixture/capture
	is "dktrace latency bloc" "block block-queue block:"
	is "dktrace latency sysc" "syscall syscalls:"
	is "dktrace latency syscalls:sys_enter_read syscalls:sys_exit_rea" "sys_exit_read"
	is "dktrace latency syscall sys" ""
	is "dktrace strace --calls=epoll_w" "epoll_wait"
	is "dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --keys " \
		"COMM CPU PID __syscall_nr __syscall_nr buf common_pid count fd ret"
	is "dktrace hist syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace hist vfs" "vfstrace"
	is "dktrace hist syscalls:sys_enter_read --keys co" "common_pid count"
	is "dktrace hist syscalls:sys_enter_read --keys fd,co" "fd,common_pid fd,count"
	is "dktrace hist syscalls:sys_enter_read --keys=fd,cou" "fd,count"
	is "dktrace hist -k C" "COMM CPU"
	is "dktrace latency syscall --sort p9" "p90 p99 p99.9"
	is "dktrace latency --sort=to" "total"
	is "dktrace hist --vals count syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace hist syscalls:sys_enter_read -- sys" ""
	is "dktrace report --event syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace report -e sched:x,syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace report -e sched:x,-syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace report -e syscalls:sys_enter_read[fd==1],syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace report -e syscalls:sys_enter_read[co" "sys_enter_read[common_pid sys_enter_read[count"
	is "dktrace record --stack syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace set_param debug=+syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace set_param debug=+rpctrace,-syscalls:sys_enter_rea" "sys_enter_read"
	is "dktrace set_param debug=+sysc" "+syscalls:"
	is "dktrace set_param subsystem_debug=+sysc" ""
}

@test "completion offers file formats" {
	is "dktrace convert --format trace" "trace trace.dat trace.dat-6"
	is "dktrace dk --format trace.d" "trace.dat trace.dat-6"
	is "dktrace split -F cs" "csv"
	is "dktrace merge --compression z" "zlib zstd"
}

@test "zsh offers the same candidates, or files if there are no candidates" {
	command -v zsh >/dev/null || skip "no zsh here"
	mkdir "$BATS_TEST_TMPDIR/fpath"
	cp "$top/ctl/dktrace.zsh" "$BATS_TEST_TMPDIR/fpath/_dktrace"
	# usage: zsh_offers WORD... ; the last one is being typed
	zsh_offers()
	{
		# shellcheck disable=SC2016 # zsh expands it
		zsh -f -c 'fpath=($1 $fpath); shift; autoload -U _dktrace
			compadd() { [[ $1 != -S ]] || { after=":no blank"; shift 2; }
				shift; for word; do print -r -- $word$after; done; after=; }
			_files() { print files }; _default() { print default }
			words=("$@"); CURRENT=$#; PREFIX=${@[-1]}; service=${1:t}; _dktrace' \
			zsh "$BATS_TEST_TMPDIR/fpath" "$@" | sort | paste -sd ' '
	}
	same follow "$(zsh_offers dktrace fol)"
	same "debug_mb=:no blank" "$(zsh_offers dktrace set_param debug_m)"
	same "debug=+rpctrace" "$(zsh_offers dktrace set_param debug=+rpc)"
	[ "$(DKTRACE_ROOT=$capture zsh_offers dktrace hist syscalls:sys_enter_read --keys fd,)" != files ]
	same files "$(zsh_offers dktrace report /tmp/x)"
	same mark "$(zsh_offers lctl mar)"
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/lctl"
	chmod +x "$BATS_TEST_TMPDIR/bin/lctl"
	same default "$(PATH=$BATS_TEST_TMPDIR/bin:$PATH zsh_offers lctl mar)"
}

@test "completion offers systems, then their events" {
	export DKTRACE_ROOT=$top/tests/fixture/capture
	is "dktrace list events sysc" "syscalls:"
	is "dktrace stat -e cs,page-fau" "cs,page-faults"
	is "dktrace stat -e cs,LLC-load-" "cs,LLC-load-misses"
	is "dktrace list fields syscalls:sys_enter_rea" "sys_enter_read"
}

@test "completion offers no words for a file argument, so that the shell offers files" {
	is "dktrace dk " ""
	is "dktrace dk /tm" ""
	is "dktrace dk --output /tm" ""
}

@test "completion reads only the words before the cursor" {
	run -0 offers "dktrace statu --json" 13
	same status "$output"
}

@test "completion of lctl offers its own commands" {
	is "lctl-dktrace mar" "mark"
	is "lctl mar" "mark"
	is "lctl set_param debug=+rpc" "+rpctrace"
	is "lctl get_param debug_m" "debug_mb"
	is "lctl nosuch " ""
}

@test "completion asks the program that was typed" {
	is "$build/dktrace fol" "follow"
	is "/nonexistent/dktrace fol" ""
}

@test "completion does not touch Lustre's lctl" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/lctl"
	chmod +x "$BATS_TEST_TMPDIR/bin/lctl"
	complete -r lctl 2>/dev/null || true
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	# shellcheck source=/dev/null
	source "$top/ctl/dktrace.bash"
	run -1 complete -p lctl
	rm "$BATS_TEST_TMPDIR/bin/lctl"
	# shellcheck source=/dev/null
	source "$top/ctl/dktrace.bash"
	run -0 complete -p lctl
}
