/* SPDX-License-Identifier: MIT */
/*
 * multi.pml: several adds in one section, their abort path, and the shared
 * slot. A thread adds to two fields by one section, on two CPUs, where the
 * kernel preempts, moves and aborts it between any two instructions. Beside it
 * a second does the same or, with ATOMIC defined, one that has no sections adds
 * by atomics to the shared slot. At the end each field's sum is 2. DESIGN.md,
 * "Several adds at once", has the argument.
 *
 * An add to memory is one instruction: the kernel does not come in between its
 * load and its store, but another CPU does.
 *
 * Broken on purpose, each of which must be found wrong:
 *   ADD_FIRST     the add comes before its count
 *   NO_MARK       an add may leave the flags that the count leaves
 *   MARK_LATER    the count and the mark are two instructions
 *   AGAIN         the abort path begins anew
 *   OUTSIDE       the last add lies beyond the end of the section
 *   OLD_SLOT      the rest goes to the slot that the section found
 *   ON_UNIT       the thread without sections adds to its CPU's unit
 *   PLAIN_SHARED  adds to the shared slot are plain
 */
#define THREADS 2
#define FIELDS 2
#define SHARED 2
#define NONE 9

byte slot[6]; /* 2 * CPU + field */
byte at[THREADS];
byte running[2] = NONE;
bool inside[THREADS], aborted[THREADS], busy[THREADS];
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

/* A plain add of 1 to slot s: load, then store. */
#define PLAIN(s)                                                      \
	DO(tmp = slot[s]; busy[me] = true);                           \
	atomic { slot[s] = tmp + 1; tmp = 0; busy[me] = false }

/* The add leaves any flags but the mark. */
#define ADD(s)                                                        \
	DO(tmp = slot[s]; busy[me] = true);                           \
	atomic {                                                      \
		slot[s] = tmp + 1; tmp = 0; mark = LEFT;              \
		busy[me] = false                                      \
	}
#ifdef NO_MARK
#define LEFT true
#else
#define LEFT false
#endif

#if defined(ADD_FIRST)
#define PAIR(f) ADD(2 * cpu + f); DO(stage = f + 1; mark = true)
#elif defined(MARK_LATER)
#define PAIR(f) DO(stage = f + 1); DO(mark = true); ADD(2 * cpu + f)
#else
#define PAIR(f) DO(stage = f + 1; mark = true); ADD(2 * cpu + f)
#endif

#if defined(PLAIN_SHARED)
#define TO_SHARED(f) PLAIN(2 * SHARED + f)
#else
#define TO_SHARED(f) DO(slot[2 * SHARED + f]++)
#endif

proctype adder(byte me)
{
	byte cpu, stage, tmp, f, tries;
	bool mark;

	DO(inside[me] = true);
	DO(cpu = at[me]);
	PAIR(0);
#ifdef OUTSIDE
	DO(stage = 2; mark = true; inside[me] = false);
	ADD(2 * cpu + 1);
	goto done;
#else
	DO(stage = 2; mark = true);
	/* The last add ends the section in the same instruction. */
	DO(tmp = slot[2 * cpu + 1]; busy[me] = true);
	atomic {
		slot[2 * cpu + 1] = tmp + 1; tmp = 0;
		busy[me] = false; inside[me] = false;
		goto done
	}
#endif
out:	if
	:: tries == 0 -> /* of the section of both */
		f = (stage == 0 -> 0 : (mark -> stage - 1 : stage));
#ifdef AGAIN
		f = 0;
#endif
	:: else
	fi;
	tries++;
	do
	:: f == FIELDS -> break
	:: f < FIELDS && tries > 2 -> /* enough: the shared slot */
		TO_SHARED(f);
		f++
	:: f < FIELDS && tries <= 2 ->
		DO(inside[me] = true);
#ifndef OLD_SLOT
		DO(cpu = at[me]);
#endif
		DO(tmp = slot[2 * cpu + f]; busy[me] = true);
		atomic {
			slot[2 * cpu + f] = tmp + 1; tmp = 0;
			busy[me] = false; inside[me] = false;
			f++
		}
	od;
done:	atomic { ended++; cpu = 0; stage = 0; mark = false; f = 0 }
}

/* A thread without sections. */
proctype other(byte me)
{
	byte tmp;

#ifdef ON_UNIT
	DO(tmp = at[me]);
	DO(slot[2 * tmp]++);
	DO(slot[2 * tmp + 1]++);
#else
	TO_SHARED(0);
	TO_SHARED(1);
#endif
out:	ended++
}

proctype kernel()
{
	byte c, t;

end:	do
	:: atomic {
		ended < THREADS;
		select (c : 0 .. 1);
		running[c] != NONE && !busy[running[c]] ->
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
		run kernel(); run adder(0);
#ifdef ATOMIC
		run other(1)
#else
		run adder(1)
#endif
	}
	ended == THREADS;
	assert(slot[0] + slot[2] + slot[4] == 2);
	assert(slot[1] + slot[3] + slot[5] == 2)
}
