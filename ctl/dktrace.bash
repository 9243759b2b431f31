# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion for dktrace, and for lctl if that is dktrace. The program itself prints the candidates.
_dktrace()
{
	local line=${COMP_LINE:0:COMP_POINT} program=dktrace words word

	# Split at spaces only: bash splits "debug=+rpctrace" and "block:block_rq_issue" in three.
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	word=${words[-1]}
	[[ ${words[0]} == */dktrace ]] && program=${words[0]/#\~/$HOME}
	mapfile -t COMPREPLY < <("$program" __complete "${words[@]}" 2>/dev/null)
	[[ ${COMPREPLY[0]-} == *[=:] ]] && compopt -o nospace 2>/dev/null
	# Bash replaces only the text after its last word break.
	[[ $word == *[=:]* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}")
	return 0
}

complete -o bashdefault -o default -F _dktrace dktrace lctl-dktrace
[[ $(readlink -f "$(type -P lctl)") == */dktrace ]] && complete -o bashdefault -o default -F _dktrace lctl
return 0
