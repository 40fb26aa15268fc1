/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer: seeded random operations on every file of every transmitter, by several processes at
 * once, each held against what is documented. An operation depends on the seed alone.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* --- operations (op.c) --- */

#define OP_ARGS		8
#define OP_TEXT		80

/**
 * enum op_kind - what can be done
 * @OP_OPEN: FILE SLOT FLAGS
 * @OP_CLOSE: SLOT
 * @OP_IOCTL: SLOT COMMAND VALUE POINTER
 * @OP_PULSES: SLOT COUNT PULSE_US SPACE_US AT VALUE EXTRA_BYTES POINTER; a signal in which the
 *	value at one place is another
 * @OP_SCANCODE: SLOT PROTOCOL SCANCODE FLAGS KEYCODE TIMESTAMP EXTRA_BYTES POINTER
 * @OP_READ: SLOT LENGTH POINTER
 * @OP_SEEK: SLOT OFFSET WHENCE
 * @OP_POLL: SLOT EVENTS TIMEOUT_MS
 * @OP_GET: FILE CHUNK; reads all of it in reads of that size
 * @OP_PUT: FILE TEXT
 * @OP_NAP: US
 * @OP_ALARM: US; a signal interrupts what is done then
 * @OP_KINDS: how many there are
 */
enum op_kind {
	OP_OPEN,
	OP_CLOSE,
	OP_IOCTL,
	OP_PULSES,
	OP_SCANCODE,
	OP_READ,
	OP_SEEK,
	OP_POLL,
	OP_GET,
	OP_PUT,
	OP_NAP,
	OP_ALARM,
	OP_KINDS
};

/* Where a pointer that the kernel is given points to */
enum pointer {
	POINTER_GOOD,
	POINTER_NULL,
	POINTER_CUT,	/* to memory that ends after the first byte */
	POINTER_KERNEL,
	POINTERS
};

/**
 * struct op - an operation
 * @kind: what to do
 * @process: which process does it
 * @file: number of the file, where @kind has one
 * @arg: numbers, as @kind has them
 * @text: what to write, where @kind has it
 * @text_len: its length; it may hold any byte
 */
struct op {
	enum op_kind kind;
	unsigned int process;
	unsigned int file;
	__u64 arg[OP_ARGS];
	char text[OP_TEXT];
	unsigned int text_len;
};

struct world;

const char *op_name(enum op_kind kind);
void op_print(FILE *out, const struct op *op, const struct world *world);
bool op_parse(struct op *op, char *line, const struct world *world);

/* --- the transmitters (world.c) --- */

#define WORLD_DEVICES	8
#define WORLD_FILES	256
#define WORLD_PATH	160

enum file_kind {
	FILE_LIRC,
	FILE_SETTING,
	FILE_EXPORT,
};

/**
 * struct world_file - a file of a transmitter
 * @kind: where it lies
 * @device: whose it is
 * @name: what operations call it, as rc0/tx_mode
 * @base: the last part of that
 * @path: where it lies
 */
struct world_file {
	enum file_kind kind;
	unsigned int device;
	char name[64];
	const char *base;
	char path[WORLD_PATH];
};

/**
 * struct world_device - a transmitter
 * @rc: its rc device, as rc0
 * @lirc: its lirc device, with path
 * @chip: the virtual chip that sends by default
 * @lines: how many lines it has
 * @soft_carrier: the carrier is made line by line
 */
struct world_device {
	char rc[16];
	char lirc[32];
	char chip[32];
	unsigned int lines;
	bool soft_carrier;
};

struct world {
	struct world_device device[WORLD_DEVICES];
	unsigned int devices;
	struct world_file file[WORLD_FILES];
	unsigned int files;
};

void world_find(struct world *world);
int world_file_number(const struct world *world, const char *name);
long file_read(const char *path, char *text, size_t size);
long file_write(const char *path, const char *text, size_t length);

/* --- making operations up (make.c) --- */

#define SLOTS		5
#define MAX_VALUES	1100

struct random {
	__u64 state;
};

struct random random_seed(__u64 seed, unsigned int round, unsigned int process);
void make_op(struct op *op, struct random *random, const struct world *world, unsigned int number);

/* --- doing them (run.c) --- */

/**
 * struct slot - an open file
 * @fd: its number, or -1
 * @file: which one
 * @flags: how it was opened
 * @send_mode: what a lirc device is to be sent, LIRC_MODE_PULSE or LIRC_MODE_SCANCODE
 */
struct slot {
	int fd;
	unsigned int file;
	int flags;
	__u32 send_mode;
};

/**
 * struct runner - a process that does operations
 * @world: the transmitters
 * @slot: what it has open
 */
struct runner {
	const struct world *world;
	struct slot slot[SLOTS];
};

/**
 * struct outcome - what came of an operation
 * @result: what the call returned, or its errno, negative
 * @allowed: that is documented
 * @sent: it was a whole signal
 */
struct outcome {
	long result;
	bool allowed;
	bool sent;
};

void run_begin(struct runner *runner, const struct world *world);
struct outcome run_op(struct runner *runner, const struct op *op);

/* --- what must hold between operations (state.c) --- */

bool state_is_sound(const struct world *world, char *why, size_t size);

#endif
