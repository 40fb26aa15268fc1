# SPDX-License-Identifier: GPL-2.0-only
# Targets for people. What the modules are made of is in Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DEB_DIR ?= build-deb
root := $(abspath $(DESTDIR))

modules_ko := irtx-core.ko pwm-ir-tx.ko gpio-ir-tx.ko
packaged := $(filter-out tests $(DEB_DIR),$(wildcard *))
# but the generic one, which is to be edited first
overlays := $(filter-out %/generic-ir-tx.dtbo,\
	$(patsubst %.dts,%.dtbo,$(wildcard dt-bindings/overlays/*.dts)))

.PHONY: modules clean install install-modules install-tools uninstall deb check demo bench soak help

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -f $(overlays)

install: install-modules install-tools

# Where there are only a kernel's headers, kbuild leaves depmod to us, and has no key to sign with
install-modules: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(root) INSTALL_MOD_DIR=updates \
		CONFIG_MODULE_SIG_ALL= modules_install
	$(if $(root),,depmod $$(cat $(KDIR)/include/config/kernel.release))

# $(call each-tool,COMMAND): run COMMAND,MODE,FOLDER,FILES for all that is installed but the modules
define each-tool
$(call $1,755,bin,$(wildcard scripts/irtx-*))
$(call $1,644,share/man/man1,$(wildcard man/*.1))
$(call $1,644,share/bash-completion/completions,$(wildcard scripts/completion/*))
$(call $1,644,lib/udev/rules.d,$(wildcard packaging/*.rules))
$(call $1,644,lib/irtx/overlays,$(overlays))
endef

define install-files
	$(if $3,install -D -m $1 -t $(root)$(PREFIX)/$2 $3)
endef

define remove-files
	rm -f $(addprefix $(root)$(PREFIX)/$2/,$(notdir $3))
endef

install-tools: $(overlays)
	$(call each-tool,install-files)

# Modules go from every kernel that they were installed for
uninstall:
	$(call each-tool,remove-files)
	for folder in $(root)$(PREFIX)/lib/irtx/overlays $(root)$(PREFIX)/lib/irtx; do \
		[ ! -d $$folder ] || rmdir --ignore-fail-on-non-empty $$folder; \
	done
	for module in $(wildcard $(root)/lib/modules/*/updates/irtx-core.ko*); do \
		updates=$${module%/*} kernel=$${module%/updates/*}; \
		rm -f $(foreach ko,$(modules_ko),$$updates/$(ko) $$updates/$(ko).*); \
		$(if $(root),,depmod $${kernel##*/};) \
	done

# Made of the sources of the stock names
dt-bindings/overlays/irtx-pwm.dtbo: dt-bindings/overlays/pwm-ir-tx.dts
dt-bindings/overlays/irtx-gpio.dtbo: dt-bindings/overlays/gpio-ir-tx.dts

%.dtbo: %.dts
	@command -v dtc >/dev/null || \
		{ echo "dtc, which compiles $<, is missing: apt install device-tree-compiler" >&2; exit 1; }
	dtc -@ -I dts -O dtb -o $@ $<

# Built on a copy, so that nothing lies in the tree but $(DEB_DIR); files get the time of the copy,
# which dpkg replaces by the changelog's: equal sources make equal packages
deb:
	@dpkg-checkbuilddeps || { echo "to install what is missing: sudo apt build-dep ./" >&2; exit 1; }
	rm -rf $(DEB_DIR)/irtx
	mkdir -p $(DEB_DIR)/irtx
	tar --create --exclude-vcs-ignores $(packaged) | \
		tar --extract --touch --directory $(DEB_DIR)/irtx
	cd $(DEB_DIR)/irtx && dpkg-buildpackage --unsigned-changes --build=binary
	rm -rf $(DEB_DIR)/irtx

check:
	scripts/check

demo:
	scripts/demo

bench:
	scripts/setup
	/usr/bin/python3 -B -m tests.bench

soak:
	scripts/setup
	/usr/bin/python3 -B -m tests.soak

help:
	@echo 'make                 build the modules for the running kernel'
	@echo 'make KDIR=DIR        build them for the kernel whose build tree DIR is'
	@echo 'make install         install modules, tools and overlays (as root); these modules outrank'
	@echo '                     the kernel'"'"'s own; PREFIX=/usr/local and DESTDIR= say where'
	@echo 'make uninstall       remove what was installed'
	@echo 'make deb             build the Debian packages irtx-dkms and irtx-tools into build-deb/'
	@echo 'make clean           remove what was built'
	@echo 'make demo            send infrared on an emulated Raspberry Pi and show the edges'
	@echo 'make bench           compare every way to send there, for the better part of an hour'
	@echo 'make soak            send 20,000 signals there, in pieces; it goes on where it was stopped'
	@echo 'make check           run all checks and tests'
