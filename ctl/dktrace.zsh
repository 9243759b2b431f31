#compdef dktrace lctl-dktrace lctl
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion for dktrace in zsh, and for lctl if that is dktrace. The program itself prints the candidates.

local program=dktrace
local -a found

# This file does not complete Lustre's lctl.
if [[ $service == lctl && ${commands[lctl]:A:t} != dktrace ]]; then
	_default
	return
fi
[[ ${words[1]} == */dktrace ]] && program=${words[1]/#\~/$HOME}
found=("${(@f)$("$program" __complete "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
if [[ -z ${found[1]-} ]]; then
	_files
	return
fi
# No space after a candidate that ends in = or :
compadd -S '' -- "${(@M)found:#*[=:]}"
compadd -- "${(@)found:#*[=:]}"
