#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs a command in a copy of a system that is gone afterwards: ROOT below, memory on top. It is
# called in a mount and process namespace of its own, with an empty folder to lay the copy out in.
set -eu

[ $# -ge 4 ] || { echo "usage: enter.sh ROOT EMPTY_FOLDER SHARED_FOLDER COMMAND..." >&2; exit 64; }
root=$1 place=$2 shared=$3
shift 3

mount -t tmpfs tmpfs "$place"
mkdir "$place/above" "$place/work" "$place/root"
mount -t overlay overlay \
	-o "lowerdir=$root,upperdir=$place/above,workdir=$place/work" "$place/root"
mount -t proc proc "$place/root/proc"
mount --rbind /dev "$place/root/dev"
mkdir "$place/root/shared"
mount --bind "$shared" "$place/root/shared"
cp /etc/resolv.conf "$place/root/etc/resolv.conf"
exec chroot "$place/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
