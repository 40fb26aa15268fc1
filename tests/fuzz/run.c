// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does operations and judges what the kernel returned by what is documented, in LIRC's manual pages
 * and in Documentation/ABI.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/lirc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"

#define PAGE_SIZE	4096
#define BUFFER_SIZE	16384
#define LONGEST_US	500000
#define MOST_VALUES	1024
#define MAX_PROTOCOL	27

static const __u32 features = LIRC_CAN_SEND_PULSE | LIRC_CAN_SET_TRANSMITTER_MASK |
			      LIRC_CAN_SET_SEND_CARRIER | LIRC_CAN_SET_SEND_DUTY_CYCLE;

/* What the settings that are numbers may be */
static const struct {
	const char *name;
	long min;
	long max;
} ranges[] = {
	{ "tx_cpu", -1, 0 },
	{ "tx_margin_ns", 0, 10000000 },
	{ "tx_margin_max_ns", 5000, 10000000 },
	{ "tx_max_irqs_off_us", 0, 1000000 },
	{ "tx_lead_ns", -1, 50000 },
	{ "threshold_ns", 1, 0x7fffffff },
	{ "reset", 1, 1 },
};

static unsigned char buffer[BUFFER_SIZE];
static unsigned char *cut;	/* a page with nothing behind it */
static int alarms;

static void on_alarm(int number)
{
	__atomic_add_fetch(&alarms, 1, __ATOMIC_RELAXED);
}

/**
 * run_begin() - get ready
 * @runner: the process
 * @world: the transmitters
 */
void run_begin(struct runner *runner, const struct world *world)
{
	struct sigaction action = { .sa_handler = on_alarm };
	unsigned int i;

	runner->world = world;
	for (i = 0; i < SLOTS; i++)
		runner->slot[i].fd = -1;
	sigaction(SIGALRM, &action, NULL);

	cut = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cut == MAP_FAILED || munmap(cut + PAGE_SIZE, PAGE_SIZE))
		abort();
}

static void *place_of(enum pointer pointer, void *good)
{
	switch (pointer) {
	case POINTER_NULL:
		return NULL;
	case POINTER_CUT:
		return cut + PAGE_SIZE - 1;
	case POINTER_KERNEL:
		return (void *)0xffffffff81000000;
	default:
		return good;
	}
}

static struct slot *slot_of(struct runner *runner, const struct op *op)
{
	return &runner->slot[op->arg[0] % SLOTS];
}

static enum file_kind kind_of(const struct runner *runner, const struct slot *slot)
{
	return runner->world->file[slot->file].kind;
}

static bool is_lirc(const struct runner *runner, const struct slot *slot)
{
	return slot->fd >= 0 && kind_of(runner, slot) == FILE_LIRC;
}

static long errno_or(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* What files in sysfs and debugfs may say to anything */
static bool is_polite(long result)
{
	return result >= 0 || result == -EINVAL || result == -EACCES || result == -EPERM ||
	       result == -EBADF || result == -EFAULT || result == -ERANGE || result == -ESPIPE ||
	       result == -ENXIO || result == -ENOTTY;
}

/* --- open and close --- */

static void close_slot(struct slot *slot)
{
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
}

static struct outcome run_open(struct runner *runner, const struct op *op)
{
	const struct world_file *file = &runner->world->file[op->file];
	struct slot *slot = slot_of(runner, op);
	struct outcome outcome = { };

	close_slot(slot);
	outcome.result = errno_or(open(file->path, op->arg[1] & ~O_CREAT));
	outcome.allowed = outcome.result >= 0 ||
			  (outcome.result == -EACCES && file->kind != FILE_LIRC);
	*slot = (struct slot) {
		.fd = outcome.result,
		.file = op->file,
		.flags = op->arg[1],
		.send_mode = LIRC_MODE_PULSE,
	};

	return outcome;
}

/* --- ioctl --- */

static long expect_value(const struct runner *runner, const struct slot *slot, __u32 command,
			 __u32 value)
{
	const struct world_file *file = &runner->world->file[slot->file];
	long lines = runner->world->device[file->device].lines;

	switch (command) {
	case LIRC_GET_FEATURES:
	case LIRC_GET_SEND_MODE:
		return 0;
	case LIRC_SET_SEND_MODE:
		return value == LIRC_MODE_PULSE || value == LIRC_MODE_SCANCODE ? 0 : -EINVAL;
	case LIRC_SET_TRANSMITTER_MASK:
		return (__u64)value >> lines ? lines : value ? 0 : -EINVAL;
	case LIRC_SET_SEND_DUTY_CYCLE:
		return value && value < 100 ? 0 : -EINVAL;
	case LIRC_SET_SEND_CARRIER:
		return 0;
	default:
		return -ENOTTY;
	}
}

/* What a carrier or duty cycle comes to depends on the hardware */
static bool may_refuse(__u32 command)
{
	return command == LIRC_SET_SEND_CARRIER || command == LIRC_SET_SEND_DUTY_CYCLE;
}

static long expect_ioctl(const struct runner *runner, const struct slot *slot,
			 const struct op *op)
{
	bool reads = _IOC_DIR((__u32)op->arg[1]) & _IOC_READ;
	bool writes = _IOC_DIR((__u32)op->arg[1]) & _IOC_WRITE;
	long expected = expect_value(runner, slot, op->arg[1], op->arg[2]);

	if (op->arg[3] != POINTER_GOOD && (writes || (reads && !expected)))
		return -EFAULT;

	return expected;
}

static bool told_right(const struct slot *slot, const struct op *op, __u32 value)
{
	if (op->arg[1] == LIRC_GET_FEATURES)
		return value == features;
	if (op->arg[1] == LIRC_GET_SEND_MODE)
		return value == slot->send_mode;

	return true;
}

static struct outcome run_ioctl(struct runner *runner, const struct op *op)
{
	struct slot *slot = slot_of(runner, op);
	struct outcome outcome = { };
	__u32 value = op->arg[2];
	long expected;

	outcome.result = errno_or(ioctl(slot->fd, op->arg[1], place_of(op->arg[3], &value)));
	if (!is_lirc(runner, slot)) {
		outcome.allowed = is_polite(outcome.result);
		return outcome;
	}

	expected = expect_ioctl(runner, slot, op);
	outcome.allowed = outcome.result == expected ||
			  (may_refuse(op->arg[1]) && !expected && outcome.result == -EINVAL);
	if (outcome.result || op->arg[3] != POINTER_GOOD)
		return outcome;

	outcome.allowed = outcome.allowed && told_right(slot, op, value);
	if (op->arg[1] == LIRC_SET_SEND_MODE)
		slot->send_mode = value;

	return outcome;
}

/* --- signals --- */

static bool is_writable(const struct slot *slot)
{
	return (slot->flags & O_ACCMODE) != O_RDONLY;
}

static size_t fill_pulses(const struct op *op)
{
	__u32 *values = (__u32 *)buffer;
	unsigned int count = op->arg[1] <= MAX_VALUES ? op->arg[1] : MAX_VALUES;
	unsigned int i;

	for (i = 0; i < count; i++)
		values[i] = op->arg[i % 2 ? 3 : 2];
	if (op->arg[4] < count)
		values[op->arg[4]] = op->arg[5];

	return sizeof(*values) * count + op->arg[6] % sizeof(*values);
}

static long expect_pulses(size_t length, enum pointer pointer)
{
	const __u32 *values = (__u32 *)buffer;
	size_t count = length / sizeof(*values);
	__u64 total_us = 0;
	size_t i;

	if (length % sizeof(*values) || count % 2 == 0 || count > MOST_VALUES)
		return -EINVAL;
	if (pointer != POINTER_GOOD)
		return -EFAULT;
	for (i = 0; i < count; i++) {
		total_us += values[i];
		if (!values[i] || total_us > LONGEST_US)
			return -EINVAL;
	}

	return length;
}

static size_t fill_scancode(const struct op *op)
{
	struct lirc_scancode *scancode = (struct lirc_scancode *)buffer;

	*scancode = (struct lirc_scancode) {
		.timestamp = op->arg[5],
		.flags = op->arg[3],
		.rc_proto = op->arg[1],
		.keycode = op->arg[4],
		.scancode = op->arg[2],
	};

	return sizeof(*scancode) + op->arg[6] % sizeof(*scancode);
}

/* Which scancodes a protocol has is rc-core's business */
static long expect_scancode(size_t length, enum pointer pointer)
{
	const struct lirc_scancode *scancode = (struct lirc_scancode *)buffer;

	if (length != sizeof(*scancode))
		return -EINVAL;
	if (pointer != POINTER_GOOD)
		return -EFAULT;
	if (scancode->flags || scancode->keycode || scancode->timestamp ||
	    scancode->rc_proto > MAX_PROTOCOL || scancode->scancode > 0xffffffff)
		return -EINVAL;

	return length;
}

static long expect_write(const struct slot *slot, size_t length, enum pointer pointer)
{
	if (!is_writable(slot))
		return -EBADF;
	if (pointer == POINTER_KERNEL)
		return -EFAULT;
	if (slot->send_mode == LIRC_MODE_PULSE)
		return expect_pulses(length, pointer);

	return expect_scancode(length, pointer);
}

static struct outcome run_write(struct runner *runner, const struct op *op, size_t length)
{
	struct slot *slot = slot_of(runner, op);
	struct outcome outcome = { };
	long expected;

	outcome.result = errno_or(write(slot->fd, place_of(op->arg[7], buffer), length));
	if (!is_lirc(runner, slot)) {
		outcome.allowed = is_polite(outcome.result);
		return outcome;
	}

	/* A signal is cut off where another one has the CPU for too long. */
	expected = expect_write(slot, length, op->arg[7]);
	outcome.sent = expected > 0 && outcome.result == expected;
	outcome.allowed = outcome.result == expected ||
			  (expected > 0 && outcome.result == -ETIMEDOUT) ||
			  (expected > 0 && slot->send_mode == LIRC_MODE_SCANCODE &&
			   outcome.result == -EINVAL);

	return outcome;
}

/* --- other calls --- */

static struct outcome run_read(struct runner *runner, const struct op *op)
{
	struct slot *slot = slot_of(runner, op);
	size_t length = op->arg[1] <= BUFFER_SIZE ? op->arg[1] : BUFFER_SIZE;
	struct outcome outcome = { };

	outcome.result = errno_or(read(slot->fd, place_of(op->arg[2], buffer), length));
	outcome.allowed = is_polite(outcome.result) && outcome.result <= (long)length &&
			  !(is_lirc(runner, slot) && outcome.result > 0);

	return outcome;
}

static struct outcome run_seek(struct runner *runner, const struct op *op)
{
	struct outcome outcome = { };

	outcome.result = errno_or(lseek(slot_of(runner, op)->fd, op->arg[1], op->arg[2]));
	outcome.allowed = is_polite(outcome.result);

	return outcome;
}

static struct outcome run_poll(struct runner *runner, const struct op *op)
{
	struct slot *slot = slot_of(runner, op);
	struct pollfd poll_fd = { .fd = slot->fd, .events = op->arg[1] };
	struct outcome outcome = { };

	outcome.result = errno_or(poll(&poll_fd, 1, op->arg[2]));
	outcome.allowed = outcome.result == 0 || outcome.result == 1 || outcome.result == -EINTR;
	if (is_lirc(runner, slot) && poll_fd.revents & (POLLERR | POLLHUP))
		outcome.allowed = false;

	return outcome;
}

static struct outcome run_get(struct runner *runner, const struct op *op)
{
	const struct world_file *file = &runner->world->file[op->file];
	size_t chunk = op->arg[0] && op->arg[0] <= BUFFER_SIZE ? op->arg[0] : BUFFER_SIZE;
	int fd = open(file->path, O_RDONLY);
	struct outcome outcome = { };
	long total = 0;

	if (fd < 0)
		return (struct outcome) { .result = -errno, .allowed = errno == EACCES };
	while ((outcome.result = errno_or(read(fd, buffer, chunk))) > 0)
		total += outcome.result;
	close(fd);

	outcome.result = outcome.result ?: total;
	outcome.allowed = outcome.result > 0 ||
			  (outcome.result == -EACCES && !strcmp(file->base, "reset"));

	return outcome;
}

/* Refusing is always polite; what is taken must be within the documented range. */
static bool may_take(const struct world_file *file, const struct op *op)
{
	char text[OP_TEXT + 1] = "";
	unsigned int i;
	long value;
	char *end;

	memcpy(text, op->text, op->text_len);
	errno = 0;
	value = strtol(text, &end, 0);
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (!strcmp(file->base, ranges[i].name))
			return !errno && end != text && value >= ranges[i].min &&
			       value <= ranges[i].max;

	return strcmp(file->base, "tx_mode_active") && file->kind == FILE_SETTING;
}

static struct outcome run_put(struct runner *runner, const struct op *op)
{
	const struct world_file *file = &runner->world->file[op->file];
	struct outcome outcome = { };

	outcome.result = file_write(file->path, op->text, op->text_len);
	if (outcome.result > 0)
		outcome.allowed = outcome.result == op->text_len && may_take(file, op);
	else
		outcome.allowed = outcome.result == -EINVAL || outcome.result == -ERANGE ||
				  outcome.result == -EACCES || !op->text_len;

	return outcome;
}

static struct outcome run_alarm(const struct op *op)
{
	struct itimerval timer = { .it_value.tv_usec = op->arg[0] % 1000000 };

	setitimer(ITIMER_REAL, &timer, NULL);

	return (struct outcome) { .allowed = true };
}

static struct outcome run_any(struct runner *runner, const struct op *op)
{
	switch (op->kind) {
	case OP_OPEN:
		return run_open(runner, op);
	case OP_CLOSE:
		close_slot(slot_of(runner, op));
		break;
	case OP_IOCTL:
		return run_ioctl(runner, op);
	case OP_PULSES:
		return run_write(runner, op, fill_pulses(op));
	case OP_SCANCODE:
		return run_write(runner, op, fill_scancode(op));
	case OP_READ:
		return run_read(runner, op);
	case OP_SEEK:
		return run_seek(runner, op);
	case OP_POLL:
		return run_poll(runner, op);
	case OP_GET:
		return run_get(runner, op);
	case OP_PUT:
		return run_put(runner, op);
	case OP_ALARM:
		return run_alarm(op);
	default:
		usleep(op->arg[0] % 1000000);
	}

	return (struct outcome) { .allowed = true };
}

/**
 * run_op() - do an operation
 * @runner: the process
 * @op: the operation
 *
 * Return: what came of it. That an alarm interrupts it is always allowed.
 */
struct outcome run_op(struct runner *runner, const struct op *op)
{
	int alarms_before = __atomic_load_n(&alarms, __ATOMIC_RELAXED);
	struct outcome outcome = run_any(runner, op);

	if (outcome.result == -EINTR &&
	    __atomic_load_n(&alarms, __ATOMIC_RELAXED) != alarms_before)
		outcome.allowed = true;

	return outcome;
}
