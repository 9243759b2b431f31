# SPDX-License-Identifier: LGPL-2.1-or-later
# follow shows records as they come, in both styles, ends on signals and on a closed pipe, one at a time.
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

set_param debug=vfstrace
for signal in INT TERM; do
	dktrace follow >f.txt 2>f.err &
	follow=$!
	follows "$follow"
	echo x >"file.$signal"
	lctl mark "one $signal"
	until_true finds "DEBUG MARKER: one $signal" f.txt
	ok "a mark is seen while follow runs"
	until_true finds 'sys_enter_open' f.txt
	ok "and so is a file"
	kill "-$signal" "$follow"
	wait "$follow"
	same 0 "$?" "SIG$signal ends it well"
	has_line '^Debug log: [0-9]* lines, [0-9]* kept, 0 dropped, 0 bad\.$' f.err "with a summary"
	cat f.err
done

dktrace follow --style trace --filter 'filename ~ "*nothing-has-that*"' >f.txt 2>&1 &
follow=$!
follows "$follow"
run timeout 600 dktrace dk
status_is 1 "while one reads no other can"
has_line "process $follow is reading" "$err" "and is told who does"
run dktrace status
status_is 0 "status can be had meanwhile"
set_param debug=+ioctl
lctl mark two
kill -KILL "$follow"
wait "$follow" 2>/dev/null
run dktrace dk
status_is 0 "after kill -9 the next can"

# A pipe that closes ends it.
rm f.txt
(dktrace follow 2>f.err; echo "exit status $?" >f.rc) | head -n 3 >f.txt &
ended()
{
	echo more >file
	[ -s f.rc ]
}

until_true ended
wait
same 3 "$(wc -l <f.txt)" "three lines"
same 'exit status 141' "$(cat f.rc)" "then it ends"
same '' "$(cat f.err)" "quietly"

# reset during follow fails with a message and changes nothing.
dktrace follow >f.txt 2>f.err &
follow=$!
follows "$follow"
run dktrace reset
echo "exit status $rc"
kill -INT "$follow"
wait "$follow"
cat f.err
run dktrace reset
status_is 0 "reset afterwards"
gone "$instance"
gone /run/dktrace
