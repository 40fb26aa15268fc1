// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations as text, one a line: PROCESS NAME [FILE] [NUMBER...] ["TEXT"].
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const struct {
	const char *name;
	bool has_file;
	unsigned int args;
	bool has_text;
} op_table[OP_KINDS] = {
	[OP_OPEN] = { "open", true, 2, false },
	[OP_CLOSE] = { "close", false, 1, false },
	[OP_IOCTL] = { "ioctl", false, 4, false },
	[OP_PULSES] = { "pulses", false, 8, false },
	[OP_SCANCODE] = { "scancode", false, 8, false },
	[OP_READ] = { "read", false, 3, false },
	[OP_SEEK] = { "seek", false, 3, false },
	[OP_POLL] = { "poll", false, 3, false },
	[OP_GET] = { "get", true, 1, false },
	[OP_PUT] = { "put", true, 0, true },
	[OP_NAP] = { "nap", false, 1, false },
	[OP_ALARM] = { "alarm", false, 1, false },
};

/**
 * op_name() - what a kind of operation is called
 * @kind: the kind
 */
const char *op_name(enum op_kind kind)
{
	return op_table[kind].name;
}

static void print_text(FILE *out, const char *text, unsigned int length)
{
	unsigned int i;

	fputs(" \"", out);
	for (i = 0; i < length; i++) {
		if (isprint((unsigned char)text[i]) && text[i] != '"' && text[i] != '\\')
			fputc(text[i], out);
		else
			fprintf(out, "\\%02x", (unsigned char)text[i]);
	}
	fputc('"', out);
}

/**
 * op_print() - write an operation as a line
 * @out: where to
 * @op: the operation
 * @world: its file's
 */
void op_print(FILE *out, const struct op *op, const struct world *world)
{
	unsigned int i;

	fprintf(out, "%u %s", op->process, op_name(op->kind));
	if (op_table[op->kind].has_file)
		fprintf(out, " %s", world->file[op->file].name);
	for (i = 0; i < op_table[op->kind].args; i++)
		fprintf(out, " 0x%llx", op->arg[i]);
	if (op_table[op->kind].has_text)
		print_text(out, op->text, op->text_len);
	fputc('\n', out);
}

static bool parse_kind(struct op *op, const char *word)
{
	for (op->kind = 0; op->kind < OP_KINDS; op->kind++)
		if (word && !strcmp(word, op_table[op->kind].name))
			return true;

	return false;
}

static bool parse_number(__u64 *number, const char *word)
{
	char *end;

	if (!word)
		return false;
	*number = strtoull(word, &end, 0);

	return !*end;
}

static bool parse_file(struct op *op, const char *word, const struct world *world)
{
	int number = word ? world_file_number(world, word) : -1;

	op->file = number;

	return number >= 0;
}

static char parse_hex(const char *digits)
{
	char text[] = { digits[0], digits[1], '\0' };

	return strtoul(text, NULL, 16);
}

static bool parse_text(struct op *op, const char *quoted)
{
	if (!quoted || *quoted++ != '"')
		return false;

	for (op->text_len = 0; *quoted && *quoted != '"'; op->text_len++) {
		if (op->text_len == OP_TEXT)
			return false;
		if (*quoted == '\\' && quoted[1] && quoted[2]) {
			op->text[op->text_len] = parse_hex(quoted + 1);
			quoted += 3;
		} else {
			op->text[op->text_len] = *quoted++;
		}
	}

	return *quoted == '"';
}

/**
 * op_parse() - read what op_print() wrote
 * @op: filled in
 * @line: the line, without its end; is taken apart
 * @world: the transmitters
 *
 * Return: false where the line makes no sense.
 */
bool op_parse(struct op *op, char *line, const struct world *world)
{
	__u64 process;
	unsigned int i;
	char *rest;

	memset(op, 0, sizeof(*op));
	if (!parse_number(&process, strtok_r(line, " ", &rest)) ||
	    !parse_kind(op, strtok_r(NULL, " ", &rest)))
		return false;
	op->process = process;
	if (op_table[op->kind].has_file && !parse_file(op, strtok_r(NULL, " ", &rest), world))
		return false;
	for (i = 0; i < op_table[op->kind].args; i++)
		if (!parse_number(&op->arg[i], strtok_r(NULL, " ", &rest)))
			return false;

	return !op_table[op->kind].has_text || parse_text(op, rest);
}
