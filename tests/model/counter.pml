/* SPDX-License-Identifier: MIT */
/*
 * counter.pml: adds to a counter and the carry of a slot. A thread adds 1, another
 * twice -1 or 1, on two CPUs, where the kernel preempts, moves and aborts them
 * between any two instructions. The batch is 2, so a slot reaches 1 from
 * what it has told; that of CPU 0 is there already. After each step each slot
 * is at most two reaches from what it has told; at the end the sum is right, no
 * carry is left, and each slot is within reach. DESIGN.md, section 12, has the
 * argument.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_BUSY      a claimed slot is claimed again
 *   CLAIM_LATE   the claim lies beyond the end of its section
 *   EXTRA_FIRST  extra is counted before the word for all is told
 *   FREE_FIRST   the claim is given up before extra is counted
 *   THIS_SLOT    extra is counted in the slot of the CPU at hand
 *   UNCHECKED    while another carries, the slot takes what is beyond
 *   FORGOTTEN    what did not fit is told, and not counted
 *   STALE        what is told changes when the claim is given up, not before
 */
#define THREADS 2
#define REACH 1
#define NONE 9

short total[2], carried[2], extra[2], told[2]; /* told: for the checks */
bool busy[2];
short direct, all, added;
byte at[THREADS];
byte running[2] = NONE;
bool inside[THREADS], aborted[THREADS];
byte ended;

/* One instruction of thread me, which runs. */
#define DO(x)                                                         \
	atomic {                                                      \
		at[me] < 2 && running[at[me]] == me;                  \
		if                                                    \
		:: aborted[me] ->                                     \
			aborted[me] = false; inside[me] = false;      \
			goto out                                      \
		:: else -> x                                          \
		fi                                                    \
	}

#define OFF(i) (total[i] + extra[i] - told[i])
#define SOUND                                                         \
	assert(OFF(0) <= 2 * REACH && OFF(0) >= -2 * REACH &&         \
	       OFF(1) <= 2 * REACH && OFF(1) >= -2 * REACH)
#define WITHIN(d) ((d) <= REACH && (d) >= -REACH)

#ifdef THIS_SLOT
#define CLAIMED at[me]
#else
#define CLAIMED cpu
#endif

#ifdef FORGOTTEN
#define COUNT skip
#else
#define COUNT                                                         \
	DO(c = extra[CLAIMED]);                                       \
	DO(extra[CLAIMED] = c + v; c = 0; SOUND)
#endif
#define TELL DO(all = all + d + v; told[cpu] = told[cpu] + d + v; SOUND)

/* The commit of a claim; busy and carried are one word. */
#ifdef STALE
#define CLAIM d = total[cpu] - carried[cpu]; busy[cpu] = true
#define FREE DO(carried[cpu] = carried[cpu] + d; busy[cpu] = false)
#else
#define CLAIM                                                         \
	d = sum - carried[cpu]; carried[cpu] = sum;                   \
	sum = 0; busy[cpu] = true
#define FREE DO(busy[cpu] = false)
#endif

proctype adder(byte me)
{
	byte cpu, n, tries;
	short sum, c, d, v;
	bool claiming;

next:	atomic {
		if
		:: n > me -> goto done
		:: else -> n++
		fi;
		if
		:: v = 1
		:: me == 1 -> v = -1
		fi;
		added = added + v;
		sum = 0; c = 0; d = 0; cpu = 0; tries = 0; claiming = false
	}
again:	DO(inside[me] = true; cpu = at[me]);
	if
	:: claiming -> goto claim
	:: else
	fi;
	DO(sum = total[cpu] + v);
	DO(d = sum - carried[cpu]);
	if
	:: WITHIN(d) ->
		DO(total[cpu] = sum; inside[me] = false; SOUND; goto next)
	:: else ->
		DO(inside[me] = false; claiming = true; tries = 0;
		   sum = 0; d = 0; cpu = 0; goto again)
	fi;
claim:
#ifndef NO_BUSY
	DO(if
	   :: busy[cpu] -> inside[me] = false; goto elsewhere
	   :: else
	   fi);
#endif
	DO(sum = total[cpu]);
#ifdef CLAIM_LATE
	DO(inside[me] = false);
	DO(CLAIM);
#else
	DO(CLAIM; inside[me] = false);
#endif
#ifdef EXTRA_FIRST
	COUNT; TELL; FREE;
#else
	TELL;
#ifdef FREE_FIRST
	FREE; COUNT;
#else
	COUNT; FREE;
#endif
#endif
	goto next;
out:	atomic {
		sum = 0; d = 0; cpu = 0;
		if
		:: tries == me -> tries++; goto again
		:: else
		fi
	}
elsewhere:
#ifdef UNCHECKED
	DO(total[cpu] = total[cpu] + v; SOUND);
#else
	DO(direct = direct + v; goto next);
#endif
	goto next;
done:	atomic { ended++; cpu = 0; sum = 0; c = 0; d = 0; v = 0 }
}

proctype kernel()
{
	byte c, t;

end:	do
	:: atomic {
		ended < THREADS;
		select (c : 0 .. 1);
		running[c] != NONE ->
		aborted[running[c]] = inside[running[c]];
		running[c] = NONE; c = 0
	   }
	:: atomic {
		ended < THREADS;
		select (c : 0 .. 1); select (t : 0 .. 1);
		running[c] == NONE &&
		running[0] != t && running[1] != t ->
		at[t] = c; running[c] = t; c = 0; t = 0
	   }
	od
}

init {
	atomic {
		total[0] = REACH; added = REACH;
		run kernel(); run adder(0); run adder(1)
	}
	ended == THREADS;
	assert(direct + total[0] + total[1] + extra[0] + extra[1] == added);
	assert(!busy[0] && !busy[1]);
	assert(WITHIN(total[0] - carried[0]) && WITHIN(total[1] - carried[1]));
	assert(all == carried[0] + extra[0] + carried[1] + extra[1])
}
