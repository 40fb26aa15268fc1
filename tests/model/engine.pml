/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The concurrency of a transmission: who may light the emitter, who puts it out, and
 * who waits for whom, in core/engine.c, core/emitter.c and core/device.c. Time is left
 * out: whatever may happen may happen at any moment, the watch's stepping in too.
 */

#define SIGNALS	2	/* one after another, so that what one leaves behind is seen */
#define FAILURES 1
#define LOOKS 1
#define LATE_LOOKS 4
#define STEPS	4	/* of each: even ones switch on, odd ones off */

mtype = { FINE, EINTR, ETIMEDOUT, ESHUTDOWN, EIO };

/* how it is sent: struct irtx_choice, struct irtx_emitter */
bool by_timer, hardirq;

/* the emitter: each call may fail */
bool lit;
bool refused;			/* the last dark() failed: it may be lit */
bool bound = true;
byte failures = FAILURES;
bool refused_now;		/* scratch: the call just made failed */

/* struct irtx_device: rc->lock, down, and what rc-core keeps */
bool locked, device_locked;
bool registered = true;
bool down;
bool under_way;			/* in irtx_send() */

/* struct irtx_engine */
mtype abort = FINE, result = FINE;
byte step;
bool transmitting;		/* in irtx_transmit() */
bool work, sleeping;
byte sent, timer_done;		/* completions */
bool timer_armed, timer_running;
bool watch_armed, watch_running;
byte early_looks, late_looks;
bool douse_pending, douse_running;

/* the delayed work dark_again */
bool again_pending, again_running, again_cancelled;

/* --- the kernel --- */

inline lock(mutex)		{ atomic { !mutex -> mutex = true } }
inline unlock(mutex)		{ mutex = false }
inline complete(completion)	{ atomic { if :: completion < 2 -> completion++ :: else fi } }
inline wait_for(completion)	{ atomic { completion > 0 -> completion-- } }
/* hrtimer_cancel(), cancel_work_sync(): also wait for the function to return */
inline cancel(armed, running)	{ atomic { !running -> armed = false } }

/* --- the emitter: irtx_emitter_ops --- */

inline set(on)
{
	assert(bound);
	assert(!on || under_way);
	if
	:: lit = on; refused_now = false
	:: failures > 0 -> failures--; refused_now = true
	fi
}

/* and irtx_emitter_dark(), which has a refusal tried again */
inline dark(again)
{
	atomic {
		set(false);
		refused = refused_now;
		again_pending = again_pending || (refused && again && !again_cancelled);
		refused_now = false
	}
}

/* --- irtx_visit(): steps are fired until one is far away, or all is over --- */

#define OVER	(result != FINE || step == STEPS)

inline visit()
{
	do
	:: atomic {				/* irtx_ends() */
		if
		:: step % 2 == 0 -> result = abort
		:: else
		fi
	   };
	   if
	   :: OVER -> break
	   :: else
	   fi;
	   atomic {				/* irtx_fire() */
		set(step % 2 == 0);
		result = (refused_now -> EIO : FINE);
		step = (refused_now -> step : step + 1);
		refused_now = false
	   };
	   if
	   :: true -> break
	   :: !OVER
	   fi
	od
}

/* irtx_timer(), which may also be lost */
proctype timer()
{
end:	do
	:: atomic { timer_armed -> timer_armed = false; timer_running = true };
	   visit();
	   if
	   :: OVER -> complete(timer_done)
	   :: else
	   fi;
	   atomic { timer_armed = !OVER; timer_running = false }
	:: timer_armed -> timer_armed = false
	od
}

/*
 * irtx_watch(), irtx_step_in(). It comes at any moment, and again and again when nobody
 * else can do anything. Both are limited, or whoever waits in vain would go unnoticed.
 */
proctype watch()
{
end:	do
	:: atomic {
		if
		:: watch_armed && early_looks < LOOKS -> early_looks++
		:: watch_armed && late_looks < LATE_LOOKS && timeout -> late_looks++
		fi;
		watch_armed = false;
		watch_running = true
	   };
	   assert(transmitting);
	   abort = ETIMEDOUT;
	   if
	   :: hardirq -> atomic { set(false); refused_now = false }
	   :: else -> douse_pending = true
	   fi;
	   complete(timer_done);
	   sleeping = false;			/* wake_up_process() */
	   atomic { watch_armed = true; watch_running = false }
	od
}

/* irtx_douse() */
proctype douse()
{
end:	do
	:: atomic { douse_pending -> douse_pending = false; douse_running = true };
	   assert(transmitting);
	   dark(false);
	   douse_running = false
	od
}

/* irtx_run_timer() */
inline run_timer()
{
	timer_done = 0;				/* reinit_completion() */
	timer_armed = true;
	wait_for(timer_done);
	cancel(timer_armed, timer_running)
}

/* irtx_run_thread(): the wake-up may be lost, and then only the watch wakes it */
inline run_thread()
{
	do
	:: sleeping = true;			/* irtx_sleep_until() */
	   if
	   :: sleeping = false
	   :: true
	   fi;
	   !sleeping;
	   visit();
	   if
	   :: OVER -> break
	   :: else
	   fi
	od
}

/* irtx_outcome(): a lost timer has not seen why all ends, nor has the last step */
inline outcome()
{
	if
	:: result == FINE && (step < STEPS || abort == ETIMEDOUT) -> result = abort
	:: else
	fi
}

/* irtx_transmit(): the sending thread */
proctype sender()
{
end:	do
	:: work -> work = false;
	   atomic {				/* irtx_prepare() */
		result = FINE;
		step = 0;
		early_looks = 0;
		late_looks = 0;
		transmitting = true
	   };
	   watch_armed = true;			/* irtx_begin_watch() */
	   if
	   :: by_timer -> run_timer()
	   :: else -> run_thread()
	   fi;
	   cancel(watch_armed, watch_running);	/* irtx_end_watch() */
	   cancel(douse_pending, douse_running);
	   outcome();
	   transmitting = false;
	   complete(sent)
	od
}

/* irtx_tx_ir(), irtx_engine_send(): a process that writes, and may be killed */
proctype writer()
{
	byte signals;


	do
	:: signals == SIGNALS -> break
	:: else -> signals++;
	   lock(locked);
	   if
	   :: !registered || down
	   :: else ->
		under_way = true;
		abort = FINE;
		sent = 0;			/* reinit_completion() */
		work = true;
		if
		:: skip
		:: abort = EINTR		/* a fatal signal */
		fi;
		wait_for(sent);
		assert(result != FINE || step == STEPS);
		dark(true);		/* irtx_emitter_dark() */
		assert(!lit || refused);
		under_way = false
	   fi;
	   unlock(locked)
	od
}

/* irtx_emitter_dark_again() */
proctype dark_again()
{
end:	do
	:: atomic { again_pending -> again_pending = false; again_running = true };
	   lock(locked);
	   dark(true);
	   unlock(locked);
	   again_running = false
	od
}

/* irtx_shutdown(); the driver core keeps it and unbinding apart */
proctype shutdown()
{
	lock(device_locked);
	if
	:: bound ->
		down = true;
		abort = ESHUTDOWN;
		lock(locked);
		dark(true);
		unlock(locked)
	:: else
	fi;
	unlock(device_locked)
}

/* rc_unregister_device(), then irtx_emitter_unguard(), irtx_engine_stop() */
proctype unbinder()
{
	lock(device_locked);
	lock(locked);
	registered = false;
	unlock(locked);
	again_cancelled = true;			/* cancel_delayed_work_sync() */
	cancel(again_pending, again_running);
	dark(false);
	assert(!lit || refused);
	bound = false;
	unlock(device_locked)
}

init {
	atomic {
		if
		:: by_timer = true; hardirq = true
		:: hardirq = true
		:: skip
		fi;
		run timer();
		run watch();
		run douse();
		run sender();
		run dark_again();
		run writer();
		run shutdown();
		run unbinder()
	}
}
