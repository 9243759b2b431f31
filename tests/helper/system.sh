# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # failed is for the caller, dir is its
# Makes Debian systems in directories and runs commands in them, for tests that need a machine of their own.
# The caller sets dir, an empty directory that ends with the test, calls own_mounts first and finish at its exit.

failed=0

# A system is removed at the end, and must not remove a file of this machine through a mount: all mounts are in a mount
# namespace, in which the caller is started again. usage: own_mounts TEST WORD...
own_mounts()
{
	[ -z "${DKT_OWN_MOUNTS:-}" ] || return 0
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v apt-get >/dev/null || skip "needs a Debian system, whose package sources it uses"
	command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || skip "needs mmdebstrap or debootstrap"
	unshare --mount true 2>/dev/null || skip "needs a mount namespace, which this container refuses"
	DKT_OWN_MOUNTS=1 exec unshare --mount --propagation private "$@"
}

# Each directory in dir may be a system.
finish()
{
	for place in "$dir"/*/; do
		umount -R -l "${place%/}" 2>/dev/null
	done
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $dir"
	else
		rm -rf --one-file-system "$dir"
	fi
}

# Runs a step and notes whether it passed; an exit status of 77 means skipped. usage: step NAME COMMAND...
step()
{
	name=$1
	shift
	began=$(date +%s)
	echo "== $name"
	{
		"$@" </dev/null 2>&1
		echo $? >"$dir/status"
	} | tee -a "$dir/log"
	case $(cat "$dir/status") in
	0) result=passed ;;
	77) result=skipped ;;
	*)
		result=FAILED
		failed=$((failed + 1))
		;;
	esac
	echo "$result  $name, $(($(date +%s) - began)) s" | tee -a "$dir/steps"
	[ "$result" = passed ]
}

# Runs a command in a directory of a system. Of this environment it gets the proxies only.
# usage: within SYSTEM DIRECTORY COMMAND...
within()
{
	system=$1
	shift
	# shellcheck disable=SC2016,SC2046 # for the other shell; one word each
	env -i $(env | grep -i '_proxy=') PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
		DEBIAN_FRONTEND=noninteractive chroot "$system" sh -c 'cd "$1" && shift && exec "$@"' sh "$@"
}

# Debian's own sources among those of this machine, in whichever format it has them; the settings by which apt
# reaches them; no services. usage: make_system SUITE DIRECTORY
make_system()
{
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	apt-get -q update || echo "the package index could not be read again; going on with the old one"
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(ORIGIN) $(ARCHITECTURE) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		sed -n "s/^Debian $(dpkg --print-architecture) /deb /p" | sort -u |
		sed "s/ $codename\([ -]\)/ $1\1/" >"$dir/sources.list"
	apt-config dump | grep -iE '^Acquire::(http|https|check|retries)' >"$dir/apt.conf"
	mirror=$(awk -v suite="$1" '$3 == suite && $4 == "main" { print $2 }' "$dir/sources.list")
	[ -n "$mirror" ] || { echo "apt has no source of Debian's $codename"; return 1; }
	if command -v mmdebstrap >/dev/null; then
		mmdebstrap --variant=minbase --aptopt="$dir/apt.conf" "$1" "$2" "$dir/sources.list"
	else
		debootstrap --variant=minbase "$1" "$2" "$mirror"
	fi || return
	rm -f "$2"/etc/apt/sources.list.d/*
	cp "$dir/sources.list" "$2/etc/apt/sources.list"
	cp "$dir/apt.conf" "$2/etc/apt/apt.conf.d/90machine"
	cp -R /etc/apt/auth.conf.d/. "$2/etc/apt/auth.conf.d/"
	cp -L /etc/resolv.conf /etc/hosts "$2/etc/"
	printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
	chmod 755 "$2/usr/sbin/policy-rc.d"
}

# The tests that change mounts need a mount as their root. usage: start_system DIRECTORY
start_system()
{
	mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
		mount --rbind /dev "$1/dev"
}
