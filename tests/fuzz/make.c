// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes operations up, from a seed and nothing else: what came of the ones before does not matter,
 * so that a round can be listed without being run.
 */

#include <fcntl.h>
#include <linux/lirc.h>
#include <string.h>

#include "fuzz.h"

#define OP(kind, chance) { kind, chance }

static const struct {
	enum op_kind kind;
	unsigned int chance;
} mix[] = {
	OP(OP_OPEN, 8), OP(OP_CLOSE, 3), OP(OP_IOCTL, 28), OP(OP_PULSES, 14), OP(OP_SCANCODE, 4),
	OP(OP_READ, 4), OP(OP_SEEK, 2), OP(OP_POLL, 3), OP(OP_GET, 10), OP(OP_PUT, 18),
	OP(OP_NAP, 4), OP(OP_ALARM, 2),
};

#define MIX_CHANCES	100

static const __u32 commands[] = {
	LIRC_GET_FEATURES, LIRC_GET_SEND_MODE, LIRC_SET_SEND_MODE, LIRC_SET_TRANSMITTER_MASK,
	LIRC_SET_SEND_CARRIER, LIRC_SET_SEND_DUTY_CYCLE, LIRC_GET_REC_MODE, LIRC_SET_REC_MODE,
	LIRC_GET_REC_RESOLUTION, LIRC_GET_MIN_TIMEOUT, LIRC_GET_MAX_TIMEOUT, LIRC_SET_REC_CARRIER,
	LIRC_SET_REC_TIMEOUT, LIRC_SET_REC_TIMEOUT_REPORTS, LIRC_SET_MEASURE_CARRIER_MODE,
	LIRC_SET_REC_CARRIER_RANGE, LIRC_SET_WIDEBAND_RECEIVER, LIRC_GET_REC_TIMEOUT,
};

/* Those that a transmitter has */
#define TRANSMIT_COMMANDS	6

static const __u64 boundaries[] = {
	0, 1, 2, 3, 4, 7, 8, 16, 23, 24, 25, 31, 32, 33, 50, 98, 99, 100, 101, 255, 256,
	4095, 4096, 20000, 36000, 38000, 40000, 56000, 455000, 499999, 500000, 500001, 1000000,
	0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
	0xffffffffffffffff,
};

static const char * const words[] = {
	"default", "busy", "hybrid", "thread", "auto", "normal", "fifo-low", "fifo", "pwm", "gpio",
	"0", "1", "2", "-1", "-2", "100", "4999", "5000", "50000", "50001", "200000", "10000",
	"1000000", "1000001", "10000000", "10000001", "2147483647", "2147483648", "-2147483648",
	"4294967296", "18446744073709551616", "99999999999999999999999", "0x10", "010", "1 ", " 1",
	"+1", "1.5", "busy hybrid", "Busy", "bus", "",
};

static __u64 next(struct random *random)
{
	__u64 mixed = random->state += 0x9e3779b97f4a7c15;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;

	return mixed ^ mixed >> 31;
}

static unsigned int below(struct random *random, unsigned int limit)
{
	return next(random) % limit;
}

static bool chance(struct random *random, unsigned int percent)
{
	return below(random, 100) < percent;
}

/* At the edge of something, or of any size */
static __u64 any_number(struct random *random)
{
	if (chance(random, 70))
		return boundaries[below(random, ARRAY_SIZE(boundaries))];

	return next(random) >> below(random, 64);
}

static enum pointer any_pointer(struct random *random)
{
	return chance(random, 95) ? POINTER_GOOD : below(random, POINTERS);
}

static unsigned int any_flags(struct random *random)
{
	static const unsigned int access[] = { O_RDWR, O_WRONLY, O_RDONLY };
	static const unsigned int others[] = { 0, 0, O_NONBLOCK, O_APPEND, O_TRUNC };

	return access[below(random, ARRAY_SIZE(access))] |
	       others[below(random, ARRAY_SIZE(others))];
}

static unsigned int any_file(struct random *random, const struct world *world,
			     enum file_kind kind)
{
	unsigned int file;

	do
		file = below(random, world->files);
	while (world->file[file].kind != kind);

	return file;
}

static void make_open(struct op *op, struct random *random, const struct world *world)
{
	enum file_kind kind = chance(random, 80) ? FILE_LIRC : FILE_SETTING + below(random, 2);

	op->file = any_file(random, world, kind);
	op->arg[0] = below(random, SLOTS);
	op->arg[1] = kind == FILE_LIRC && chance(random, 80) ? O_RDWR : any_flags(random);
}

static __u64 any_value(struct random *random, __u32 command)
{
	if (chance(random, 25))
		return any_number(random);
	if (command == LIRC_SET_SEND_MODE)
		return chance(random, 80) ? LIRC_MODE_PULSE : LIRC_MODE_SCANCODE;
	if (command == LIRC_SET_TRANSMITTER_MASK)
		return below(random, 16);
	if (command == LIRC_SET_SEND_DUTY_CYCLE)
		return below(random, 101);

	return below(random, 60000);
}

static void make_ioctl(struct op *op, struct random *random)
{
	__u32 command = commands[below(random, chance(random, 80) ? TRANSMIT_COMMANDS :
								      ARRAY_SIZE(commands))];

	if (chance(random, 3))
		command ^= 1U << below(random, 32);
	op->arg[1] = command;
	op->arg[2] = (__u32)any_value(random, command);
	op->arg[3] = any_pointer(random);
}

static unsigned int any_count(struct random *random)
{
	if (chance(random, 3))
		return 1000 + below(random, 50);
	if (chance(random, 85))
		return 1 + 2 * below(random, 20);

	return below(random, 40);
}

/* Mostly short, since busy modes spin through them; up to the longest, now and then */
static unsigned int any_length_us(struct random *random)
{
	if (chance(random, 2))
		return below(random, 510000);
	if (chance(random, 50))
		return 1 + below(random, 20);

	return below(random, 600);
}

static void make_pulses(struct op *op, struct random *random)
{
	op->arg[1] = any_count(random);
	op->arg[2] = any_length_us(random);
	op->arg[3] = any_length_us(random);
	op->arg[4] = op->arg[1] ? below(random, op->arg[1]) : 0;
	op->arg[5] = chance(random, 80) ? op->arg[op->arg[4] % 2 ? 3 : 2] :
					  (__u32)any_number(random);
	op->arg[6] = chance(random, 95) ? 0 : below(random, 4);
	op->arg[7] = any_pointer(random);
}

/* Often an NEC one where scancodes are taken */
static void make_scancode(struct op *op, struct random *random)
{
	if (chance(random, 70))
		op->arg[0] = SLOTS - 1;
	op->arg[1] = chance(random, 60) ? RC_PROTO_NEC : (__u16)any_number(random);
	op->arg[2] = chance(random, 80) ? below(random, 1 << 16) : any_number(random);
	op->arg[3] = chance(random, 95) ? 0 : (__u16)any_number(random);
	op->arg[4] = chance(random, 95) ? 0 : (__u32)any_number(random);
	op->arg[5] = chance(random, 95) ? 0 : any_number(random);
	op->arg[6] = chance(random, 95) ? 0 : below(random, 9);
	op->arg[7] = any_pointer(random);
}

static void change_byte(struct op *op, struct random *random)
{
	unsigned int place = op->text_len ? below(random, op->text_len) : 0;

	if (chance(random, 30))
		op->text_len = place;
	else
		op->text[place] = next(random);
}

static void make_put(struct op *op, struct random *random, const struct world *world)
{
	const char *word = words[below(random, ARRAY_SIZE(words))];
	enum file_kind kind = chance(random, 85) ? FILE_SETTING : FILE_EXPORT;

	op->file = any_file(random, world, kind);
	op->text_len = chance(random, 20) ?
		snprintf(op->text, OP_TEXT, "%lld", (long long)any_number(random)) :
		snprintf(op->text, OP_TEXT, "%s", word);
	if (chance(random, 70))
		op->text[op->text_len++] = '\n';
	if (chance(random, 5))
		change_byte(op, random);
	if (chance(random, 1)) {
		memset(op->text, 'A', OP_TEXT);
		op->text_len = OP_TEXT;
	}
}

static void make_get(struct op *op, struct random *random, const struct world *world)
{
	op->file = any_file(random, world, FILE_SETTING + below(random, 2));
	op->arg[0] = chance(random, 90) ? 4096 : 1 + below(random, 300);
}

static void make_arguments(struct op *op, struct random *random, const struct world *world)
{
	op->arg[0] = below(random, SLOTS);
	switch (op->kind) {
	case OP_OPEN:
		make_open(op, random, world);
		break;
	case OP_IOCTL:
		make_ioctl(op, random);
		break;
	case OP_PULSES:
		make_pulses(op, random);
		break;
	case OP_SCANCODE:
		make_scancode(op, random);
		break;
	case OP_GET:
		make_get(op, random, world);
		break;
	case OP_PUT:
		make_put(op, random, world);
		break;
	case OP_NAP:
	case OP_ALARM:
		op->arg[0] = 1 + below(random, 3000);
		break;
	case OP_READ:
		op->arg[1] = chance(random, 50) ? below(random, 100) : below(random, 8192);
		op->arg[2] = any_pointer(random);
		break;
	default: /* seek, poll, close */
		op->arg[1] = any_number(random);
		op->arg[2] = below(random, 4);
	}
}

static enum op_kind any_kind(struct random *random)
{
	unsigned int left = below(random, MIX_CHANCES);
	unsigned int i = 0;

	while (left >= mix[i].chance)
		left -= mix[i++].chance;

	return mix[i].kind;
}

/**
 * random_seed() - begin a sequence of random numbers
 * @seed: of the run
 * @round: number of the round
 * @process: number of the process
 */
struct random random_seed(__u64 seed, unsigned int round, unsigned int process)
{
	struct random random = { seed };

	random.state = next(&random) ^ round;
	random.state = next(&random) ^ process;

	return random;
}

static void make_first_open(struct op *op, struct random *random, const struct world *world,
			    unsigned int slot)
{
	op->file = any_file(random, world, FILE_LIRC);
	op->arg[0] = slot;
	op->arg[1] = O_RDWR;
}

static void make_scancode_slot(struct op *op)
{
	op->arg[0] = SLOTS - 1;
	op->arg[1] = LIRC_SET_SEND_MODE;
	op->arg[2] = LIRC_MODE_SCANCODE;
	op->arg[3] = POINTER_GOOD;
}

/**
 * make_op() - make the next operation up
 * @op: filled in
 * @random: the process's random numbers
 * @world: the transmitters
 * @number: how many it has done in this round; the first ones open what the others use
 */
void make_op(struct op *op, struct random *random, const struct world *world, unsigned int number)
{
	unsigned int process = op->process;

	memset(op, 0, sizeof(*op));
	op->process = process;
	op->kind = number < SLOTS ? OP_OPEN : number == SLOTS ? OP_IOCTL : any_kind(random);
	make_arguments(op, random, world);
	if (number < SLOTS)
		make_first_open(op, random, world, number);
	else if (number == SLOTS)
		make_scancode_slot(op);
}
