/* SPDX-License-Identifier: MIT */
/*
 * call_fork.pml: a thread sends a call and waits for it; a signal handler may
 * fork in it at any instruction, and call in the child before it returns. What
 * follows then is the child, which has no worker, and a queue that is NONE,
 * until somebody makes one. The thread waits for no call that is not in flight
 * in its process, and leaves none that is: that lies on its stack.
 *
 * AWAKE and ASLEEP carry the process's number. Another thread sends a call in
 * the parent, so the head may be a csd there, which in the child is nobody's.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_NUMBER   AWAKE and ASLEEP are the same in both processes
 *   READ_LATE   the number is read when the call was sent
 *   READ_ONCE   it is not read again where the head is not what was expected
 *   BY_HEAD     a call is lost where the queue is NONE
 */
#define NONE 0
/* Csds: the thread's, that of another thread of the parent, the handler's. */
#define MINE 1
#define OTHER 2
#define HANDLERS 3
#define IS_CSD(h) ((h) >= MINE && (h) <= HANDLERS)
#ifdef NO_NUMBER
#define AWAKE(family) 11
#define ASLEEP(family) 21
#else
#define AWAKE(family) (10 + (family))
#define ASLEEP(family) (20 + (family))
#endif

byte family = 1; /* 2 in the child */
byte head = AWAKE(1);
byte next[4];
bool done[4];
byte sent_in; /* the process that has MINE in its queue */
bool ended;

/* It ends with its process. */
proctype worker(byte mine)
{
	byte csd;

end:	do
	:: atomic { family == mine && IS_CSD(head) ->
		csd = head;
		head = AWAKE(mine);
		do
		:: csd == 0 -> break
		:: else -> done[csd] = true; csd = next[csd]
		od
	   }
	:: atomic { family == mine && head == AWAKE(mine) ->
		head = ASLEEP(mine)
	   }
	:: family != mine -> break
	od
}

/* Signals are blocked meanwhile. */
inline start()
{
	atomic {
		if
		:: head == NONE -> head = AWAKE(family); run worker(family)
		:: else
		fi
	}
}

proctype other()
{
	atomic {
		if
		:: family == 1 ->
			next[OTHER] = (IS_CSD(head) -> head : 0);
			head = OTHER
		:: else
		fi
	}
}

/* Perhaps, here. */
inline handler()
{
	if
	:: family == 1 ->
		atomic { family = 2; head = NONE };
		if
		:: true ->
			start();
			atomic {
				next[HANDLERS] = (IS_CSD(head) -> head : 0);
				head = HANDLERS
			};
			done[HANDLERS]
		:: true
		fi
	:: true
	fi
}

proctype thread()
{
	byte number, old;

	number = family;
	handler();
again:	old = AWAKE(number);
	next[MINE] = 0;
	do
	:: handler();
		if
		:: atomic { head == old ->
			head = MINE; sent_in = family;
			goto sent
		   }
		:: atomic { head != old -> old = head }
		fi;
		handler();
#ifndef READ_ONCE
		number = family;
		handler();
#endif
		if
		:: old == NONE -> start(); goto again
		:: else -> next[MINE] = (IS_CSD(old) -> old : 0)
		fi
	od;
sent:	handler();
#ifdef READ_LATE
	number = family;
	handler();
#endif
	do
	:: done[MINE] -> break
#ifdef BY_HEAD
	:: head == NONE -> break
#else
	:: number != family -> break
#endif
	:: family == 1 -> handler()
	od;
	assert(done[MINE] || sent_in != family);
	ended = true
}

init {
	atomic {
		run worker(1);
		run other();
		run thread()
	};
	/* A state without a next step is this one. */
	timeout;
	assert(ended)
}
