# SPDX-License-Identifier: LGPL-2.1-or-later
# dk FILE on a full file system, in a missing directory, into a closed pipe: the records stay.
# shellcheck shell=sh disable=SC2154

set_param debug=vfstrace
for _ in $(seq 200); do
	cat /etc/passwd
done >/dev/null
echo 0 >"$instance/tracing_on"
run sh -c 'dktrace show >all.txt'
lines=$(count "$legacy" all.txt)
at_least 2000 "$lines" "there is something to lose"

run lctl dk /no/such/dir/file
assert_rc 1 "a missing directory is refused"
assert_grep 'fopen\(/no/such/dir/file\) failed: No such file' "$err" "with the reason"
run lctl dk /dev/full
assert_rc 1 "a full device is a failure"
assert_grep 'No space left' "$err" "with the reason"

mkdir small
mount -t tmpfs -o size=64k tmpfs small
run lctl dk small/file
assert_rc 1 "a full disk is a failure"
assert_grep 'No space left' "$err" "with the reason"
umount small
run sh -c 'dktrace show >still.txt'
assert_eq "$lines" "$(count "$legacy" still.txt)" "not one record is gone"
run sh -c 'lctl dk | head -n 5'
assert_eq 5 "$(wc -l <"$out")" "a pipe that closes gets its lines"
assert_eq '' "$(cat "$err")" "and ends quietly"

run lctl dk rest.txt
assert_rc 0 "then dk ends well"
# What went into the pipe before it closed may be gone, and no more than that.
got=$(count "$legacy" rest.txt)
at_least 1 "$got" "of $lines lines these are left"
tail -n "$((got + 1))" still.txt | head -n "$got" | cut -d : -f 5- >want
grep -E "$legacy" rest.txt | cut -d : -f 5- >left
holds "the last ones, as they were" cmp want left
run dktrace reset
