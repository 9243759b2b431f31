# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# Where Debian's packages come from, for tests that take some of other suites.

# Prints the address that this system has its own suite from, where the other suites are, too. usage: archive ''|-security
archive()
{
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		awk -v suite="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)$1" \
			'$1 == "Debian" && $2 == suite && $3 == "main" { print $4; exit }'
}
