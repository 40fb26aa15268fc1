// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz: does random operations in rounds, with several processes in each, and looks between rounds
 * whether all is well. What it finds it prints with the operations that lead to it, which
 * "fuzz replay FILE" repeats.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define PROCESSES	3
#define OPS		200		/* of each process in a round */
#define HUNG_S		120		/* every wait is shorter, by far */
#define WHY_SIZE	256

#define EXIT_FOUND	1
#define EXIT_USAGE	64
#define EXIT_NOTHING	69		/* no transmitter to work on */

/**
 * struct tally - what was done, and what was found; the processes have it in common
 * @done: operations by kind
 * @refused: those of them that returned an error
 * @signals: whole signals sent
 * @bad: the operation that was answered wrongly
 * @bad_result: what it returned
 * @found: there is one
 */
struct tally {
	unsigned long done[OP_KINDS];
	unsigned long refused[OP_KINDS];
	unsigned long signals;
	struct op bad;
	long bad_result;
	bool found;
};

/**
 * struct source - where operations come from: made up, or a list
 * @seed: of those that are made up
 * @round: number of the round
 * @list: operations to repeat, or NULL
 * @length: how many these are
 */
struct source {
	__u64 seed;
	unsigned int round;
	const struct op *list;
	unsigned int length;
};

static struct world world;
static struct tally *tally;

/* --- a process --- */

static void note_bad(const struct op *op, long result)
{
	if (__atomic_test_and_set(&tally->found, __ATOMIC_SEQ_CST))
		return;
	tally->bad = *op;
	tally->bad_result = result;
}

static bool do_op(struct runner *runner, const struct op *op)
{
	struct outcome outcome = run_op(runner, op);

	__atomic_add_fetch(&tally->done[op->kind], 1, __ATOMIC_RELAXED);
	if (outcome.result < 0)
		__atomic_add_fetch(&tally->refused[op->kind], 1, __ATOMIC_RELAXED);
	if (outcome.sent)
		__atomic_add_fetch(&tally->signals, 1, __ATOMIC_RELAXED);
	if (!outcome.allowed)
		note_bad(op, outcome.result);

	return outcome.allowed && !tally->found;
}

static void do_made_up(struct runner *runner, const struct source *source, unsigned int process)
{
	struct random random = random_seed(source->seed, source->round, process);
	struct op op = { .process = process };
	unsigned int i;

	for (i = 0; i < OPS; i++) {
		make_op(&op, &random, &world, i);
		if (!do_op(runner, &op))
			return;
	}
}

static void do_list(struct runner *runner, const struct source *source, unsigned int process)
{
	unsigned int i;

	for (i = 0; i < source->length; i++)
		if (source->list[i].process == process && !do_op(runner, &source->list[i]))
			return;
}

static void run_process(const struct source *source, unsigned int process)
{
	struct runner runner;

	run_begin(&runner, &world);
	if (source->list)
		do_list(&runner, source, process);
	else
		do_made_up(&runner, source, process);
	_exit(EXIT_SUCCESS);
}

/* --- a round --- */

static void on_hung(int number)
{
}

static bool wait_for_all(char *why)
{
	struct sigaction action = { .sa_handler = on_hung };
	int status;

	sigaction(SIGALRM, &action, NULL);
	alarm(HUNG_S);
	while (wait(&status) >= 0) {
		if (!WIFEXITED(status)) {
			snprintf(why, WHY_SIZE, "a process died of signal %d", WTERMSIG(status));
			return false;
		}
	}
	if (errno == EINTR)
		snprintf(why, WHY_SIZE, "a process hangs for %u s", HUNG_S);

	return errno == ECHILD;
}

static bool run_round(const struct source *source, char *why)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		if (!fork())
			run_process(source, i);
	if (!wait_for_all(why))
		return false;
	alarm(0);

	if (tally->found) {
		snprintf(why, WHY_SIZE, "this returned %ld: ", tally->bad_result);
		return false;
	}

	return state_is_sound(&world, why, WHY_SIZE);
}

/* --- telling of it --- */

static void list_round(__u64 seed, unsigned int round)
{
	unsigned int process, i;

	for (process = 0; process < PROCESSES; process++) {
		struct random random = random_seed(seed, round, process);
		struct op op = { .process = process };

		for (i = 0; i < OPS; i++) {
			make_op(&op, &random, &world, i);
			op_print(stdout, &op, &world);
		}
	}
}

static void tell_found(const struct source *source, const char *why)
{
	printf("fuzz: found: %s", why);
	if (tally->found)
		op_print(stdout, &tally->bad, &world);
	else
		putchar('\n');
	if (source->list)
		return;

	printf("# reproducer: seed %llu round %u; fuzz replay FILE repeats it\n", source->seed,
	       source->round);
	list_round(source->seed, source->round);
	puts("# end of reproducer");
}

static unsigned long sum(const unsigned long *count)
{
	unsigned long total = 0;
	unsigned int i;

	for (i = 0; i < OP_KINDS; i++)
		total += count[i];

	return total;
}

static void tell_sum(unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < OP_KINDS; i++)
		printf("fuzz: %-8s %8lu, %8lu refused\n", op_name(i), tally->done[i],
		       tally->refused[i]);
	printf("fuzz: %u rounds, %lu operations, %lu signals, %u NEC signals judged\n", rounds,
	       sum(tally->done), tally->signals, rounds * world.devices);
}

/* --- the program --- */

static long seconds_up(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return now.tv_sec;
}

static int run_rounds(struct source source, unsigned int rounds, long seconds)
{
	long end_s = seconds_up() + seconds;
	char why[WHY_SIZE] = "";
	unsigned int i;

	for (i = 0; i < rounds && seconds_up() < end_s; i++, source.round++) {
		printf("fuzz: round %u\n", source.round); /* in case we do not survive it */
		if (!run_round(&source, why)) {
			tell_found(&source, why);
			return EXIT_FOUND;
		}
	}
	tell_sum(i);

	return EXIT_SUCCESS;
}

static int replay(const char *path)
{
	static struct op list[PROCESSES * OPS];
	struct source source = { .list = list };
	FILE *file = fopen(path, "r");
	char line[1024];

	while (file && source.length < ARRAY_SIZE(list) && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#' && !op_parse(&list[source.length++], line, &world)) {
			fprintf(stderr, "fuzz: %s: \"%s\" is no operation\n", path, line);
			return EXIT_USAGE;
		}
	}
	if (!source.length) {
		fprintf(stderr, "fuzz: %s: no operation in it\n", path);
		return EXIT_USAGE;
	}

	return run_rounds(source, 1, HUNG_S);
}

static int usage(void)
{
	fputs("Usage: fuzz run SEED FIRST_ROUND ROUNDS SECONDS\n"
	      "       fuzz list SEED ROUND\n"
	      "       fuzz replay FILE\n", stderr);

	return EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
	struct source source = { };

	if (argc == 3 && !strcmp(argv[1], "replay"))
		return replay(argv[2]);
	if (argc < 4)
		return usage();

	source.seed = strtoull(argv[2], NULL, 0);
	source.round = strtoul(argv[3], NULL, 0);
	if (argc == 6 && !strcmp(argv[1], "run"))
		return run_rounds(source, strtoul(argv[4], NULL, 0), strtol(argv[5], NULL, 0));
	if (argc != 4 || strcmp(argv[1], "list"))
		return usage();
	list_round(source.seed, source.round);

	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	world_find(&world);
	if (tally == MAP_FAILED || !world.devices) {
		fputs("fuzz: no transmitter of ours is there; load its module\n", stderr);
		return EXIT_NOTHING;
	}

	return run_command(argc, argv);
}
