# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# Functions for the scenarios that run inside the emulated board.

HEARD=/tmp/heard
TX_DRIVER=pwm-ir-tx # unless the scenario's modules say another
AIR_S=1 # light takes 0.6 s through the air, a decoder up to 0.2 s more

# rc_device DRV_NAME: print the name (rcN) of the driver's rc device, waiting up to 1 s for it
rc_device() {
	for _ in 0 1 2 3 4 5 6 7 8 9; do
		for rc in /sys/class/rc/rc*; do
			if grep -qsx "DRV_NAME=$1" "$rc/uevent"; then
				echo "${rc##*/}"
				return
			fi
		done
		sleep 0.1
	done
	echo "no rc device has DRV_NAME=$1; is its module loaded and bound?" >&2
	return 1
}

# lirc DRV_NAME: print the driver's /dev/lircN
lirc() {
	rc=$(rc_device "$1") || return
	for node in "/sys/class/rc/$rc"/lirc*; do
		echo "/dev/${node##*/}"
	done
}

# debug DRV_NAME: print the driver's folder in debugfs
debug() {
	rc=$(rc_device "$1") || return
	echo "/sys/kernel/debug/irtx/$rc"
}

# fails COMMAND...: succeed if the command does not
fails() {
	if "$@"; then
		echo "this should have failed: $*"
		return 1
	fi
}

# ends STATUS COMMAND...: succeed if the command ends with this status
ends() {
	wanted=$1
	shift
	status=0
	"$@" || status=$?
	[ "$status" = "$wanted" ] && return
	echo "this ended with status $status, not $wanted: $*"
	return 1
}

# interrupt SECONDS COMMAND...: press Ctrl-C after that time (boards with python = true)
interrupt() {
	python3 /lab/interrupt.py "$@"
}

# nobody COMMAND...: run it as a user who is not root (boards with python = true)
nobody() {
	python3 -c 'import os, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

# edges [DRV_NAME]: print what the driver (the one behind $TX) measured in its last transmission
edges() {
	file=$(debug "${1:-$TX_DRIVER}")/edges || return
	echo "@edges"
	cat "$file"
	echo "@end"
}

# scope_record CHIP: print what a virtual chip (tests/scope) recorded, for example of scope-gpio
scope_record() {
	echo "@record $1"
	cat "/sys/kernel/debug/irtx-scope/$1/record"
	echo "@end"
}

# mark VALUE: put a mark into the oscilloscope's log; those below 1000 are the lab's own
mark() {
	devmem 0x3f2f0000 32 "$1"
}

# receive PROTOCOL...: let the stock receiver (module gpio-ir-recv) listen for these protocols
receive() {
	rc=$(rc_device gpio_ir_recv)
	echo "none $(printf '+%s ' "$@")" >"/sys/class/rc/$rc/protocols"
	script -q -f -c "ir-keytable -s $rc -t" "$HEARD" >/dev/null & # a terminal: no line is held back
	listener=$!
}

# received: let the light arrive, stop listening and print one line for each reception
received() {
	sleep "$AIR_S"
	kill "$listener"
	wait "$listener" || true
	sed -n 's/.*lirc protocol(\(.*\)): scancode = \(0x[0-9a-f]*\).*/@decoded \1 \2/p' "$HEARD"
}

# start_lircd [CONFIGURATION]: run Debian's lircd on $TX, with examples/lirc unless told otherwise,
# and wait until it answers; its complaints go into the scenario's output (boards with lirc = true)
start_lircd() {
	lircd --nodaemon --device="$TX" --loglevel=error "$@" &
	for _ in 0 1 2 3 4 5 6 7 8 9; do
		sleep 0.1
		irsend LIST "" "" >/dev/null 2>&1 && return
	done
	echo "lircd does not answer" >&2
	return 1
}
