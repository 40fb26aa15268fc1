#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The life of the packages in a fresh Debian system, from the first installation to the last purge.
# After each step it reports what the system is like, in sections "== STEP" of lines "KEY VALUE...".
#
# In /shared lie the packages: old/ (a lower version), new/, and kernel/ (another kernel with its
# headers). The report is written there, too; what the programs say goes to stdout.
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive INITRD=No  # an initramfs would only cost time
readonly MODULES=(irtx-core pwm-ir-tx gpio-ir-tx)

apt()
{
	apt-get -q -y -o APT::Sandbox::User=root "$@"
}

# Everything there is, but logs and what dpkg, apt and DKMS know about packages in general
list_files()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /shared -o -path /tmp -o -path /run \
		-o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' \
		-o -path '/var/lib/dkms/mok.*' \) -prune -o -print | sort
}

# Debian's kernels have no module of our names. For a kernel that has, give this one a module named
# like mainline's, where mainline's would be
add_mainlines()
{
	local kernel=$1 folder=/lib/modules/$1/kernel/drivers/media/rc
	mkdir -p /tmp/mainline "$folder"
	echo 'obj-m := pwm-ir-tx.o' > /tmp/mainline/Kbuild
	printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("mainline");\n' \
		> /tmp/mainline/pwm-ir-tx.c
	make -s -C "/lib/modules/$kernel/build" M=/tmp/mainline modules
	cp /tmp/mainline/pwm-ir-tx.ko "$folder"
	depmod "$kernel"
}

report_module()
{
	local kernel=$1 module=$2
	echo "file $kernel $module $(modinfo -k "$kernel" -n "$module" 2>&1)"
	echo "signer $kernel $module $(modinfo -k "$kernel" -F signer "$module" 2>&1)"
	echo "loads $kernel $module $(modprobe -S "$kernel" -D "$module" 2>&1 | tr '\n' ';')"
}

report_tools()
{
	local tool
	for tool in /usr/bin/irtx-*; do
		[[ -e $tool ]] || continue
		"$tool" --help >/tmp/help 2>&1 && echo "tool ${tool##*/}" || echo "broken ${tool##*/}"
	done
}

# A kernel like Debian's for clouds: our modules cannot be built for it, which must not fail
readonly BARE=/lib/modules/9.9.9-bare
add_kernel_without_infrared()
{
	mkdir -p "$BARE/build/include/config"
	echo CONFIG_PWM=y | tee "$BARE/build/.config" > "$BARE/build/include/config/auto.conf"
}

report()
{
	local kernel module
	{
		echo "== $1"
		dpkg-query -W -f 'package ${Package} ${Version} ${db:Status-Status}\n' 'irtx-*' 2>/dev/null ||
			true
		dkms status | sed 's/^/dkms /'
		for kernel in /lib/modules/*; do
			for module in "${MODULES[@]}"; do
				report_module "${kernel##*/}" "$module"
			done
		done
		report_tools
		find / -xdev \( -path /proc -o -path /shared \) -prune -o -name '*irtx*' -print |
			sed 's/^/path /'
	} >> /shared/report
}

echo "--- a fresh system"
for kernel in /lib/modules/*; do
	add_mainlines "${kernel##*/}"
done
list_files > /tmp/before
report fresh

echo "--- installation of an old version"
apt install /shared/old/*.deb
report installed

echo "--- upgrade"
apt install /shared/new/*.deb
report upgraded

echo "--- purge"
apt purge irtx-dkms irtx-tools
report purged
list_files > /tmp/after
diff /tmp/before /tmp/after > /shared/left || true

echo "--- installation anew, beside a kernel without infrared"
add_kernel_without_infrared
apt install /shared/new/*.deb
dkms status -k "${BARE##*/}" > /shared/bare
rm -r "$BARE"
report reinstalled

echo "--- another kernel"
apt install /shared/kernel/*.deb
report updated

echo "--- purge with two kernels"
apt purge irtx-dkms irtx-tools
report gone
