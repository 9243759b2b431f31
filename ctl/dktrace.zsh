#compdef dktrace lctl-dktrace lctl
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of dktrace in zsh, and of lctl where that is dktrace; the program itself knows the words.

local program=dktrace
local -a found

# The real lctl has words of its own.
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
# What ends in = or : goes on.
compadd -S '' -- "${(@M)found:#*[=:]}"
compadd -- "${(@)found:#*[=:]}"
