// SPDX-License-Identifier: GPL-2.0-only
/*
 * lab-overlay: plugs hardware in. Loading the module applies a device-tree
 * overlay, unloading it takes that out again.
 */

#include <linux/delay.h>
#include <linux/kernel_read_file.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/vmalloc.h>

static char *file;
module_param(file, charp, 0444);
MODULE_PARM_DESC(file, "Path of the overlay, a .dtbo file");

static int changeset;

/*
 * DEBUG_KOBJECT_RELEASE lets go of a device some seconds late, one link of a
 * chain after the other, but an overlay's nodes must be unused when they are
 * freed. Virtual time costs nothing.
 */
#define LAB_OVERLAY_RELEASE_MS 30000

static int lab_overlay_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == OF_OVERLAY_POST_REMOVE)
		msleep(LAB_OVERLAY_RELEASE_MS);

	return NOTIFY_OK;
}

static struct notifier_block lab_overlay_notifier = {
	.notifier_call = lab_overlay_notify,
};

static int lab_overlay_apply(const void *blob, u32 size)
{
#ifdef LAB_HAS_TARGET_BASE
	return of_overlay_fdt_apply(blob, size, &changeset, NULL);
#else
	return of_overlay_fdt_apply(blob, size, &changeset);
#endif
}

static int lab_overlay_plug(void)
{
	void *blob = NULL;
	ssize_t size;
	int ret;

	size = kernel_read_file_from_path(file, 0, &blob, INT_MAX, NULL, READING_UNKNOWN);
	if (size < 0)
		return size;

	/* It keeps a copy. One that fails half-way has a changeset all the same. */
	ret = lab_overlay_apply(blob, size);
	vfree(blob);
	if (ret)
		of_overlay_remove(&changeset);

	return ret;
}

static int __init lab_overlay_init(void)
{
	int ret;

	of_overlay_notifier_register(&lab_overlay_notifier);
	ret = lab_overlay_plug();
	if (ret)
		of_overlay_notifier_unregister(&lab_overlay_notifier);

	return ret;
}
module_init(lab_overlay_init);

static void __exit lab_overlay_exit(void)
{
	of_overlay_remove(&changeset);
	of_overlay_notifier_unregister(&lab_overlay_notifier);
}
module_exit(lab_overlay_exit);

MODULE_DESCRIPTION("A device-tree overlay, while it is loaded");
MODULE_LICENSE("GPL");
