// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold between operations: nothing is lit, the kernel has nothing to say, and every
 * transmitter sends an NEC signal whose edges are right, by the record of its virtual chip.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/lirc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fuzz.h"

#define NEC_VALUES	67
#define NEC_CODE	0xe718ff00
#define CARRIER_HZ	38000
#define DUTY_PCT	50
#define BAD_NS		1000
#define CYCLE_NS	(1000000000 / CARRIER_HZ)
/* Longer than a carrier is dark, shorter than a space */
#define PAUSE_NS	100000

/* What they are when nobody has changed them */
static const char * const defaults[][2] = {
	{ "tx_emitter", "auto" },
	{ "tx_mode", "default" },
	{ "tx_priority", "fifo" },
	{ "tx_cpu", "-1" },
	{ "tx_margin_ns", "0" },
	{ "tx_margin_max_ns", "200000" },
	{ "tx_max_irqs_off_us", "10000" },
	{ "tx_lead_ns", "-1" },
	{ "threshold_ns", "1000" },
};

static const char * const reports[] = {
	"BUG", "KASAN", "UBSAN", "WARNING", "ODEBUG", "Oops", "INFO: ", "DEBUG_LOCKS",
};

static int console = -1;	/* /dev/kmsg, read up to here */

/**
 * struct line - what a line of a chip shows
 * @on: it is on
 * @edges: how many edges of an envelope it has shown
 * @at_ns: when these edges were
 */
struct line {
	bool on;
	unsigned int edges;
	__u64 at_ns[NEC_VALUES + 2];
};

static void nec_lengths(__u32 *length_us)
{
	unsigned int i;

	length_us[0] = 9000;
	length_us[1] = 4500;
	for (i = 0; i < 32; i++) {
		length_us[2 + 2 * i] = 562;
		length_us[3 + 2 * i] = NEC_CODE >> i & 1 ? 1688 : 562;
	}
	length_us[NEC_VALUES - 1] = 562;
}

/* --- settings --- */

static bool set_default(const struct world *world, const struct world_file *file, char *why,
			size_t size)
{
	unsigned int i;
	long ret;

	for (i = 0; i < ARRAY_SIZE(defaults); i++) {
		if (strcmp(file->base, defaults[i][0]))
			continue;
		ret = file_write(file->path, defaults[i][1], strlen(defaults[i][1]));
		if (ret > 0)
			continue;
		snprintf(why, size, "%s does not take %s: %s", file->name, defaults[i][1],
			 strerror(-ret));
		return false;
	}

	return true;
}

static bool set_defaults(const struct world *world, unsigned int device, char *why, size_t size)
{
	unsigned int i;

	for (i = 0; i < world->files; i++)
		if (world->file[i].device == device &&
		    !set_default(world, &world->file[i], why, size))
			return false;

	return true;
}

/* Where one of them is too much for the other as it was, the first ioctl fails. */
static bool tune(int fd, const struct world_device *device, char *why, size_t size)
{
	__u32 carrier_hz = CARRIER_HZ, duty_pct = DUTY_PCT;
	__u32 mask = (__u32)((1ULL << device->lines) - 1);

	ioctl(fd, LIRC_SET_SEND_DUTY_CYCLE, &duty_pct);
	if (!ioctl(fd, LIRC_SET_SEND_CARRIER, &carrier_hz) &&
	    !ioctl(fd, LIRC_SET_SEND_DUTY_CYCLE, &duty_pct) &&
	    !ioctl(fd, LIRC_SET_TRANSMITTER_MASK, &mask))
		return true;

	snprintf(why, size, "%s cannot be tuned: %s", device->rc, strerror(errno));

	return false;
}

/* --- the record --- */

/* A pulse goes on where it is dark only for a moment. */
static void see(struct line *line, bool on, __u64 at_ns)
{
	if (on == line->on || line->edges > NEC_VALUES + 1)
		return;
	line->on = on;
	if (!on) {
		line->at_ns[line->edges - 1] = at_ns;
	} else if (!line->edges || at_ns - line->at_ns[line->edges - 1] > PAUSE_NS) {
		line->at_ns[line->edges] = at_ns;
		line->edges += 2;
	}
}

/* # number at_ns moved_hex on_hex period_ns high_ns */
static void see_change(const char *text, struct line *line, unsigned int lines)
{
	unsigned int moved, on, i;
	__u64 at_ns;

	if (sscanf(text, "%*u %llu %x %x", &at_ns, &moved, &on) != 3)
		return;
	for (i = 0; i < lines; i++)
		if (moved >> i & 1)
			see(&line[i], on >> i & 1, at_ns);
}

static bool read_record(const char *chip, struct line *line, unsigned int lines)
{
	char path[WORLD_PATH], text[128];
	FILE *record;

	snprintf(path, sizeof(path), "/sys/kernel/debug/irtx-scope/%s/record", chip);
	record = fopen(path, "r");
	if (!record)
		return false;
	while (fgets(text, sizeof(text), record))
		see_change(text, line, lines);
	fclose(record);

	return true;
}

/* Software makes the nearest number of whole cycles, of which the last one ends dark. */
static __u32 lit_ns(__u32 length_us, bool soft_carrier)
{
	__u32 cycles = (1000 * length_us + CYCLE_NS / 2) / CYCLE_NS;

	if (!soft_carrier)
		return 1000 * length_us;

	return 1000000000ULL * cycles / CARRIER_HZ - CYCLE_NS * (100 - DUTY_PCT) / 100;
}

static bool is_nec(const struct line *line, bool soft_carrier, char *why, size_t size)
{
	__u32 length_us[NEC_VALUES];
	__u64 begin_ns = 0, due_ns = 0;
	unsigned int i;
	long late_ns;

	nec_lengths(length_us);
	if (line->edges != NEC_VALUES + 1) {
		snprintf(why, size, "%u edges instead of %u", line->edges, NEC_VALUES + 1);
		return false;
	}
	for (i = 0; i <= NEC_VALUES; i++) {
		due_ns = i % 2 ? begin_ns + lit_ns(length_us[i - 1], soft_carrier) : begin_ns;
		late_ns = line->at_ns[i] - line->at_ns[0] - due_ns;
		if (labs(late_ns) >= BAD_NS) {
			snprintf(why, size, "edge %u is %ld ns late", i, late_ns);
			return false;
		}
		if (i % 2 && i < NEC_VALUES)
			begin_ns += 1000ULL * (length_us[i - 1] + length_us[i]);
	}

	return true;
}

static bool showed_nec(const struct world_device *device, char *why, size_t size)
{
	static struct line line[32];
	char what[64];
	unsigned int i;

	memset(line, 0, sizeof(line));
	if (!read_record(device->chip, line, device->lines)) {
		snprintf(why, size, "%s has no record", device->chip);
		return false;
	}
	for (i = 0; i < device->lines; i++) {
		if (is_nec(&line[i], device->soft_carrier, what, sizeof(what)))
			continue;
		snprintf(why, size, "%s: line %u of %s shows NEC badly: %s", device->rc, i,
			 device->chip, what);
		return false;
	}

	return true;
}

/* --- the checks --- */

static bool write_nec(const struct world_device *device, int fd, char *why, size_t size)
{
	__u32 length_us[NEC_VALUES];
	char path[WORLD_PATH];
	long ret;

	snprintf(path, sizeof(path), "/sys/kernel/debug/irtx-scope/%s/reset", device->chip);
	file_write(path, "1", 1);
	nec_lengths(length_us);
	ret = write(fd, length_us, sizeof(length_us));
	if (ret == sizeof(length_us))
		return true;

	snprintf(why, size, "%s does not send NEC: %s", device->rc, strerror(errno));

	return false;
}

static bool sends_nec(const struct world *world, unsigned int number, char *why, size_t size)
{
	const struct world_device *device = &world->device[number];
	int fd = open(device->lirc, O_RDWR);
	bool sends;

	if (fd < 0) {
		snprintf(why, size, "%s cannot be opened: %s", device->lirc, strerror(errno));
		return false;
	}
	sends = set_defaults(world, number, why, size) && tune(fd, device, why, size) &&
		write_nec(device, fd, why, size) && showed_nec(device, why, size);
	close(fd);

	return sends;
}

static bool is_dark(const struct world_device *device, char *why, size_t size)
{
	char path[WORLD_PATH], text[32];

	snprintf(path, sizeof(path), "/sys/kernel/debug/irtx-scope/%s/lit", device->chip);
	if (file_read(path, text, sizeof(text)) > 0 && !strtoul(text, NULL, 16))
		return true;

	snprintf(why, size, "%s is lit: %s", device->chip, text);

	return false;
}

static bool is_report(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reports); i++)
		if (strstr(text, reports[i]))
			return true;

	return false;
}

static bool kernel_is_silent(char *why, size_t size)
{
	char text[1024];
	bool silent = true;
	long length;

	if (console < 0) {
		console = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
		lseek(console, 0, SEEK_END);
	}
	while ((length = read(console, text, sizeof(text) - 1)) > 0 || errno == EPIPE) {
		text[length > 0 ? length : 0] = '\0';
		if (length > 0 && silent && is_report(text)) {
			snprintf(why, size, "the kernel reported: %.160s", text);
			silent = false;
		}
		errno = 0;
	}

	return silent;
}

/**
 * state_is_sound() - look whether all is well
 * @world: the transmitters, with nothing going on; their settings are the defaults afterwards
 * @why: says what is wrong, if something is
 * @size: of @why
 */
bool state_is_sound(const struct world *world, char *why, size_t size)
{
	unsigned int i;

	for (i = 0; i < world->devices; i++)
		if (!is_dark(&world->device[i], why, size) ||
		    !sends_nec(world, i, why, size) || !is_dark(&world->device[i], why, size))
			return false;

	return kernel_is_silent(why, size);
}
