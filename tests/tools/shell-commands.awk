# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the commands that shell scripts run, as "FILE:LINE: WORD" each, for tests/deps. It knows quotes, comments,
# substitutions, here-documents and the patterns of case. It cannot know a command whose name is in a variable.
#
# usage: awk -f tests/tools/shell-commands.awk SCRIPT...

BEGIN {
	# These words take a command as their argument, after options, numbers, quoted words and assignments.
	n = split("env exec nohup setsid nice ionice timeout xargs sudo command type which run expect unread " \
		"until_true start shown unshare chroot stdbuf taskset apart cost strace trap eval time builtin", words, " ")
	while (n)
		prefixes[words[n--]] = 1
	n = split("if then else elif do while until ! { } time", words, " ")
	while (n)
		keywords[words[n--]] = 1
	n = split("sh bash zsh script", words, " ")
	while (n)
		shells[words[n--]] = 1
}

FNR == 1 {
	start_file()
}

# A here-document ends with a line that is its word.
document != "" {
	text = $0
	if (tabs)
		gsub(/^\t+/, "", text)
	if (text == document)
		document = ""
	next
}

{
	text = $0
	lex()
	if (pending != "") {
		document = pending
		pending = ""
	}
}

function start_file()
{
	depth = 0
	document = pending = ""
	kind[0] = "code"
	fresh()
}

# A new command begins.
function fresh()
{
	end_word()
	wanted[depth] = 1
	prefix[depth] = skip[depth] = 0
	last[depth] = running[depth] = ""
}

function open(what)
{
	kind[++depth] = what
	wanted[depth] = 1
	prefix[depth] = skip[depth] = cases[depth] = patterns[depth] = quoted[depth] = 0
	word[depth] = last[depth] = running[depth] = ""
}

function close_one()
{
	depth--
}

function found(name)
{
	sub(/^(\/usr)?\/s?bin\//, "", name)
	if (name ~ /^[a-z][A-Za-z0-9_.+-]*$/)
		print FILENAME ":" FNR ": " name
}

function end_word(text, is_quoted)
{
	text = word[depth]
	is_quoted = quoted[depth]
	word[depth] = ""
	quoted[depth] = 0
	if (text == "" && !is_quoted)
		return
	if (skip[depth]) {
		skip[depth] = 0
		return
	}
	last[depth] = text
	if (patterns[depth]) {
		if (text == "esac") {
			cases[depth]--
			patterns[depth] = 0
			wanted[depth] = 0
		}
		return
	}
	if (cases[depth] && text == "in" && naming[depth]) {
		patterns[depth] = 1
		naming[depth] = 0
		return
	}
	if (!wanted[depth])
		return
	if (prefix[depth]) {
		if (is_quoted || text ~ /^[-+0-9]/ || text ~ /[=$]/ || text !~ /[a-z]/)
			return
	} else if (!is_quoted && text in keywords) {
		return
	} else if (text ~ /^[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=/) {
		return
	}
	if (!is_quoted && text == "case") {
		cases[depth]++
		naming[depth] = 1
	}
	if (!is_quoted && text == "esac" && cases[depth])
		cases[depth]--
	if (!is_quoted) {
		found(text)
		running[depth] = text
	}
	wanted[depth] = prefix[depth] = (!is_quoted && text in prefixes)
}

# Goes through one line of code; the state is kept from line to line.
function lex(c, two, end)
{
	while (text != "") {
		if (kind[depth] == "single") {
			end = index(text, "'")
			if (!end)
				return
			text = substr(text, end + 1)
			close_one()
			quoted[depth] = 1
			continue
		}
		c = substr(text, 1, 1)
		two = substr(text, 1, 2)
		if (c == "\\") {
			if (text == "\\")
				return
			word[depth] = word[depth] substr(text, 2, 1)
			text = substr(text, 3)
		} else if (two == "$(" || two == "<(" || two == ">(") {
			arithmetic = substr(text, 1, 3) == "$(("
			word[depth] = word[depth] "$"
			text = substr(text, arithmetic ? 4 : 3)
			open(arithmetic ? "arithmetic" : "parenthesis")
		} else if (two == "${") {
			text = substr(text, 3)
			word[depth] = word[depth] "$"
			open("brace")
		} else if (kind[depth] == "arithmetic") {
			text = substr(text, 2)
			if (c == "(")
				inner[depth]++
			else if (c == ")" && inner[depth])
				inner[depth]--
			else if (c == ")") {
				sub(/^\)/, "", text)
				close_one()
			}
		} else if (kind[depth] == "double" && c != "\"" && c != "`") {
			match(text, /^[^"\\$`]+/)
			text = substr(text, RLENGTH > 0 ? RLENGTH + 1 : 2)
		} else if (kind[depth] == "brace" && c != "\"" && c != "'") {
			text = substr(text, 2)
			if (c == "}")
				close_one()
		} else if (c == "\"" || c == "'") {
			text = substr(text, 2)
			lex_quote(c)
		} else if (c == "`") {
			text = substr(text, 2)
			if (kind[depth] == "backquote") {
				end_word()
				close_one()
			} else {
				word[depth] = word[depth] "$"
				open("backquote")
			}
		} else if (c == " " || c == "\t") {
			end_word()
			sub(/^[ \t]+/, "", text)
		} else if (c == "#" && word[depth] == "" && !quoted[depth]) {
			break
		} else if (c ~ /[;|&]/) {
			text = substr(text, 2)
			lex_separator(c)
		} else if (c == "<" || c == ">") {
			lex_redirection()
		} else if (c == "(") {
			lex_parenthesis()
		} else if (c == ")") {
			text = substr(text, 2)
			end_word()
			if (patterns[depth]) {
				patterns[depth] = 0
				fresh()
			} else if (depth) {
				close_one()
			}
		} else {
			if (!match(text, /^[^][\\$<>"'`; \t#|&(){}]+/))
				RLENGTH = 1
			word[depth] = word[depth] substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
		}
	}
	# A line ends a command, except within quotes and lists.
	if (kind[depth] != "double" && kind[depth] != "brace" && kind[depth] != "arithmetic") {
		end_word()
		if (kind[depth] != "list")
			fresh()
	}
}

# The argument of sh -c is a script: quotes do not hide its commands.
function lex_quote(c)
{
	if (kind[depth] == "double" || kind[depth] == "script " c) {
		end_word_of_script(c)
		close_one()
		quoted[depth] = 1
	} else if (running[depth] in shells && last[depth] ~ /^-[a-z]*c$/ && word[depth] == "") {
		open("script " c)
	} else {
		open(c == "'" ? "single" : "double")
	}
}

function end_word_of_script(c)
{
	if (kind[depth] == "script " c)
		end_word()
}

function lex_separator(c)
{
	end_word()
	if (c == "&" && substr(text, 1, 1) == ">") # &>FILE
		return
	if (c == ";" && substr(text, 1, 1) == ";" && cases[depth]) {
		sub(/^;&?/, "", text)
		fresh()
		patterns[depth] = 1
		return
	}
	if (!patterns[depth] && kind[depth] != "list")
		fresh()
}

function lex_redirection(match_end)
{
	if (word[depth] ~ /^[0-9]+$/)
		word[depth] = ""
	end_word()
	if (text ~ /^<<-?[^<]/) {
		tabs = text ~ /^<<-/
		sub(/^<<-?[ \t]*/, "", text)
		match(text, /^[^ \t;|&)]+/)
		pending = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		gsub(/['"\\]/, "", pending)
		return
	}
	match(text, /^[<>]+[&|]?[ \t]*/)
	text = substr(text, RLENGTH + 1)
	skip[depth] = 1
}

function lex_parenthesis()
{
	if (text ~ /^\(\)/) { # a function's name
		text = substr(text, 3)
		word[depth] = ""
		fresh()
	} else if (patterns[depth]) {
		text = substr(text, 2)
	} else if (word[depth] ~ /=$/) {
		text = substr(text, 2)
		open("list")
		wanted[depth] = 0
	} else if (text ~ /^\(\(/) {
		text = substr(text, 3)
		open("arithmetic")
	} else {
		text = substr(text, 2)
		end_word()
		open("parenthesis")
	}
}
