#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Events by name with filters, for records of a file.
# shellcheck disable=SC2154 # set by helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# The same records, and at least one. usage: alike COUNT -- OPTION... -- OPTION...
alike()
{
	local one=() n=$1

	shift 2
	while [ "$1" != -- ]; do
		one+=("$1")
		shift
	done
	shift
	dktrace report "$capture" "${one[@]}" >one
	dktrace report "$capture" "$@" >two
	at_least "$n" "$(wc -l <one)" "records of ${one[*]}"
	cmp one two
}

@test "a filter in brackets selects like --filter, for its event only" {
	alike 10 -- -e 'sys_enter_write[count > 1000]' -- -e sys_enter_write -f 'count > 1000'
	dktrace report "$capture" -e 'sys_enter_write[count > 1000]' >write.txt
	dktrace report "$capture" -e sys_exit_close >close.txt
	dktrace report "$capture" -e 'sys_exit_close,syscalls:sys_enter_write[count > 1000]' >both.txt
	same "$(sort write.txt close.txt)" "$(sort both.txt)" "records"
}

@test "one of the filters of an event must match" {
	alike 13 -- -e 'sys_enter_write[count > 1000],*:sys_enter_write[count == 1]' -- -e sys_enter_write -f 'count > 1000 || count == 1'
	alike 10 -- -e 'sys_enter_*,sys_enter_write[count > 1000],-sys_enter_[!w]*' -- -e sys_enter_write -f 'count > 1000'
}

@test "a minus excludes events" {
	exits=$(dktrace report "$capture" -e 'sys_exit_*' | wc -l)
	at_least 100 "$exits" "exits"
	same "$(($(dktrace report "$capture" | wc -l) - exits))" "$(dktrace report "$capture" -e '-sys_exit_*' | wc -l)" "others"
	alike 100 -- -e 'syscalls:*,-syscalls:sys_exit_*' -- -e 'sys_enter_*'
	alike 20 -- -e '-sys_exit_*,sys_exit_write' -- -e sys_exit_write
}

@test "an event that lacks the fields of its filter is selected" {
	dktrace report "$capture" -e 'sys_*_write[count > 1000]' >both.txt
	same "$(dktrace report "$capture" -e sys_exit_write | wc -l)" "$(grep -c sys_exit_write both.txt)" "records without the field"
	same "$(dktrace report "$capture" -e 'sys_enter_write[count > 1000]' | wc -l)" "$(grep -c sys_enter_write both.txt)" "records with it"
}

@test "options that are repeated add up" {
	alike 50 -- -e sys_enter_write -e 'sys_exit_write' -- -e sys_enter_write,sys_exit_write
	alike 10 -- -c ioctl -c vfstrace -- -c ioctl,vfstrace
}

@test "styles and commands select the same records" {
	words='sys_enter_write[count > 1000],sys_enter_close[fd == 3]'
	n=$(dktrace report "$capture" -e "$words" | wc -l)
	at_least 13 "$n" "records"
	same "$n" "$(dktrace report "$capture" -e "$words" -S json | wc -l)" "json"
	dktrace convert "$capture" out.dat -e "$words"
	same "$n" "$(dktrace report out.dat | wc -l)" "convert"
	same "$n" "$(dktrace hist all -k event --csv -i "$capture" -e "$words" | awk -F , 'NR > 1 { n += $2 } END { print n }')" "hist"
	same "$n" "$(dktrace dk -i "$capture" -e "$words" -S json 2>/dev/null | wc -l)" "show"
}

@test "a word that no record can match is an error" {
	expect 1 "" "dktrace: --event: sys_enter_write: filter: syscalls:sys_enter_write has no field 'bogus'
  bogus > 1
  ^" dktrace report "$capture" -e 'sys_enter_write[bogus > 1]'
	expect 2 "" "dktrace: --event: sys_enter_write: the filter has no ']' at its end: [count > 1" \
		dktrace report "$capture" -e 'sys_enter_write[count > 1'
	expect 2 "" "dktrace: --event: sys_enter_write: expected a comma after the filter, not 'x'" \
		dktrace report "$capture" -e 'sys_enter_write[count > 1]x'
	expect 2 "" "dktrace: --event: -sys_enter_write: an event that is excluded has no filter" \
		dktrace report "$capture" -e '-sys_enter_write[count > 1]'
	expect 1 "" "dktrace: --event: no event matches 'sys_enter_write[count]'" \
		dktrace report "$capture" -e 'sys_enter_write[count]'
	run -1 --separate-stderr dktrace dk -i "$capture" -e 'sys_enter_write[bogus > 1]'
	has "$stderr" "--event: sys_enter_write: filter: "
}

@test "a class and an event must both match" {
	alike 20 -- -c vfstrace -e sys_enter_write -- -e sys_enter_write
	run -0 dktrace report "$capture" -c ioctl -e sys_enter_write
	same "" "$output" "a write is not in this class"
}
