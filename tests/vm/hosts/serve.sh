# SPDX-License-Identifier: LGPL-2.1-or-later
# The test of a VM that hosts/run starts: it has networks and an sshd until the host ends it.
# modules: virtio_pci virtio_net
# timeout: 3600
# shellcheck shell=sh

nr=$(sed -n 's/.*dkt\.nr=\([0-9]*\).*/\1/p' /proc/cmdline)
hostname "$(cat /etc/hostname)"
ip link set lo up
for net in /sys/class/net/eth*; do
	dev=${net##*/}
	ip link set "$dev" up
	case $(cat "$net/address") in
	52:54:00:00:09:*) ip addr add "10.9.0.$nr/24" dev "$dev" ;;
	*) ip addr add 10.0.2.15/24 dev "$dev" ;;
	esac
done
echo /bin/sh >/etc/shells
# With the environment of the tests, and no login by password.
dropbear -F -E -e -s -r /etc/dropbear/key -p 22
