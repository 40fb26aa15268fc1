# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# Beside lib.sh: hardware to plug in and out on user-mode Linux, and a clean end, after which not one
# of our modules is left.

# shellcheck source=tests/lab/guest/lib.sh
. /lib.sh

MODULES="irtx-core scope-core scope-pwm scope-gpio pwm-ir-tx gpio-ir-tx"
loaded=

# load MODULE [PARAMETER=VALUE...]: load one of ours; what it needs has to be there
load() {
	module=$1
	shift
	insmod "/$module.ko" "$@"
	loaded="$module $loaded"
}

load_rest() {
	for module in $MODULES; do
		case " $loaded " in
		*" $module "*) ;;
		*) load "$module" ;;
		esac
	done
}

# plug OVERLAY: bring hardware (um_guest/dts), with those of our modules that are not loaded yet
plug() {
	load_rest
	insmod /lab-overlay.ko file="/$1.dtbo"
}

# unplug: take it away again
unplug() {
	rmmod lab-overlay
}

# unload: leave nothing of ours behind
unload() {
	left=
	[ ! -e /sys/module/lab_overlay ] || unplug || left=lab-overlay
	for module in $loaded; do
		rmmod "$module" || left="$left $module"
	done
	loaded=$left
	[ -z "$left" ]
}

# enter TOOLS: mount Debian's programs, which lie in this folder of the host
enter() {
	mount -r -t hostfs -o "$1" none /tools
	ln -s /tools/usr /tools/lib /tools/lib64 /
	ln -s /usr/bin/python3.11 /bin/python3
	trap leave EXIT
}

leave() {
	status=$?
	unload || status=1
	exit "$status"
}

# sent CHIP COMMAND...: run it and print what the virtual chip recorded meanwhile
sent() {
	chip=$1
	shift
	echo 1 >"/sys/kernel/debug/irtx-scope/$chip/reset"
	"$@"
	scope_record "$chip"
}

# set_tx NAME VALUE: change a setting of the first transmitter
set_tx() {
	echo "$2" >"/sys/class/rc/rc0/device/tx_$1"
}
