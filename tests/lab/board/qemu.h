/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few QEMU internals the board needs, declared by hand: Debian ships no QEMU headers, but its
 * binary exports these functions to plugins. The layouts hold for QEMU 7.2 to 10.
 */
#ifndef IRBOARD_QEMU_H
#define IRBOARD_QEMU_H

#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Register space: QEMU calls these for each access of the guest, under its big lock. */
struct mem_ops {
	uint64_t (*read)(void *opaque, uint64_t offset, unsigned int size);
	void (*write)(void *opaque, uint64_t offset, uint64_t value, unsigned int size);
	void *read_with_attrs;
	void *write_with_attrs;
	int endianness;
	struct {
		unsigned int min_size;
		unsigned int max_size;
		bool unaligned;
		void *accepts;
	} valid;
	struct {
		unsigned int min_size;
		unsigned int max_size;
		bool unaligned;
	} impl;
};

#define LITTLE_ENDIAN_DEVICE	2

/* QEMU fills these objects in; only their room is ours, and it is more than any version needs. */
struct mem_region {
	_Alignas(64) char room[4096];
};

struct qemu_timer {
	_Alignas(64) char room[512];
};

struct notifier {
	void (*notify)(struct notifier *self, void *data);
	void *links[2];
};

#define CLOCK_VIRTUAL	1	/* the guest's own time, counted in instructions under -icount */
#define SCALE_NS	1
#define SHUTDOWN_BY_HOST 1	/* an error of the host's: QEMU ends, whatever the guest does */

void *get_system_memory(void);
void memory_region_init_io(void *region, void *owner, const struct mem_ops *ops, void *opaque,
			   const char *name, uint64_t size);
void memory_region_add_subregion_overlap(void *container, uint64_t offset, void *region,
					 int priority);
int64_t qemu_clock_get_ns(int clock);
void timer_init_full(void *timer, void *list_group, int clock, int scale, int attributes,
		     void (*expired)(void *opaque), void *opaque);
void timer_mod_ns(void *timer, int64_t expire_ns);
void timer_del(void *timer);
void *object_resolve_path_type(const char *path, const char *type, bool *ambiguous);
void *qdev_get_gpio_in_named(void *device, const char *name, int n);
void qemu_set_irq(void *irq, int level);
void qemu_system_shutdown_request(int cause);
void qemu_add_machine_init_done_notifier(struct notifier *notifier);

#endif
