/* SPDX-License-Identifier: MIT */
/*
 * call_csd.pml: the states of a csd, of call_csd.c: two threads queue one csd
 * that nobody waits for, whose function queues it again; a third calls and
 * waits, spinning or asleep; and the queue may be shut. A call that is accepted
 * runs once, with what its caller put there; one that is refused not, and its
 * csd is free; a function can queue the csd that it runs from, unless another
 * thread was faster; whoever waits goes on, and only when its function has run;
 * and no worker touches the csd of one that has gone on, but for the wake.
 *
 * The queue is a list, turned round and taken in one step: call_queue.pml looks
 * into that, and into a worker that waits.
 *
 * Broken on purpose, each of which must be found wrong:
 *   CLAIM_PLAIN   a claim is a look and a store
 *   FREE_LATE     a csd is free after its function
 *   READ_LATE     what a csd says is read when it is free
 *   NEXT_LATE     and so is the one after it
 *   NO_UNCLAIM    a csd that was refused stays in flight
 *   NO_EXCHANGE   an end is a look, a store, and a wake if there was a sleeper
 *   SLEEP_BLIND   a caller sleeps in spite of the end
 *   NO_MARK       a caller sleeps without saying so
 *   DONE_FIRST    a caller goes on before its function has run
 *   TOUCHED       who waited for a call is read when it has gone on
 */
#define FREE 0
#define MINE 1 /* the number of the process, and in flight */
#define WAITED 2
#define SLEPT 4
#define DONE 8
#define STALE 10
#define OVER(s) ((s) >= DONE)

#define SHUT 9

/* Csd 1 is queued, 2 is waited for. Arguments are numbers; each is used once. */
byte head;
byte next[3], state[3], arg[3];
byte ran[6], accepted[6], claims;
byte given; /* the last argument that was given out */
bool gone; /* csd 2 is no more */
bool sleeps;
bool worker_ended;
byte ended;
byte result;

/* code = 1: it was sent; 2: refused; 3: in flight. What me puts there is v. */
inline queue(v)
{
#ifdef CLAIM_PLAIN
	was = state[1];
	if
	:: was == MINE -> code = 3
	:: else -> atomic { state[1] = MINE; claims++; code = 1 }
	fi;
#else
	if
	:: atomic { state[1] == MINE -> code = 3; assert(claims == 1) }
	:: atomic { state[1] != MINE -> state[1] = MINE; claims++; code = 1 }
	fi;
#endif
	assert(claims <= 1);
	if
	:: code == 3
	:: else ->
		arg[1] = v;
		send(1, v);
		if
		:: code == 2 ->
#ifndef NO_UNCLAIM
			atomic { claims--; state[1] = FREE }
#else
			claims--
#endif
		:: else
		fi
	fi
}

inline send(c, v)
{
	if
	:: atomic { head == SHUT -> code = 2 }
	:: atomic {
		head != SHUT -> next[c] = head; head = c;
		accepted[v] = 1; code = 1
	   }
	fi
}

proctype queuer(byte me)
{
	byte code, v, was;

	v = me;
	queue(v);
	ended++
}

proctype caller()
{
	byte code;

	state[2] = WAITED;
	arg[2] = 5;
	send(2, 5);
	if
	:: code == 2 -> goto out
	:: else
	fi;
#ifdef DONE_FIRST
	goto on;
#endif
	/* Some looks, or none. */
	if
	:: OVER(state[2]) -> goto on
	:: true
	fi;
#ifndef NO_MARK
#ifdef SLEEP_BLIND
	state[2] = SLEPT;
#else
	if
	:: atomic { state[2] == WAITED -> state[2] = SLEPT }
	:: state[2] != WAITED
	fi;
#endif
#endif
	do
	:: OVER(state[2]) -> break
	:: else ->
		if
#ifdef NO_MARK
		:: atomic { state[2] == WAITED -> sleeps = true }
		:: state[2] != WAITED -> goto again
#else
		:: atomic { state[2] == SLEPT -> sleeps = true }
		:: state[2] != SLEPT -> goto again
#endif
		fi;
		!sleeps;
again:		skip
	od;
on:	result = state[2];
	assert(ran[5] == 1);
	gone = true;
out:	ended++
}

/* The function: it counts, and once the csd is queued again from within. */
inline function(v)
{
	d_step {
		ran[v]++;
		assert(ran[v] == 1 && accepted[v] == 1)
	};
	if
	:: v <= 2 && given < 4 ->
		d_step { given++; v2 = given };
		queue(v2)
	:: else
	fi
}

#define TOUCH(c) assert(c != 2 || !gone)

proctype worker()
{
	byte c, v, v2, rest, code, was, tmp;

	do
	:: rest == 0 && head == SHUT -> break
	:: rest == 0 && head != SHUT ->
		if
		/* Take all there is, or shut the queue with it. */
		:: d_step {
			head != 0 ->
			tmp = head; head = 0;
			do
			:: tmp == 0 -> break
			:: else ->
				c = next[tmp]; next[tmp] = rest;
				rest = tmp; tmp = c
			od;
			c = 0
		   }
		:: d_step {
			tmp = head; head = SHUT;
			do
			:: tmp == 0 -> break
			:: else ->
				c = next[tmp]; next[tmp] = rest;
				rest = tmp; tmp = c
			od;
			c = 0
		   }
		fi
	:: rest != 0 ->
		c = rest;
		TOUCH(c);
#ifndef NEXT_LATE
		rest = next[c];
#endif
#ifndef READ_LATE
		v = arg[c];
#endif
		if
		:: state[c] == MINE ->
#ifdef FREE_LATE
			claims--;
#else
			atomic { claims--; state[c] = FREE };
#endif
#ifdef NEXT_LATE
			rest = next[c];
#endif
#ifdef READ_LATE
			v = arg[c];
#endif
			function(v);
#ifdef FREE_LATE
			state[c] = FREE
#else
			skip
#endif
		:: else ->
#ifdef NEXT_LATE
			rest = next[c];
#endif
#ifdef READ_LATE
			v = arg[c];
#endif
			d_step { ran[v]++; assert(ran[v] == 1) };
			TOUCH(c);
#ifdef NO_EXCHANGE
			was = state[c];
			state[c] = DONE;
#else
			if
			:: d_step { was = state[c]; state[c] = DONE }
			:: d_step { was = state[c]; state[c] = STALE }
			fi;
#endif
#ifdef TOUCHED
			TOUCH(c);
#endif
			if
			:: was == SLEPT -> sleeps = false
			:: else
			fi
		fi;
		d_step { c = 0; v = 0; v2 = 0; code = 0; was = 0 }
	od;
	worker_ended = true
}

init {
	atomic {
		given = 2;
		run worker();
		run queuer(1);
		run queuer(2);
		run caller()
	};
	timeout;
	assert(worker_ended);
	assert(ended == 3);
	assert(state[1] == FREE && claims == 0);
	assert(ran[1] == accepted[1] && ran[2] == accepted[2] &&
	       ran[3] == accepted[3] && ran[4] == accepted[4] &&
	       ran[5] == accepted[5]);
	assert(accepted[5] == 0 || OVER(result))
}
