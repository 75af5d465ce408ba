/* SPDX-License-Identifier: MIT */
/*
 * call_queue.pml: the queue of a CPU, of call_queue.c and call_worker.c. Two
 * threads send two calls each, the worker runs them, sleeps and is woken, and
 * somebody stops it, or not. In the scene NESTED the first function that runs
 * waits for a call to another CPU, which ends at any moment; the worker runs
 * what comes meanwhile. Each call that is accepted runs once, those of one
 * thread in their order, none that is refused; and nobody sleeps for ever.
 *
 * Looking again before it sleeps changes nothing but the time, and is left out.
 * So are timeouts: what only they end counts as hung.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_WAKE      who finds the queue's worker asleep does not wake it
 *   WAKE_AWAKE   who finds it awake wakes it, and who finds it asleep does not
 *   BLIND        the worker is asleep in spite of what was sent meanwhile
 *   NO_COMPARE   it sleeps though the head has changed
 *   LOOK_FIRST   it looks for orders, then says that it is asleep
 *   KICK_FIRST   who orders wakes it first
 *   OLD_NEXT     a sender's csd keeps the one after it when that was taken
 *   NOT_TURNED   the last that was sent is the first to run
 *   TWO_STEPS    the queue is taken, and then shut
 *   NEWER_FIRST  a worker that waits runs what comes before what it has
 */
#define SENDERS 2
#define EACH 2
#define CALLS 4
/* In the scene NESTED the second thread sends one call less. */
#ifdef NESTED
#define FIRST(sender) (sender)
#else
#define FIRST(sender) 0
#endif

/* The head: a call, 1 to CALLS, or one of these. 0 ends a list. */
#define AWAKE 11
#define ASLEEP 12
#define SHUT 13
#define IS_CALL(h) ((h) <= CALLS)

byte head = AWAKE;
byte next[CALLS + 1];
byte ran[CALLS + 1], wanted[CALLS + 1];
byte last[SENDERS]; /* of a sender's calls, the one that ran last */
bool sleeps;	    /* the worker, in its futex */
bool stop;	    /* the order */
bool done;	    /* what the first function waits for */
bool waited;	    /* somebody has */
bool worker_ended;
byte ended;

inline wake() { sleeps = false }

inline kick()
{
	if
	:: atomic { head == ASLEEP -> head = AWAKE; wake() }
	:: else
	fi
}

proctype sender(byte me)
{
	byte n = FIRST(me), call, old;

	do
	:: n == EACH -> break
	:: else ->
		n++;
		call = me * EACH + n;
		/* The guess. */
		old = AWAKE;
		next[call] = 0;
again:		if
		:: atomic {
			head == old -> head = call;
			wanted[call] = 1
		   };
#ifdef NO_WAKE
			skip
#else
			if
#ifdef WAKE_AWAKE
			:: old == AWAKE -> wake()
#else
			:: old == ASLEEP -> wake()
#endif
			:: else
			fi
#endif
		:: atomic { head != old -> old = head };
			if
			:: old == SHUT -> goto refused
			:: IS_CALL(old) -> next[call] = old
			:: else ->
#ifndef OLD_NEXT
				next[call] = 0
#else
				skip
#endif
			fi;
			goto again
		fi;
refused:	old = 0
	od;
	ended++
}

/* first = what the queue has, oldest first. */
inline turn_round()
{
	atomic {
		first = 0;
#ifdef NOT_TURNED
		first = taken;
#else
		do
		:: taken == 0 -> break
		:: else ->
			following = next[taken];
			next[taken] = first;
			first = taken;
			taken = following
		od;
#endif
		taken = 0; following = 0
	}
}

inline take(tag)
{
	atomic {
		taken = (IS_CALL(head) -> head : 0);
		head = tag
	};
	turn_round()
}

/* call = the next to run, 0 if there is none now. */
inline get_next()
{
#ifdef NEWER_FIRST
	first = 0;
	if
	:: rest == 0 || (depth > 0 && IS_CALL(head)) ->
#else
	first = rest;
	if
	:: rest == 0 ->
#endif
		if
		:: IS_CALL(head) -> take(AWAKE)
		:: else
		fi
	:: else
	fi;
#ifdef NEWER_FIRST
	d_step {
		if
		:: first == 0 -> first = rest
		:: first != 0 && rest != 0 ->
			taken = first;
			do
			:: next[taken] == 0 -> break
			:: else -> taken = next[taken]
			od;
			next[taken] = rest; taken = 0
		:: else
		fi
	}
#endif
	d_step {
		call = first;
		if
		:: call != 0 -> rest = next[call]
		:: else
		fi;
		first = 0
	}
}

#define CALLED_FOR (depth > 0 -> done : stop)

inline idle()
{
#ifdef LOOK_FIRST
	if
	:: CALLED_FOR -> goto looked
	:: else
	fi;
#endif
#ifdef BLIND
	head = ASLEEP;
#else
	if
	:: atomic { head == AWAKE -> head = ASLEEP }
	:: head != AWAKE -> goto looked
	fi;
#endif
#ifndef LOOK_FIRST
	if
	:: CALLED_FOR ->
		if
		:: atomic { head == ASLEEP -> head = AWAKE }
		:: else
		fi;
		goto looked
	:: else
	fi;
#endif
	do
	:: head != ASLEEP -> break
	:: head == ASLEEP ->
		if
#ifdef NO_COMPARE
		:: sleeps = true
#else
		:: atomic { head == ASLEEP -> sleeps = true }
		:: head != ASLEEP -> break
#endif
		fi;
		!sleeps
	od
}

inline perform()
{
	atomic {
		ran[call]++;
		assert(ran[call] == 1 && wanted[call] == 1);
		assert(last[(call - 1) / EACH] < call);
		last[(call - 1) / EACH] = call;
		call = 0
	}
}

proctype worker()
{
	byte call, rest, first, taken, following, depth;

loop:	if
	:: stop && rest == 0 && depth == 0 -> goto close
	:: else
	fi;
	if
	:: depth > 0 && done -> depth = 0
	:: else
	fi;
	get_next();
	if
	:: call != 0 ->
		perform();
#ifdef NESTED
		if
		:: !waited -> waited = true; depth = 1
		:: else
		fi
#endif
	:: else -> idle()
	fi;
looked:	goto loop;

close:
#ifdef TWO_STEPS
	take(AWAKE);
	head = SHUT;
#else
	take(SHUT);
#endif
	rest = first;
	do
	:: rest == 0 -> break
	:: else ->
		d_step { call = rest; rest = next[call] };
		perform();
#ifdef NESTED
		waited = true
#endif
	od;
	worker_ended = true
}

/* The worker of the other CPU: it ends the call, and looks at our queue. */
proctype other()
{
	waited;
#ifdef KICK_FIRST
	kick();
	done = true;
#else
	done = true;
	kick();
#endif
	ended++
}

proctype stopper()
{
#ifdef KICK_FIRST
	kick();
	stop = true;
#else
	stop = true;
	kick();
#endif
	ended++
}

init {
	byte n;

	atomic {
		run worker();
		run sender(0);
		run sender(1);
#ifdef NESTED
		run other();
#endif
		run stopper()
	};
	/* A state without a next step is this one. */
	timeout;
	assert(worker_ended);
#ifdef NESTED
	assert(ended >= SENDERS + 1);
#else
	assert(ended == SENDERS + 1);
#endif
	for (n : 1 .. CALLS) {
		assert(ran[n] == wanted[n])
	}
}
