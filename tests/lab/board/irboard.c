// SPDX-License-Identifier: GPL-2.0-only
/*
 * irboard: a QEMU plugin that completes emulated Raspberry Pis 2 to 4 for infrared. It adds the PWM
 * block and the GPIO inputs that QEMU lacks, an oscilloscope on every pin (out=FILE) and the air
 * between the transmitter pins (tx=18[+19...]) and a demodulating receiver (rx=24, delay_ns=N),
 * which can hear what another board sent as well (play=FILE).
 *
 * How it gets in: a plugin is a shared object that QEMU loads before it makes the machine. When the
 * machine is complete, board_ready() lays three pages of registers over the guest's physical
 * memory; from then on QEMU calls our read and write functions for each access to them. All of it
 * runs under QEMU's big lock, so nothing here needs a lock of its own. With -icount the clock below
 * is the guest's instruction count, exact at every access, and the same in every run.
 *
 * The log, one record a line, stamped with the guest's nanosecond; only real changes are written,
 * and every pin starts out low:
 *	# irboard 1
 *	NS pin N pwm PERIOD HIGH	the pin carries a carrier of so many PWM clocks
 *	NS pin N high|low		a steady level
 *	NS mark VALUE			the guest wrote VALUE to the mark register
 *	NS watchdog			nobody stopped the watchdog in time: the end
 *	NS storm EDGES ANSWERED LONGEST	the storm is over: how many edges there were, how many the
 *					guest answered, and how long it took at most, in ns
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

#ifndef PLUGIN_V
#define PLUGIN_V 1		/* the plugin interface of QEMU 7.2 */
#endif

#define PERIPHERALS	0x3f000000ULL	/* of a Pi 2 or 3 */
#define PI4_PERIPHERALS	0xfe000000ULL
#define GPIO_OFFSET	0x200000
#define PWM_OFFSET	0x20c000
#define CONTROL_BASE	0x3f2f0000ULL	/* on every machine; in no device tree; use devmem */
#define PAGE		0x1000

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PINS		54
#define NS_PER_S	1000000000LL
#define PIN_BIT(n)	(1ULL << (n))
#define ALL_PINS	(PIN_BIT(PINS) - 1)

EXPORT int qemu_plugin_version = PLUGIN_V;

static FILE *scope;

static int64_t now_ns(void)
{
	return qemu_clock_get_ns(CLOCK_VIRTUAL);
}

/* --- what a pin shows ------------------------------------------------------------------------- */

enum kind { LOW, HIGH, CARRIER };

struct wave {
	enum kind kind;
	uint32_t period_clocks;
	uint32_t high_clocks;
};

static bool same_wave(const struct wave *a, const struct wave *b)
{
	return a->kind == b->kind && a->period_clocks == b->period_clocks &&
	       a->high_clocks == b->high_clocks;
}

static struct wave steady(bool high)
{
	return (struct wave){ .kind = high ? HIGH : LOW };
}

static void log_wave(unsigned int pin, const struct wave *wave)
{
	fprintf(scope, "%" PRId64 " pin %u ", now_ns(), pin);
	if (wave->kind == CARRIER)
		fprintf(scope, "pwm %u %u\n", wave->period_clocks, wave->high_clocks);
	else
		fprintf(scope, "%s\n", wave->kind == HIGH ? "high" : "low");
}

/* --- PWM: BCM2835 ARM Peripherals, chapter 9 -------------------------------------------------- */

enum {
	PWM_CTL = 0x00, PWM_STA = 0x04, PWM_DMAC = 0x08, PWM_RNG1 = 0x10, PWM_DAT1 = 0x14,
	PWM_FIF1 = 0x18, PWM_RNG2 = 0x20, PWM_DAT2 = 0x24, PWM_SIZE = 0x28,
};

/* Bits of CTL for one channel; those of the second channel are eight higher. */
#define CTL_PWEN	(1U << 0)
#define CTL_MODE	(1U << 1)
#define CTL_SBIT	(1U << 3)
#define CTL_POLA	(1U << 4)
#define CTL_USEF	(1U << 5)
#define CTL_MSEN	(1U << 7)

static uint32_t pwm_regs[PWM_SIZE / 4];

static uint32_t gcd(uint32_t a, uint32_t b)
{
	return b ? gcd(b, a % b) : a;
}

/*
 * A channel that is off rests at SBIT, and POLA turns that level over like any other. The
 * serialiser and the FIFO are not modelled (no Linux PWM driver uses them): such a channel rests.
 */
static struct wave pwm_wave(unsigned int channel)
{
	uint32_t ctl = pwm_regs[PWM_CTL / 4] >> (8 * channel);
	uint32_t range = pwm_regs[(channel ? PWM_RNG2 : PWM_RNG1) / 4];
	uint32_t data = pwm_regs[(channel ? PWM_DAT2 : PWM_DAT1) / 4];
	bool inverted = ctl & CTL_POLA;
	uint32_t shrink = 1;

	if (!(ctl & CTL_PWEN) || ctl & (CTL_MODE | CTL_USEF))
		return steady(!!(ctl & CTL_SBIT) ^ inverted);
	if (!data)
		return steady(inverted);
	if (data >= range)
		return steady(!inverted);
	if (!(ctl & CTL_MSEN))		/* without mark:space the pulses are spread out evenly */
		shrink = gcd(range, data);
	return (struct wave){
		.kind = CARRIER,
		.period_clocks = range / shrink,
		.high_clocks = (inverted ? range - data : data) / shrink,
	};
}

/* --- GPIO: BCM2835 ARM Peripherals, chapter 6 ------------------------------------------------- */

enum {
	GPFSEL0 = 0x00, GPFSEL5 = 0x14, GPSET0 = 0x1c, GPSET1 = 0x20, GPCLR0 = 0x28, GPCLR1 = 0x2c,
	GPLEV0 = 0x34, GPLEV1 = 0x38, GPEDS0 = 0x40, GPEDS1 = 0x44, GPREN0 = 0x4c, GPFEN0 = 0x58,
	GPHEN0 = 0x64, GPLEN0 = 0x70, GPAREN0 = 0x7c, GPAFEN0 = 0x88, GPIO_SIZE = 0xb4,
};

enum { FSEL_INPUT = 0, FSEL_OUTPUT = 1, FSEL_ALT5 = 2, FSEL_ALT0 = 4 };

static const struct {
	unsigned int pin, function, channel;
} pwm_outlets[] = {
	{ 12, FSEL_ALT0, 0 }, { 13, FSEL_ALT0, 1 },
	{ 18, FSEL_ALT5, 0 }, { 19, FSEL_ALT5, 1 },
	{ 40, FSEL_ALT0, 0 }, { 41, FSEL_ALT0, 1 }, { 45, FSEL_ALT0, 1 },
};

#define BANKS		3
#define BANK_IRQ	49	/* of the interrupt controller; 52 is any bank's */
#define PI4_BANK_IRQ	113	/* the same lines, behind 64 others */

static const uint64_t bank_pins[BANKS] = {
	0x0fffffffULL, 0x3ffffULL << 28, 0xffULL << 46,
};

static uint32_t gpio_regs[GPIO_SIZE / 4];
static uint64_t output_latch;
static uint64_t input_levels;
static uint64_t old_levels;
static struct wave waves[PINS];
static void *bank_irqs[BANKS + 1];

static void light_changed(unsigned int pin, const struct wave *was, const struct wave *is);

static uint64_t gpio_pair(unsigned int offset)
{
	return gpio_regs[offset / 4] | (uint64_t)gpio_regs[offset / 4 + 1] << 32;
}

static void set_gpio_pair(unsigned int offset, uint64_t bits)
{
	gpio_regs[offset / 4] = bits;
	gpio_regs[offset / 4 + 1] = bits >> 32;
}

static unsigned int function_of(unsigned int pin)
{
	return gpio_regs[GPFSEL0 / 4 + pin / 10] >> (3 * (pin % 10)) & 7;
}

/* A pin that nothing drives is low: the LED's transistor has a resistor to ground. */
static struct wave pin_wave(unsigned int pin)
{
	unsigned int function = function_of(pin);

	if (function == FSEL_OUTPUT)
		return steady(output_latch & PIN_BIT(pin));
	for (unsigned int i = 0; i < ARRAY_SIZE(pwm_outlets); i++)
		if (pwm_outlets[i].pin == pin && pwm_outlets[i].function == function)
			return pwm_wave(pwm_outlets[i].channel);
	return steady(false);
}

/* What the level register shows. A carrier reads as low; nobody samples one. */
static uint64_t pin_levels(void)
{
	uint64_t levels = 0;

	for (unsigned int pin = 0; pin < PINS; pin++)
		if (function_of(pin) == FSEL_INPUT)
			levels |= input_levels & PIN_BIT(pin);
		else if (waves[pin].kind == HIGH)
			levels |= PIN_BIT(pin);
	return levels;
}

static void update_irqs(void)
{
	uint64_t events = gpio_pair(GPEDS0);

	for (unsigned int bank = 0; bank < BANKS; bank++)
		qemu_set_irq(bank_irqs[bank], !!(events & bank_pins[bank]));
	qemu_set_irq(bank_irqs[BANKS], !!events);
}

static void detect_events(void)
{
	uint64_t levels = pin_levels();
	uint64_t rose = levels & ~old_levels;
	uint64_t fell = old_levels & ~levels;
	uint64_t events = gpio_pair(GPEDS0);

	events |= rose & (gpio_pair(GPREN0) | gpio_pair(GPAREN0));
	events |= fell & (gpio_pair(GPFEN0) | gpio_pair(GPAFEN0));
	events |= levels & gpio_pair(GPHEN0);
	events |= ~levels & gpio_pair(GPLEN0) & ALL_PINS;
	old_levels = levels;
	set_gpio_pair(GPEDS0, events);
	update_irqs();
}

/* After any register write: see which pins really changed, log them and send their light out. */
static void pins_changed(void)
{
	for (unsigned int pin = 0; pin < PINS; pin++) {
		struct wave was = waves[pin];
		struct wave is = pin_wave(pin);

		if (same_wave(&was, &is))
			continue;
		waves[pin] = is;
		log_wave(pin, &is);
		light_changed(pin, &was, &is);
	}
	detect_events();
}

static void set_input(unsigned int pin, bool high)
{
	input_levels = (input_levels & ~PIN_BIT(pin)) | (uint64_t)high << pin;
	detect_events();
}

/* --- the air: from the transmitter pins to a demodulating receiver ---------------------------- */

/*
 * A receiver module (TSOP and the like) hides the carrier and answers with the envelope. It hears
 * only light that goes on and off as fast as such modules expect: one is made for each of 30, 33,
 * 36, 38, 40 and 56 kHz, and the one here stands for all of them. Steady light, single flashes and
 * other carriers (455 kHz) are not heard.
 *
 * PWM gives the envelope away: it is there while the carrier is. On a bit-banged pin, rising edges
 * closer than BURST_GAP_NS are one burst; what it was, and that it is over, shows only later. But
 * everything is heard delay_ns later anyway, so both its ends can still be put where they belong:
 * at the first rising edge, and half a period after the last.
 *
 * The delay makes the receiver another machine: a sender that holds the only CPU with interrupts
 * off would otherwise be deaf to itself.
 */
#define BURST_GAP_NS	100000
#define BURST_CYCLES	4	/* fewer are noise */
#define HEARD_FROM_HZ	28500	/* 5 % beyond the outermost */
#define HEARD_TO_HZ	58800
#define PWM_CLOCK_NS	100

struct lamp {
	bool carrier;			/* lit by a PWM carrier that is heard */
	unsigned int rises;		/* rising edges in a bit-banged burst, 0 = none goes on */
	int64_t first_rise_ns, last_rise_ns;
	struct qemu_timer burst_end;
};

/* A change of one lamp's envelope on its way through the air. */
struct ray {
	struct ray *next;
	int64_t arrives_ns;
	bool on;
};

static uint64_t tx_pins;
static int rx_pin = -1;
static int64_t delay_ns = 600000000;
static struct lamp lamps[PINS];
static struct ray *rays;		/* in order of arrival */
static unsigned int lamps_seen_on;
static struct qemu_timer arrival;

static void arm_arrival(void)
{
	if (rays)
		timer_mod_ns(&arrival, rays->arrives_ns);
}

static void rays_arrive(void *opaque)
{
	(void)opaque;
	while (rays && rays->arrives_ns <= now_ns()) {
		struct ray *ray = rays;

		rays = ray->next;
		lamps_seen_on += ray->on ? 1 : -1;
		free(ray);
		set_input(rx_pin, !lamps_seen_on);
	}
	arm_arrival();
}

static void send_ray(int64_t left_ns, bool on)
{
	struct ray **place = &rays;
	struct ray *ray = malloc(sizeof(*ray));

	if (!ray)
		abort();
	while (*place && (*place)->arrives_ns <= left_ns + delay_ns)
		place = &(*place)->next;
	*ray = (struct ray){ .next = *place, .arrives_ns = left_ns + delay_ns, .on = on };
	*place = ray;
	if (rays == ray)
		arm_arrival();
}

static bool is_heard(int64_t cycles, int64_t time_ns)
{
	return time_ns * HEARD_FROM_HZ <= cycles * NS_PER_S &&
	       time_ns * HEARD_TO_HZ >= cycles * NS_PER_S;
}

static void pwm_light(struct lamp *lamp, const struct wave *is)
{
	bool heard = is->kind == CARRIER && is_heard(1, (int64_t)is->period_clocks * PWM_CLOCK_NS);

	if (heard == lamp->carrier)
		return;
	lamp->carrier = heard;
	send_ray(now_ns(), heard);
}

static void rising_edge(struct lamp *lamp)
{
	lamp->last_rise_ns = now_ns();
	if (lamp->rises++)
		return;
	lamp->first_rise_ns = lamp->last_rise_ns;
	timer_mod_ns(&lamp->burst_end, lamp->first_rise_ns + BURST_GAP_NS);
}

static void send_burst(const struct lamp *lamp)
{
	int64_t cycles = lamp->rises - 1;
	int64_t time_ns = lamp->last_rise_ns - lamp->first_rise_ns;

	if (lamp->rises < BURST_CYCLES || !is_heard(cycles, time_ns))
		return;
	send_ray(lamp->first_rise_ns, true);
	send_ray(lamp->last_rise_ns + time_ns / cycles / 2, false);
}

static void burst_may_end(void *opaque)
{
	struct lamp *lamp = opaque;
	int64_t quiet_from_ns = lamp->last_rise_ns + BURST_GAP_NS;

	if (now_ns() < quiet_from_ns) {
		timer_mod_ns(&lamp->burst_end, quiet_from_ns);
		return;
	}
	send_burst(lamp);
	lamp->rises = 0;
}

static void light_changed(unsigned int pin, const struct wave *was, const struct wave *is)
{
	if (rx_pin < 0 || !(tx_pins & PIN_BIT(pin)))
		return;
	pwm_light(&lamps[pin], is);
	if (was->kind == LOW && is->kind == HIGH)
		rising_edge(&lamps[pin]);
}

static void init_timer(struct qemu_timer *timer, void (*expired)(void *opaque), void *opaque)
{
	timer_init_full(timer, NULL, CLOCK_VIRTUAL, SCALE_NS, 0, expired, opaque);
}

static void air_ready(void)
{
	init_timer(&arrival, rays_arrive, NULL);
	for (unsigned int pin = 0; pin < PINS; pin++)
		init_timer(&lamps[pin].burst_end, burst_may_end, &lamps[pin]);
	if (rx_pin >= 0)
		set_input(rx_pin, true);	/* hearing nothing is high */
}

/* --- light of another board: what the receiver hears comes from a file ------------------------ */

/*
 * The file begins with the line below; each line after it is a change of the envelope, as
 * nanoseconds from the start and 1 for light or 0 for none, in order. The guest says when it
 * starts.
 */
#define SCORE_FORMAT	"# irboard play 1\n"

static FILE *score;
static int64_t play_from_ns;
static int next_light;
static struct qemu_timer player;

static void await_next_light(void)
{
	int64_t at_ns;

	if (fscanf(score, "%" SCNd64 " %d", &at_ns, &next_light) == 2)
		timer_mod_ns(&player, play_from_ns + at_ns);
	else if (!feof(score))
		fprintf(stderr, "irboard: play=: allowed are lines of a time in ns and 0 or 1\n");
}

static void play_light(void *opaque)
{
	(void)opaque;
	set_input(rx_pin, !next_light);
	await_next_light();
}

static bool open_score(const char *path)
{
	char first[sizeof(SCORE_FORMAT)];

	score = fopen(path, "r");
	return score && fgets(first, sizeof(first), score) && !strcmp(first, SCORE_FORMAT);
}

/* --- a storm of interrupts, and how fast the guest answers them ------------------------------- */

/*
 * Edges on an input pin at pseudo-random times. An edge is answered when the guest clears its
 * event, so the longest answer tells how long it had interrupts off, and nothing in it is asked.
 */
#define STORM_PIN	25

static struct {
	struct qemu_timer next;
	uint32_t per_s, random;
	bool high;
	int64_t waits_from_ns;		/* 0: no edge waits for its answer */
	struct {
		uint32_t edges, answered;
		int64_t longest_ns;
	} seen;
} storm;

/* Half to one and a half times the mean distance */
static int64_t storm_pause_ns(void)
{
	int64_t mean_ns = NS_PER_S / storm.per_s;

	storm.random = storm.random * 1664525U + 1013904223U;
	return mean_ns / 2 + ((mean_ns * (storm.random >> 8)) >> 24);
}

static void storm_edge(void *opaque)
{
	(void)opaque;
	storm.seen.edges++;
	storm.high = !storm.high;
	if (!storm.waits_from_ns)
		storm.waits_from_ns = now_ns();
	set_input(STORM_PIN, storm.high);
	timer_mod_ns(&storm.next, now_ns() + storm_pause_ns());
}

static void storm_answered(uint32_t events)
{
	int64_t took_ns = now_ns() - storm.waits_from_ns;

	if (!storm.waits_from_ns || !(events & PIN_BIT(STORM_PIN)))
		return;
	storm.waits_from_ns = 0;
	storm.seen.answered++;
	if (took_ns > storm.seen.longest_ns)
		storm.seen.longest_ns = took_ns;
}

static void storm_over(void)
{
	timer_del(&storm.next);
	fprintf(scope, "%" PRId64 " storm %" PRIu32 " %" PRIu32 " %" PRId64 "\n", now_ns(),
		storm.seen.edges, storm.seen.answered, storm.seen.longest_ns);
	memset(&storm.seen, 0, sizeof(storm.seen));
	storm.waits_from_ns = 0;
}

/* --- registers -------------------------------------------------------------------------------- */

/*
 * Some PWMs (not the Pi's) take new settings only at the end of the period they are in. A test can
 * make the block one of these, by its first channel, to see what no software can: that the pin
 * moves after the register did.
 */
static bool pwm_latches;
static int64_t pwm_began_ns;
static uint32_t pwm_next[PWM_SIZE / 4];
static struct qemu_timer pwm_latch;

static void take_pwm_settings(void)
{
	bool was_on = pwm_regs[PWM_CTL / 4] & CTL_PWEN;

	memcpy(pwm_regs, pwm_next, sizeof(pwm_regs));
	if (!was_on)
		pwm_began_ns = now_ns();
	pins_changed();
}

static void pwm_period_over(void *opaque)
{
	(void)opaque;
	take_pwm_settings();
}

static void await_period_end(void)
{
	int64_t period_ns = (int64_t)pwm_regs[PWM_RNG1 / 4] * PWM_CLOCK_NS;
	int64_t into_ns = (now_ns() - pwm_began_ns) % period_ns;

	timer_mod_ns(&pwm_latch, now_ns() + period_ns - into_ns);
}

static uint64_t pwm_read(void *opaque, uint64_t offset, unsigned int size)
{
	(void)opaque;
	(void)size;
	return offset < PWM_SIZE ? pwm_next[offset / 4] : 0;
}

static void pwm_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	(void)opaque;
	(void)size;
	if (offset >= PWM_SIZE)
		return;
	pwm_next[offset / 4] = value;
	if (pwm_latches && pwm_regs[PWM_CTL / 4] & CTL_PWEN && pwm_regs[PWM_RNG1 / 4])
		await_period_end();
	else
		take_pwm_settings();
}

static uint64_t gpio_read(void *opaque, uint64_t offset, unsigned int size)
{
	(void)opaque;
	(void)size;
	switch (offset) {
	case GPLEV0:
		return (uint32_t)pin_levels();
	case GPLEV1:
		return pin_levels() >> 32;
	default:
		return offset < GPIO_SIZE ? gpio_regs[offset / 4] : 0;
	}
}

/* GPSET, GPCLR and GPEDS act on the bits that are one; all others keep what they are given. */
static void gpio_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	(void)opaque;
	(void)size;
	switch (offset) {
	case GPSET0:
		output_latch |= value;
		break;
	case GPSET1:
		output_latch |= value << 32;
		break;
	case GPCLR0:
		output_latch &= ~value;
		break;
	case GPCLR1:
		output_latch &= ~(value << 32);
		break;
	case GPEDS0:
		storm_answered(value);
		__attribute__((fallthrough));
	case GPEDS1:
		gpio_regs[offset / 4] &= ~value;
		break;
	default:
		if (offset < GPIO_SIZE)
			gpio_regs[offset / 4] = value;
	}
	pins_changed();
}

/* Where a test in the guest talks to the board itself. */
static struct qemu_timer watchdog;

static void control_mark(uint32_t value)
{
	fprintf(scope, "%" PRId64 " mark %" PRIu32 "\n", now_ns(), value);
}

/* A guest that hangs is ended in its own time, at the same nanosecond on every host. */
static void watchdog_expired(void *opaque)
{
	(void)opaque;
	fprintf(scope, "%" PRId64 " watchdog\n", now_ns());
	qemu_system_shutdown_request(SHUTDOWN_BY_HOST);
}

static void control_watchdog(uint32_t delay_ms)
{
	if (delay_ms)
		timer_mod_ns(&watchdog, now_ns() + delay_ms * 1000000LL);
	else
		timer_del(&watchdog);
}

static void control_latch(uint32_t on)
{
	pwm_latches = on;
}

static void control_play(uint32_t value)
{
	(void)value;
	play_from_ns = now_ns();
	if (score && rx_pin >= 0)
		await_next_light();
}

static void control_storm(uint32_t edges_per_s)
{
	if (!edges_per_s) {
		storm_over();
		return;
	}
	storm.per_s = edges_per_s;
	timer_mod_ns(&storm.next, now_ns() + storm_pause_ns());
}

static void (*const controls[])(uint32_t value) = {
	control_mark,			/* +0: puts a mark into the log */
	control_watchdog,		/* +4: ends the machine in so many milliseconds, 0: never */
	control_latch,			/* +8: 1: the PWM takes settings at the end of a period */
	control_play,			/* +12: starts what play= says */
	control_storm,			/* +16: so many edges a second on GPIO25, 0: no more */
};

static uint64_t control_read(void *opaque, uint64_t offset, unsigned int size)
{
	(void)opaque;
	(void)offset;
	(void)size;
	return 0;
}

static void control_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	(void)opaque;
	(void)size;
	if (offset / 4 < ARRAY_SIZE(controls))
		controls[offset / 4](value);
}

/* --- into the machine ------------------------------------------------------------------------- */

enum { PWM_PAGE, GPIO_PAGE, CONTROL_PAGE };

static struct page {
	const char *name;
	uint64_t base;
	struct mem_ops ops;
	struct mem_region region;
} pages[] = {
	[PWM_PAGE] = {
		.name = "irboard-pwm",
		.base = PERIPHERALS + PWM_OFFSET,
		.ops = { .read = pwm_read, .write = pwm_write },
	},
	[GPIO_PAGE] = {
		.name = "irboard-gpio",
		.base = PERIPHERALS + GPIO_OFFSET,
		.ops = { .read = gpio_read, .write = gpio_write },
	},
	[CONTROL_PAGE] = {
		.name = "irboard-control",
		.base = CONTROL_BASE,
		.ops = { .read = control_read, .write = control_write },
	},
};

#define ABOVE_QEMUS_OWN	100

static void add_page(struct page *page)
{
	page->ops.endianness = LITTLE_ENDIAN_DEVICE;
	page->ops.valid.min_size = 4;
	page->ops.valid.max_size = 4;
	page->ops.impl.min_size = 4;
	page->ops.impl.max_size = 4;
	memory_region_init_io(&page->region, NULL, &page->ops, NULL, page->name, PAGE);
	memory_region_add_subregion_overlap(get_system_memory(), page->base, &page->region,
					    ABOVE_QEMUS_OWN);
}

static void take_irqs(void *controller, const char *name, unsigned int first)
{
	for (unsigned int i = 0; controller && i <= BANKS; i++)
		bank_irqs[i] = qdev_get_gpio_in_named(controller, name, first + i);
}

static void move_to_pi4(void *peripherals)
{
	pages[PWM_PAGE].base = PI4_PERIPHERALS + PWM_OFFSET;
	pages[GPIO_PAGE].base = PI4_PERIPHERALS + GPIO_OFFSET;
	take_irqs(peripherals, NULL, PI4_BANK_IRQ);
}

static void board_ready(struct notifier *self, void *data)
{
	void *pi4 = object_resolve_path_type("", "bcm2838-peripherals", NULL);

	(void)self;
	(void)data;
	/* a machine that is no Pi has no lines to interrupt it by: it uses the controls only */
	if (pi4)
		move_to_pi4(pi4);
	else
		take_irqs(object_resolve_path_type("", "bcm2835-ic", NULL), "gpu-irq", BANK_IRQ);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		add_page(&pages[i]);
	init_timer(&watchdog, watchdog_expired, NULL);
	init_timer(&pwm_latch, pwm_period_over, NULL);
	init_timer(&storm.next, storm_edge, NULL);
	init_timer(&player, play_light, NULL);
	air_ready();
}

static bool parse_pin(const char *text, char **end, unsigned int *pin)
{
	*pin = strtoul(text, end, 10);
	return *end != text && *pin < PINS;
}

static bool parse_tx(const char *text)
{
	unsigned int pin;
	char *end;

	do {
		if (!parse_pin(text, &end, &pin))
			return false;
		tx_pins |= PIN_BIT(pin);
		text = end + 1;
	} while (*end == '+');
	return !*end;
}

static bool parse_rx(const char *text)
{
	unsigned int pin;
	char *end;

	if (!parse_pin(text, &end, &pin))
		return false;
	rx_pin = pin;
	return !*end;
}

static bool parse_delay(const char *text)
{
	char *end;

	delay_ns = strtoll(text, &end, 10);
	return end != text && !*end && delay_ns >= 0;
}

static bool open_scope(const char *path)
{
	scope = fopen(path, "w");
	return scope && !setvbuf(scope, NULL, _IOLBF, 0) && fputs("# irboard 1\n", scope) >= 0;
}

static const struct {
	const char *name;
	bool (*parse)(const char *text);
	const char *allowed;
} options[] = {
	{ "out=", open_scope, "a file that can be written" },
	{ "tx=", parse_tx, "pins 0 to 53, joined by +" },
	{ "rx=", parse_rx, "one pin, 0 to 53" },
	{ "delay_ns=", parse_delay, "nanoseconds, 0 or more" },
	{ "play=", open_score, "a file that begins with # irboard play 1" },
};

static bool parse_option(const char *arg)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(options); i++) {
		size_t length = strlen(options[i].name);

		if (strncmp(arg, options[i].name, length))
			continue;
		if (options[i].parse(arg + length))
			return true;
		fprintf(stderr, "irboard: %s: allowed is %s\n", arg, options[i].allowed);
		return false;
	}
	fprintf(stderr, "irboard: %s: allowed are out= tx= rx= delay_ns= play=\n", arg);
	return false;
}

static struct notifier machine_made = { .notify = board_ready };

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)id;
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!parse_option(argv[i]))
			return 1;
	if (!scope) {
		fprintf(stderr, "irboard: no log; give out=FILE\n");
		return 1;
	}
	qemu_add_machine_init_done_notifier(&machine_made);
	return 0;
}
