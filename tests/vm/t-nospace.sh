# SPDX-License-Identifier: LGPL-2.1-or-later
# dk FILE and the daemon on a full file system, in a missing directory, into a closed pipe: the records stay.
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

set_param debug=vfstrace
for _ in $(seq 200); do
	cat /etc/passwd
done >/dev/null
echo 0 >"$instance/tracing_on"
run sh -c 'dktrace show >all.txt'
lines=$(count "$legacy" all.txt)
at_least 2000 "$lines" "there is something to lose"

run lctl dk /no/such/dir/file
status_is 1 "a missing directory is refused"
has_line 'fopen\(/no/such/dir/file\) failed: No such file' "$err" "with the reason"
run lctl dk /dev/full
status_is 1 "a full device is a failure"
has_line 'No space left' "$err" "with the reason"

mkdir small
mount -t tmpfs -o size=64k tmpfs small
run lctl dk small/file
status_is 1 "a full disk is a failure"
has_line 'No space left' "$err" "with the reason"
umount small
run sh -c 'dktrace show >still.txt'
same "$lines" "$(count "$legacy" still.txt)" "not one record is gone"
run sh -c 'lctl dk | head -n 5'
same 5 "$(wc -l <"$out")" "a pipe that closes gets its lines"
same '' "$(cat "$err")" "and ends quietly"

run lctl dk rest.txt
status_is 0 "then dk ends well"
# Only records that went into the pipe before it closed may be missing.
got=$(count "$legacy" rest.txt)
at_least 1 "$got" "of $lines lines these are left"
tail -n "$((got + 1))" still.txt | head -n "$got" | cut -d : -f 5- >want
grep -E "$legacy" rest.txt | cut -d : -f 5- >left
holds "the last ones, as they were" cmp want left

# The daemon's file has complete records, as many as it reports, and the log has the others.
failed()
{
	lctl debug_daemon status >status
	grep -q '^debug daemon: failed' status
}

# True if the daemon has written so many records, or has failed. usage: written N
written()
{
	failed || [ "$(sed -n 's/^written: \([0-9]*\) records.*/\1/p' status)" -ge "$1" ]
}

# full SIZE: the daemon's file on a file system of that size, until it is full.
full()
{
	mount -t tmpfs -o size="$1" tmpfs small
	lctl clear
	echo 1 >"$instance/tracing_on"
	run lctl debug_daemon start small/file 10
	status_is 0 "the daemon starts with $1"
	# Each round makes some 2000 records, of which the daemon leaves some until the next ones come.
	i=0
	until failed; do
		i=$((i + 1))
		dd if=/dev/zero of=/dev/null bs=$((4500 + i)) count=500 2>/dev/null
		until_true written $((i * 1000))
	done
	echo 0 >"$instance/tracing_on"
	cat status
	has_line '^debug daemon: failed: write .*/small/file: No space left on device$' status "status says why it ended"
	run lctl df small/file df.txt
	status_is 0 "df reads the file"
	same '' "$(cat "$err")" "which is whole"
	has_line ' 0 dropped, 0 bad' "$out" "to the last record"
	same "$(sed -n 's/^written: \([0-9]*\) records.*/\1/p' status)" "$(wc -l <df.txt)" "and has as many as status says"
	run sh -c 'dktrace dk >rest.txt'
	status_is 0 "dk has the rest"
	# Each round has its own size of writes; some records may be in both.
	: >missing
	for i in $(seq "$i"); do
		n=$(cat df.txt rest.txt | grep -c "sys_enter_write.*count: 0x0*$(printf %x $((4500 + i)))\$")
		[ "$n" -ge 500 ] || echo "$n of round $i" >>missing
	done
	same '' "$(cat missing)" "all calls of $i rounds are in the file or in the log"
	umount small
}
full 64k
full 300k
full 1m
run dktrace reset
