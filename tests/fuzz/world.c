// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmitters of this machine, and all their files.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define TEXT_SIZE	4096

/**
 * file_read() - read the beginning of a file
 * @path: where it lies
 * @text: filled in, and closed with a NUL
 * @size: of @text
 *
 * Return: the length, or a negative errno.
 */
long file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	long length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	length = length < 0 ? -errno : length;
	text[length > 0 ? length : 0] = '\0';
	close(fd);

	return length;
}

/**
 * file_write() - write to a file
 * @path: where it lies
 * @text: what to write, in one call
 * @length: of @text
 *
 * Return: what the call returned, or a negative errno.
 */
long file_write(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY);
	long ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, length);
	ret = ret < 0 ? -errno : ret;
	close(fd);

	return ret;
}

/**
 * world_file_number() - find a file by its name
 * @world: the transmitters
 * @name: as rc0/tx_mode
 *
 * Return: its number, or -1.
 */
int world_file_number(const struct world *world, const char *name)
{
	unsigned int i;

	for (i = 0; i < world->files; i++)
		if (!strcmp(world->file[i].name, name))
			return i;

	return -1;
}

static void add_file(struct world *world, enum file_kind kind, const char *base,
		     const char *folder)
{
	const struct world_device device = world->device[world->devices];
	struct world_file *file = &world->file[world->files++];

	file->kind = kind;
	file->device = world->devices;
	snprintf(file->name, sizeof(file->name), "%s/%.32s", device.rc, base);
	file->base = strchr(file->name, '/') + 1;
	if (kind == FILE_LIRC)
		snprintf(file->path, sizeof(file->path), "%s", device.lirc);
	else
		snprintf(file->path, sizeof(file->path), "%s/%.32s", folder, base);
}

/* In the order of their names, whatever the folder's is */
static void add_files(struct world *world, enum file_kind kind, const char *folder,
		      const char *prefix)
{
	struct dirent **found;
	int count = scandir(folder, &found, NULL, alphasort);
	int i;

	for (i = 0; i < count; i++) {
		if (found[i]->d_name[0] != '.' &&
		    !strncmp(found[i]->d_name, prefix, strlen(prefix)))
			add_file(world, kind, found[i]->d_name, folder);
		free(found[i]);
	}
	free(found);
}

static const char *value_of(const char *text, const char *key)
{
	const char *place = strstr(text, key);

	return place ? place + strlen(key) : "";
}

/* What sends by default is what sends now: "emitter PWM scope-pwm channel 0" */
static void read_config(struct world_device *device)
{
	char path[WORLD_PATH], text[TEXT_SIZE];
	char kind[8] = "";

	snprintf(path, sizeof(path), "/sys/kernel/debug/irtx/%s/config", device->rc);
	file_read(path, text, sizeof(text));
	if (sscanf(value_of(text, "\nemitter "), "%7s %31s", kind, device->chip) != 2)
		return;
	device->lines = strtoul(value_of(text, "\nemitter_lines "), NULL, 10);
	device->soft_carrier = !strcmp(kind, "GPIO");
}

static bool find_lirc(struct world_device *device)
{
	char path[WORLD_PATH];
	unsigned int i;

	for (i = 0; i < WORLD_DEVICES; i++) {
		snprintf(path, sizeof(path), "/sys/class/rc/%s/lirc%u", device->rc, i);
		snprintf(device->lirc, sizeof(device->lirc), "/dev/lirc%u", i);
		if (!access(path, F_OK))
			return true;
	}

	return false;
}

static void add_device(struct world *world, unsigned int number)
{
	struct world_device *device = &world->device[world->devices];
	char folder[WORLD_PATH];

	snprintf(device->rc, sizeof(device->rc), "rc%u", number);
	snprintf(folder, sizeof(folder), "/sys/kernel/debug/irtx/%s", device->rc);
	if (access(folder, F_OK) || !find_lirc(device))
		return;

	read_config(device);
	add_file(world, FILE_LIRC, "lirc", "");
	add_files(world, FILE_EXPORT, folder, "");
	snprintf(folder, sizeof(folder), "/sys/class/rc/%s/device", device->rc);
	add_files(world, FILE_SETTING, folder, "tx_");
	world->devices++;
}

/**
 * world_find() - look for transmitters of ours
 * @world: filled in
 */
void world_find(struct world *world)
{
	unsigned int i;

	memset(world, 0, sizeof(*world));
	for (i = 0; i < WORLD_DEVICES; i++)
		add_device(world, i);
}
