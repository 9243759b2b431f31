# SPDX-License-Identifier: LGPL-2.1-or-later
# Logs and recordings have no data of programs unless somebody asks for them, on kernels that record such data.
# shellcheck shell=sh disable=SC2154

file=$tracing/syscall_user_buf_size
if [ ! -e "$file" ]; then
	run lctl set_param debug_user_data=16
	status_is 95 "a kernel that records no data of system calls is asked for it"
	has_line 'this kernel does not record the data' "$err" "and says so"
	run lctl set_param debug_user_data=0
	status_is 0 "none can be asked for on every kernel"
	skip "this kernel does not record the data of system calls"
fi

# The first bytes of the secret, as the print format of write() has them.
begin='0x74,0x68,0x65,0x20,0x70,0x61'

# Writes a secret into a file whose name is no secret.
write_secret()
{
	echo 'the password is hunter2' >named
}

at_least 1 "$(cat "$file")" "the kernel's own default records data"
set_param debug=vfstrace
run lctl get_param debug_user_data
has_line '^debug_user_data=0$' "$out" "no data by default"
same 0 "$(cat "$instance/syscall_user_buf_size")" "the kernel is told"
run dktrace status
has_line '^debug_user_data +0$' "$out" "status tells it"
write_secret
run lctl dk log
has_line 'sys_enter_write\(\)\)' log "the write is in the log"
no_line "password|named|$begin" log "the data are not"

set_param debug_user_data=40
has_line 'what they write, also passwords' "$err" "set_param says what that means"
run dktrace status --json
has_line '"debug_user_data":40' "$out" "status tells it"
write_secret
run lctl dk log
has_line "sys_enter_write\(\)\).*$begin" log "data are in the log if asked for"
has_line 'sys_enter_openat\(\)\).*"named"' log "paths too"
run dktrace save file.conf
has_line '^debug_user_data = 40$' file.conf "save keeps it"
run dktrace apply file.conf
status_is 0 "apply takes it"
set_param debug=+ioctl
same 40 "$(cat "$instance/syscall_user_buf_size")" "another setting leaves it"
set_param debug_user_data=1000000
run lctl get_param -n debug_user_data
holds "get_param tells the kernel's limit" [ "$(cat "$out")" -lt 1000000 ]
set_param debug_user_data=0
write_secret
run lctl dk log
no_line "$begin" log "0 records none again"
run dktrace reset

run dktrace record -o r.dat -e 'syscalls:sys_enter_write,syscalls:sys_enter_openat' -- sh -c 'echo the password >named'
status_is 0 "a recording"
run dktrace report r.dat
has_line 'sys_enter_write' "$out" "has the writes"
no_line "password|named|$begin" "$out" "without data"
strings r.dat | grep -c 'the password$' >n
same 0 "$(cat n)" "not even undecoded"

run dktrace strace -e 'openat' -- sh -c 'echo x >named'
has_line 'openat\(AT_FDCWD, "named"' "$out" "strace asks for paths"
same '' "$(ls "$tracing/instances")" "nothing is left"
