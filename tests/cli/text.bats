# SPDX-License-Identifier: LGPL-2.1-or-later
# Text from a trace is data: it cannot end a line, drive a terminal or be a formula.
# shellcheck disable=SC2154,SC2059 # set by bats and helper/common.bash; texts have escapes of printf

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	# A process of twelve bytes that would be a line of its own, and a machine that clears the screen.
	dktrace convert "$top/tests/fixture/tracedat/v6.dat" plain.dat --format trace.dat-6 \
		--compression none
}

# Replaces a text of the file by one of the same length.
# usage: plant FROM TO
plant()
{
	[ ${#1} -eq "$(printf '%b' "$2" | wc -c)" ]
	FROM=$1 TO=$(printf '%b.' "$2") perl -0pi -e 'BEGIN { $t = $ENV{TO}; chop $t }
		$n += s/\Q$ENV{FROM}\E/$t/g; END { exit !$n }' plain.dat
}

# Checks that the only control bytes are newlines, and that no bidi or C1 control or invalid UTF-8 is left.
# usage: COMMAND | shown
shown()
{
	perl -ne 'BEGIN { use Encode } my $t = eval { decode("UTF-8", $_, 1) };
		$bad++, print "broken: $_" unless defined $t;
		$bad++, print "control: $_" if defined $t and
			$t =~ /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]|\r(?!\n)/;
		END { print "no output\n" unless $.; exit !!$bad || !$. }'
}

plant_all()
{
	plant 'a marker' '\n\xe2\x80\xae\033[JZ'
	plant 'fc-v657' '\033[2J\x9b57'
}

@test "no style lets a text end a line or drive a terminal" {
	local style

	plant_all
	for style in legacy trace raw json; do
		dktrace report plain.dat --style $style >out 2>err
		shown <out
		same "$(dktrace report "$top/tests/fixture/tracedat/v6.dat" --style $style | wc -l)" \
			"$(wc -l <out)" "lines of style $style"
		dktrace convert plain.dat out2 --format $style
		shown <out2
	done
	dktrace report plain.dat --style csv >out
	shown <out
	run -0 dktrace report plain.dat --event print
	has "$output" 'print:                0xffffffff81498b1a: \n\u202e\x1b[JZ'
	run -0 dktrace report plain.dat --event print --style legacy
	has "$output" '(ftrace:0:print()) \n\u202e\x1b[JZ'
}

@test "--raw-text prints the bytes as recorded" {
	plant_all
	run -0 dktrace report plain.dat --event print --raw-text
	has "$output" $'\n\xe2\x80\xae\033[JZ'
	run -0 dktrace convert plain.dat - --format legacy --event print --raw-text
	has "$output" $'\n\xe2\x80\xae\033[JZ'
}

@test "info escapes text from a trace" {
	plant_all
	dktrace info plain.dat >out
	shown <out
	grep -F 'kernel    6.18.44-\x1b[2J\x9b57 x86_64' out
	dktrace info --json plain.dat >out
	shown <out
	same '6.18.44-\u001b[2J\x9b57 x86_64' "$(jq -r .kernel out | sed 's/\x1b/\\u001b/')" "JSON"
}

@test "hist and latency escape text from a trace" {
	local event=libcfs:libcfs_debug_msg

	log 'x \033[2J\xe2\x80\xae,b\n    more'
	dktrace hist --input text.dat $event --keys msg >out
	shown <out
	has "$(cat out)" 'x \x1b[2J\u202e,b\n    more'
	dktrace hist --input text.dat $event --keys msg --csv >out
	shown <out
	has "$(cat out)" '"x \x1b[2J\u202e,b\x0a    more",1'
	dktrace hist --input text.dat $event --keys msg --json >out
	shown <out
	grep -F '"msg":"x \u001b[2J\u202e,b\n    more"' out
	dktrace latency --input text.dat $event $event --match common_pid --keys msg >out
	shown <out
	grep '^x .x1b\[2J.u202e,b.n    more' out
	dktrace latency --input text.dat $event $event --match common_pid --keys msg --csv >out
	shown <out
	dktrace latency --input text.dat $event $event --match common_pid --keys msg --json >out
	shown <out
}

# A saved log of two records, the first with that message.
log()
{
	local head=00000100:00100000:2.0:1495061256.49669

	printf "${head}1:0:14615:0:(client.c:1:f()) $1\\n${head}2:0:14615:0:(client.c:1:f()) last\\n" >text.log
	dktrace convert text.log text.dat
}

@test "a name in an error message cannot end the line" {
	local name=$'no\ndktrace: \033[2J\xe2\x80\xaefile'

	run -1 --separate-stderr dktrace report "$name"
	same 'dktrace: open no\ndktrace: \x1b[2J\u202efile: No such file or directory' "$stderr" "words"
	run -2 --separate-stderr dktrace report --style "$name" x
	shown <<<"$stderr"
	same 1 "$(wc -l <<<"$stderr")" "lines"
	# A caret is below the place of the error.
	run -2 --separate-stderr dktrace report plain.dat --filter $'(\033'
	shown <<<"$stderr"
	same 3 "$(wc -l <<<"$stderr")" "lines"
}

@test "a CSV cell cannot be a formula" {
	plant 'a marker' '=1+cmd|x'
	run -0 dktrace report plain.dat --style csv --event print
	has "$output" "\"'=1+cmd|x\x0a\""
	run -0 dktrace report plain.dat --style csv --event print --raw-text
	has "$output" $'"=1+cmd|x\n"'
	log '=1+cmd|x'
	run -0 dktrace hist --input text.dat libcfs:libcfs_debug_msg --keys msg --csv
	has "$output" "\"'=1+cmd|x\",1"
}

@test "hist and latency --raw-text print the bytes as recorded" {
	local event=libcfs:libcfs_debug_msg

	log '=x \033[2J\xe2\x80\xae'
	run -0 dktrace hist --input text.dat $event --keys msg --raw-text
	has "$output" $'=x \033[2J\xe2\x80\xae '
	run -0 dktrace hist --input text.dat $event --keys msg --csv --raw-text
	has "$output" $'\n=x \033[2J\xe2\x80\xae,1'
	run -0 dktrace latency --input text.dat $event $event --match common_pid --keys msg --raw-text
	has "$output" $'\n=x \033[2J\xe2\x80\xae '
	run -0 dktrace latency --input text.dat $event $event --match common_pid --keys msg --raw-text --csv
	has "$output" $'\n=x \033[2J\xe2\x80\xae,1,'
	log 'a "b", c'
	run -0 dktrace hist --input text.dat $event --keys msg --csv --raw-text
	has "$output" '"a ""b"", c",1'
}
