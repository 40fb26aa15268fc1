# SPDX-License-Identifier: GPL-2.0-only
# Targets for people. What the modules are made of is in Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: modules clean install check demo bench help

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install

check:
	scripts/check

demo:
	scripts/demo

bench:
	scripts/setup
	/usr/bin/python3 -B -m tests.bench

help:
	@echo 'make                 build the modules for the running kernel'
	@echo 'make KDIR=DIR        build them for the kernel whose build tree DIR is'
	@echo 'make install         install them (as root); they outrank the kernel'"'"'s own'
	@echo 'make clean           remove what was built'
	@echo 'make demo            send infrared on an emulated Raspberry Pi and show the edges'
	@echo 'make bench           measure all modes there, for the better part of an hour'
	@echo 'make check           run all checks and tests'
