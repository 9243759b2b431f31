# SPDX-License-Identifier: LGPL-2.1-or-later
# debug_filter restricts recording; an invalid one is refused with a message and changes nothing.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154

# stty asks a terminal for its settings by TCGETS, which is 21505; tty sizes come by 21523.
ioctls()
{
	for _ in 1 2 3 4 5; do
		stty -F /dev/ttyS0 size
	done >/dev/null 2>&1
}

set_param debug=ioctl
ioctls
run lctl dk
all=$(count 'sys_enter_ioctl')
at_least 10 "$all" "ioctls are recorded"
set_param debug_filter='cmd == 21505'
same 'cmd == 0x5401' "$(sed 's/21505/0x5401/' "$instance/events/syscalls/sys_enter_ioctl/filter")" \
	"the kernel has the filter"
ioctls
run lctl dk
some=$(count 'sys_enter_ioctl')
at_least 1 "$some" "chosen ioctls are recorded"
same "$some" "$(count 'sys_enter_ioctl.*cmd: (0x0*5401|0x5401|5401)')" "only chosen ones"
holds "fewer than without filter" [ "$some" -lt "$all" ]

set_param debug_filter=none
same none "$(cat "$instance/events/syscalls/sys_enter_ioctl/filter")" "the filter is gone"

set_param debug=vfstrace
sh -c 'echo $$ >pid; read go <fifo_never 2>/dev/null; while [ ! -e go ]; do sleep 0.1; done; cat /etc/passwd' \
	>/dev/null 2>&1 &
child=$!
until_true [ -s pid ]
set_param debug_filter="common_pid == $child"
lctl clear
touch go
cat /etc/group >/dev/null
wait "$child"
run lctl dk
at_least 1 "$(count "$legacy")" "the process is recorded"
same 0 "$(grep -E "$legacy" "$out" | grep -Evc "^[^ ]*:0:$child:0:\(")" "and no other"

before=$(knobs)
for bad in 'no_such_field == 1' 'count ==' 'filename > 3' '(common_pid == 1' 'common_pid == 1 &&& count'; do
	run lctl set_param debug_filter="$bad"
	holds "'$bad' is refused" [ "$rc" -ne 0 ]
	has_line '\^' "$err" "a caret shows where"
	same "$before" "$(knobs)" "nothing changed"
	same "debug_filter=common_pid == $child" "$(lctl get_param debug_filter)" "the old one is in force"
done
run lctl set_param debug_filter='no_such_field == 1'
has_line "events has a field 'no_such_field'" "$err" "the words are about all events that are on"
run dktrace reset
status_is 0 "reset ends well"
