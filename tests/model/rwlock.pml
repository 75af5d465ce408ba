/* SPDX-License-Identifier: MIT */
/*
 * rwlock.pml: readers that write to slots or to the word, and writers, of
 * rwlock.c. Two readers with sections (one of which unlocks on another CPU than
 * it locked on), one without, and two writers. No writer is ever in together
 * with anybody, all of them end, and then the lock is as it was.
 *
 * The word is its fields, which change in one step. A section is three: it
 * looks at SHUT, loads its slot, stores; the fence restarts those that are not
 * through, and so does another that begins on that CPU. Futexes are left out but for the rule that they keep: who waits
 * goes on when what it waits for holds.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_FENCE      a writer does not fence
 *   SUM_FIRST     a writer sums the slots, then fences
 *   NO_FOLD       a writer does not look at the slots
 *   KEEP_FOLD     a writer that leaves leaves the sum in the word
 *   NOT_LET_IN    readers that wait are not counted when they are let in
 *   UNGUARDED     an unlock goes to the slot in spite of SHUT
 *   NO_PHASE      readers that wait look at WRITER in place of PHASE
 * REFUSED: two readers, a writer, and two whose fence is refused. There also:
 *   UNHEARD       readers that wait do not go on when one was refused
 *   FLIPS         and that one leaves as any other does
 */
#ifdef REFUSED
#define READERS 2
#define WRITERS 3
#else
#define READERS 3
#define WRITERS 2
#endif

/* The word. */
bool shut, writer, phase;
byte waiting;
short count;

short slot[2];
bool mutex;

byte reading, writing, ended;

/* Of the readers with sections. */
bool inside[2], restart[2];
byte cpu[2];

/* Add v to slot s unless SHUT is set; done says whether. */
inline section(s, v, guarded)
{
	do
	:: atomic {
			inside[me] = true; restart[me] = false; cpu[me] = s;
			restart[1 - me] = restart[1 - me] || (inside[1 - me] &&
				cpu[1 - me] == s)
		};
		open = !(shut && guarded);
		if
		:: !open -> inside[me] = false; done = false; break
		:: else
		fi;
		tmp = slot[s];
		if
		:: atomic { restart[me] -> tmp = 0 }
		:: atomic {
			!restart[me] -> slot[s] = tmp + v; tmp = 0;
			done = true; inside[me] = false; break
		}
		fi
	od
}

#ifdef NO_PHASE
#define LET_IN (!writer)
#else
#define LET_IN (phase != was)
#endif

inline lock()
{
	do
	:: atomic { !writer -> count++; break }
	:: atomic { writer -> waiting++; was = phase };
		if
		:: LET_IN
#if !defined(UNHEARD) && !defined(FLIPS)
		:: atomic {
			!writer && phase == was -> waiting--; count++
		}
#endif
		fi;
		break
	od
}

#ifdef UNGUARDED
#define GUARDED false
#else
#define GUARDED true
#endif

proctype reader(byte me; byte from; byte to; bool sections)
{
	bool done, was, open;
	short tmp;

	if
	:: sections ->
		section(from, 1, true)
	:: else
	fi;
	if
	:: done
	:: else -> lock()
	fi;
	atomic { reading++; assert(writing == 0); done = false };
	reading--;
	if
	:: sections ->
		section(to, -1, GUARDED)
	:: else
	fi;
	if
	:: done
	:: else -> count--
	fi;
	ended++
}

inline fence()
{
	d_step {
		restart[0] = inside[0];
		restart[1] = inside[1]
	}
}

proctype write()
{
	short folded;

	atomic { !mutex -> mutex = true };
	atomic { shut = true; writer = true };
#if !defined(NO_FENCE) && !defined(SUM_FIRST)
	fence();
#endif
#ifndef NO_FOLD
	folded = slot[0];
	folded = folded + slot[1];
#endif
#ifdef SUM_FIRST
	fence();
#endif
	count = count + folded;
	atomic { count == 0 -> writing++; assert(writing == 1 && reading == 0) };
	writing--;
#ifdef KEEP_FOLD
	folded = 0;
#endif
	atomic {
#ifdef NOT_LET_IN
		count = count - folded;
#else
		count = count - folded + waiting;
#endif
		waiting = 0; writer = false; shut = false; phase = !phase
	};
	mutex = false;
	ended++
}

/* A writer whose fence is refused. */
proctype refused()
{
	atomic { !mutex -> mutex = true };
	atomic { shut = true; writer = true };
	atomic {
#ifdef FLIPS
		count = count + waiting; waiting = 0; phase = !phase;
#endif
		writer = false; shut = false
	};
	mutex = false;
	ended++
}

init {
	atomic {
		run reader(0, 0, 1, true);
#ifndef REFUSED
		run reader(1, 1, 1, true);
#endif
		run reader(2, 0, 0, false);
#ifdef REFUSED
		run refused();
		run refused();
#else
		run write();
#endif
		run write()
	};
	/* Nobody waits for ever: a state without a next step is this one. */
	if
	:: ended == READERS + WRITERS
	:: timeout -> assert(ended == READERS + WRITERS)
	fi;
	assert(count + slot[0] + slot[1] == 0);
	assert(!writer && !shut && waiting == 0 && !mutex)
}
