# Completion of dktrace and lctl for bash; the program itself knows the words.
_dktrace()
{
	local words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")

	mapfile -t COMPREPLY < <(compgen -W "$(dktrace __complete "${words[@]}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}")
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _dktrace dktrace
