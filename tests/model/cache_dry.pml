/* SPDX-License-Identifier: MIT */
/*
 * cache_dry.pml: a cache that is found empty and stays shut until a put, of
 * depot.c: one thread puts, on two CPUs, two get, one looks for what is not
 * there. A get fails only if at some moment of it nothing was cached, though it
 * may find out without the lock; no item is lost or doubled.
 *
 * A section is three steps: it looks at its bound, loads the count, stores; the
 * fence restarts those that are not through, and so does another that begins
 * on that CPU. What moves under the lock moves in one step.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_FENCE     magazines are looked at without a fence
 *   DRY_FIRST    the cache is dry before the fence
 *   COUNT_DEPOT  it is dry if the depot is empty, whatever magazines hold
 *   CLEAR_LATE   a put makes it dry no more when the item is there
 *   STAYS        or never
 */
#define THREADS 3

byte mag[2], depot;
bool push_open = true, pop_open = true;
bool dry, mutex;

/* What users know: a put has stored, a get has not. */
byte cached;
bool was_empty[THREADS];
byte got, ended;

bool inside[THREADS], restart[THREADS];
byte cpu[THREADS];

inline begin(on, bound)
{
	d_step {
		inside[me] = true; restart[me] = false; cpu[me] = on;
		i = 0;
		do
		:: i == THREADS -> break
		:: else ->
			if
			:: i != me && inside[i] && cpu[i] == on ->
				restart[i] = true
			:: else
			fi;
			i++
		od;
		i = 0;
		open = bound
	}
}

inline took()
{
	cached--; got++;
	if
	:: cached == 0 ->
		was_empty[0] = true; was_empty[1] = true; was_empty[2] = true
	:: else
	fi
}

/* done: it was stored. */
inline push(on)
{
	done = false;
	do
	:: begin(on, push_open);
		if
		:: !open -> inside[me] = false; break
		:: else
		fi;
		n = mag[on];
		if
		:: atomic { restart[me] -> n = 0 }
		:: d_step {
			!restart[me] -> mag[on] = n + 1; cached++;
			n = 0; done = true; inside[me] = false }; break
		fi
	od
}

inline pop(on)
{
	done = false;
	do
	:: begin(on, pop_open);
		if
		:: !open -> inside[me] = false; break
		:: else
		fi;
		n = mag[on];
		if
		:: atomic { restart[me] -> n = 0 }
		:: atomic { !restart[me] && n == 0 -> inside[me] = false };
			break
		:: d_step {
			!restart[me] && n != 0 -> mag[on] = n - 1; took();
			n = 0; done = true; inside[me] = false }; break
		fi
	od
}

inline take()
{
	atomic { !mutex -> mutex = true }
}

inline shut()
{
	if
	:: dry
	:: else ->
		push_open = false;
		pop_open = false;
#ifdef DRY_FIRST
		dry = mag[0] + mag[1] + depot == 0;
#endif
#ifndef NO_FENCE
		d_step {
			restart[0] = inside[0];
			restart[1] = inside[1];
			restart[2] = inside[2]
		}
#else
		skip
#endif
	fi
}

inline open_all()
{
#if !defined(CLEAR_LATE) && !defined(STAYS)
	dry = false;
#endif
	pop_open = true;
	push_open = true
}

inline reopen()
{
#ifdef COUNT_DEPOT
	open = depot == 0;
#else
	open = mag[0];
	open = !open && mag[1] == 0 && depot == 0;
#endif
	if
	:: open -> dry = true
	:: else -> dry = false; open_all()
	fi
}

inline put(on)
{
	push(on);
	if
	:: done
	:: else ->
		take();
		if
		:: dry -> open_all()
		:: else
		fi;
		push(on);
		if
		:: done
		:: else -> d_step { depot++; cached++ }
		fi;
#ifdef CLEAR_LATE
		dry = false;
#endif
		mutex = false
	fi
}

inline get(on)
{
	was_empty[me] = (cached == 0);
	pop(on);
	if
	:: done
	:: else ->
		if
		:: dry
		:: else ->
			take();
			if
			:: depot == 0 ->
				shut();
				d_step { depot = depot + mag[0]; mag[0] = 0 };
				d_step { depot = depot + mag[1]; mag[1] = 0 };
				reopen()
			:: else
			fi;
			if
			:: d_step { depot != 0 -> depot--; took(); done = true }
			:: depot == 0 -> pop(on)
			fi;
			mutex = false
		fi;
		assert(done || was_empty[me])
	fi
}

proctype putter(byte me)
{
	byte n, i;
	bool done, open;

	put(0);
	put(1);
	ended++
}

proctype getter(byte me; byte on)
{
	byte n, i;
	bool done, open;

	get(on);
	if
	:: on == 0 -> get(on)
	:: else
	fi;
	ended++
}

/* For an item that is not there: it looks at all, and takes none. */
proctype looker()
{
	bool open;

	if
	:: dry
	:: else ->
		take();
		shut();
		reopen();
		mutex = false
	fi;
	ended++
}

init {
	atomic {
		run putter(0);
		run getter(1, 0);
		run getter(2, 1);
		run looker()
	};
	if
	:: ended == THREADS + 1
	:: timeout -> assert(ended == THREADS + 1)
	fi;
	assert(cached + got == 2);
	assert(mag[0] + mag[1] + depot == cached)
}
