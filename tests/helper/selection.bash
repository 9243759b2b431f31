# SPDX-License-Identifier: LGPL-2.1-or-later
# Options that select records, and how many records of a file or log each must select.
# shellcheck shell=bash disable=SC2154

# Writes the records that a command prints to FILE.rows, one line each. usage: table FILE COMMAND...
table()
{
	# One after the other, because a log can have only one reader.
	"${@:2}" -S csv | grep -v '^system,event' | cut -d , -f 1-3,5-7 | tr , '\t' >"$1.csv"
	"${@:2}" -S legacy | grep -v '^Debug log: ' | sed 's/^ *//' | cut -d : -f 1-6 | tr : '\t' | paste "$1.csv" - >"$1.rows"
}

# Writes the names and masks of classes and subsystems to files.
tables_of_names()
{
	local kind

	for kind in classes subsystems; do
		dktrace list "$kind" --csv | awk -F , '$2 + 0 { printf "%s,%08x\n", $1, $2 }' >"$kind"
	done
}

# Columns of the table: 1 system, 2 event, 3 ns, 4 CPU, 5 pid, 6 comm, 7 subsystem, 8 class, 9 CPU.type,
# 10 seconds of the day. usage: column FILE ROW COLUMN
column()
{
	sed -n "$2p" "$1.rows" | cut -f "$3"
}

# Counts the records for which an awk condition is true; bit() tests a bit of a mask. usage: rows FILE COND
rows()
{
	awk -F '\t' 'function digit(c) { return index("0123456789abcdef", c) - 1 }
		function bit(mask, one,   i, n) {
			for (i = 1; i <= 8; i++)
				if (digit(substr(one, i, 1)) && digit(substr(mask, i, 1)))
					for (n = 8; n >= 1; n /= 2)
						if (int(digit(substr(one, i, 1)) / n) % 2 && int(digit(substr(mask, i, 1)) / n) % 2)
							return 1
			return 0
		}
		'"${among:-1} && ($2)"' { n++ } END { print n + 0 }' "$1.rows"
}

# Prints the first name whose mask one of the records has. usage: name_of KIND FILE COLUMN
name_of()
{
	local name mask

	while IFS=, read -r name mask; do
		[ "$(rows "$2" "bit(\$$3, \"$mask\")")" -gt 0 ] && break
	done <"$1"
	printf '%s %s\n' "$name" "$mask"
}

# Prints the options for a file, and how many records each must select: "COUNT OPTION VALUE" lines.
options()
{
	local file=$1 n middle class class_mask subsystem mask pid comm event cpu

	n=$(wc -l <"$file.rows")
	middle=$((n / 2))
	read -r class class_mask < <(name_of classes "$file" 8)
	read -r subsystem mask < <(name_of subsystems "$file" 7)
	pid=$(column "$file" "$middle" 5)
	comm=$(column "$file" "$middle" 6)
	event=$(column "$file" "$middle" 1):$(column "$file" "$middle" 2)
	cpu=$(column "$file" "$middle" 4)
	ns=$(column "$file" "$middle" 3)
	seconds=${ns%?????????}.${ns: -9}
	echo "$(rows "$file" "bit(\$8, \"$class_mask\")") --class $class"
	echo "$(rows "$file" "bit(\$7, \"$mask\")") --subsystem $subsystem"
	echo "$(rows "$file" "\$1 == \"${event%:*}\" && \$2 == \"${event#*:}\"") --event $event"
	echo "$(rows "$file" "\$5 == $pid") --pid $pid,999999"
	# The kernel forgets names of processes while others run.
	[ "${names:-kept}" = kept ] &&
		echo "$(rows "$file" "index(\$6, \"${comm:0:3}\") == 1") --comm none,${comm:0:3}*"
	echo "$(rows "$file" "\$4 == $cpu") --cpu $cpu-$cpu"
	echo "$(rows "$file" "\$3 \"\" >= \"$ns\"") --since $seconds"
	echo "$(rows "$file" "\$3 \"\" <= \"$ns\"") --until $seconds"
	echo "$(rows "$file" "\$5 <= $pid") --filter common_pid<=$pid"
	echo "$(rows "$file" "!bit(\$8, \"$class_mask\") || !seen[int(\$10)]++") --rate $class=1"
}

# Runs a command, which prints its number of records, for each file and option. usage: cells COMMAND [FILE...]
cells()
{
	local command=$1 bad=0 file count option value have

	shift
	for file in "${@:-tree}"; do
		while read -r count option value; do
			have=$("$command" "$file" "$option" "$value")
			[ "$count" = "$have" ] && continue
			echo "$command of $file $option $value: $have records, not $count"
			bad=1
		done < <(options "$file")
	done
	return $bad
}
