// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a benchmark does inside the emulated board beside the stock tools: tasks that compute or
 * hand the CPU to each other, and tell at each SIGUSR1 what they got done; a listener for edges on
 * a GPIO; a sender that marks the oscilloscope's log right before its write().
 */
#include <fcntl.h>
#include <linux/gpio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BOARD_MARK	0x3f2f0000	/* see tests/lab/board/irboard.c */
#define GPIO_CHIP	"pinctrl-bcm2835"
#define CHIPS		4
#define VALUES_MAX	1024
#define PAUSE_US	20000

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int asked;

static void ask(int number)
{
	(void)number;
	__atomic_store_n(&asked, 1, __ATOMIC_RELAXED);
}

/* Say how much was done by when, if SIGUSR1 has come. */
static void answer(const char *name, unsigned long counted)
{
	if (!__atomic_load_n(&asked, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&asked, 0, __ATOMIC_RELAXED);
	printf("@meter %s %lu %llu\n", name, counted, now_ns());
	fflush(stdout);
}

/* count NAME: keep a CPU busy, and count */
static void count(char **args)
{
	signal(SIGUSR1, ask);
	for (unsigned long counted = 0;; counted++)
		answer(args[0], counted);
}

static void pass_on(const char *name, int from, int to)
{
	char token;

	for (unsigned long counted = 0; read(from, &token, 1) == 1; counted++) {
		answer(name, counted);
		if (write(to, &token, 1) != 1)
			fail("write");
	}
}

/* switch NAME: two tasks that wait for each other by turns, as fast as they can; one counts */
static void switch_tasks(char **args)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		fail("pipe");
	if (!fork())
		pass_on("", there[0], back[1]);
	signal(SIGUSR1, ask);
	if (write(there[1], "", 1) != 1)
		fail("write");
	pass_on(args[0], back[0], there[1]);
}

static int open_chip(void)
{
	struct gpiochip_info info;
	char path[32];

	for (int i = 0; i < CHIPS; i++) {
		int chip;

		snprintf(path, sizeof(path), "/dev/gpiochip%d", i);
		chip = open(path, O_RDONLY);
		if (chip >= 0 && !ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) &&
		    !strcmp(info.label, GPIO_CHIP))
			return chip;
	}
	fail(GPIO_CHIP);
	return -1;
}

/* edges LINE: have every edge of a GPIO line make an interrupt, and read what came of them */
static void hear_edges(char **args)
{
	struct gpio_v2_line_request request = {
		.offsets = { atoi(args[0]) },
		.num_lines = 1,
		.consumer = "irbench",
		.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
				GPIO_V2_LINE_FLAG_EDGE_FALLING,
	};
	struct gpio_v2_line_event events[16];

	if (ioctl(open_chip(), GPIO_V2_GET_LINE_IOCTL, &request))
		fail("GPIO_V2_GET_LINE_IOCTL");
	while (read(request.fd, events, sizeof(events)) > 0)
		;
}

static unsigned int *open_mark(void)
{
	int memory = open("/dev/mem", O_RDWR | O_SYNC);
	void *page;

	if (memory < 0)
		fail("/dev/mem");
	page = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, memory, BOARD_MARK);
	if (page == MAP_FAILED)
		fail("mmap");
	return page;
}

static int read_lengths(unsigned int *values, char **words)
{
	int used = 0;

	while (words[used] && used < VALUES_MAX) {
		values[used] = strtoul(words[used], NULL, 0);
		used++;
	}
	return used;
}

/* send DEVICE MARK TIMES LENGTH_US...: send a signal so often, with MARK before each write() */
static void send_marked(char **args)
{
	unsigned int *mark = open_mark();
	int device = open(args[0], O_WRONLY);
	unsigned int values[VALUES_MAX];
	ssize_t size = read_lengths(values, args + 3) * sizeof(values[0]);

	if (device < 0)
		fail(args[0]);
	for (int left = atoi(args[2]); left; left--) {
		__atomic_store_n(mark, atoi(args[1]), __ATOMIC_RELEASE);
		if (write(device, values, size) != size)
			fail("write");
		usleep(PAUSE_US);
	}
}

static const struct {
	const char *name;
	int arguments;
	void (*run)(char **args);
} commands[] = {
	{ "count", 1, count },
	{ "switch", 1, switch_tasks },
	{ "edges", 1, hear_edges },
	{ "send", 4, send_marked },
	{ NULL },
};

int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && commands[i].name; i++)
		if (!strcmp(argv[1], commands[i].name) && argc - 2 >= commands[i].arguments) {
			commands[i].run(argv + 2);
			return EXIT_SUCCESS;
		}
	fputs("irbench: count NAME | switch NAME | edges LINE | send DEVICE MARK TIMES US...\n",
	      stderr);
	return EXIT_FAILURE;
}
