# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of dktrace, and of lctl where that is dktrace; the program itself knows the words.
_dktrace()
{
	local line=${COMP_LINE:0:COMP_POINT} program=dktrace words word

	# By blanks only: to bash "debug=+rpctrace" and "block:block_rq_issue" are three words each.
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	word=${words[-1]}
	[[ ${words[0]} == */dktrace ]] && program=${words[0]/#\~/$HOME}
	mapfile -t COMPREPLY < <("$program" __complete "${words[@]}" 2>/dev/null)
	[[ ${COMPREPLY[0]-} == *[=:] ]] && compopt -o nospace 2>/dev/null
	# What stands before the last of bash's own breaks is not replaced.
	[[ $word == *[=:]* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}")
	return 0
}

complete -o bashdefault -o default -F _dktrace dktrace lctl-dktrace
[[ $(readlink -f "$(type -P lctl)") == */dktrace ]] && complete -o bashdefault -o default -F _dktrace lctl
return 0
