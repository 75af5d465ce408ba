/* SPDX-License-Identifier: MIT */
/*
 * counter_limit.pml: two threads add 1 up to a limit, one of them twice, one
 * exchanges the counter for 0 or for the limit, twice, one takes 1 away by a
 * plain add, and the counter gets its per-CPU part at any moment at which
 * nobody holds it. After each step the sum is at most the limit, so each answer
 * of exchange is, and what all have added is in answers and the sum.
 * src/counter_read.c and counter_hold.c have the argument.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_HOLD      a limited add to a counter without a part holds nothing
 *   ALONE        it adds whatever came between
 *   OTHER_WORD   it goes by another word than exchange
 *   BLIND        exchange replaces what it has not summed
 */
#define LIMIT 1
#define TIMES 2

short early, bias, direct, slot;
bool part;
byte holds, ended;
short answers, added;

#define SUM (early + bias + direct + slot)
#define SOUND assert(SUM <= LIMIT)

#ifdef OTHER_WORD
#define WORD direct
#else
#define WORD bias
#endif

#ifdef NO_HOLD
#define HOLD skip
#define LET_GO skip
#else
#define HOLD holds++
#define LET_GO atomic { holds--; e = 0 }
#endif

proctype limited(byte n)
{
	short e, r;

next:	if
	:: n == TIMES -> goto done
	:: else -> n++
	fi;
	atomic {
		if
		:: part -> goto again
		:: else -> HOLD
		fi
	}
	e = early;
early_again:
	if
	:: e + 1 > LIMIT -> LET_GO; goto next
	:: else
	fi;
	atomic {
		if
		:: early == e ->
			early = early + 1; added = added + 1; SOUND
		:: else -> e = early; goto early_again
		fi
	}
	LET_GO;
	goto next;
again:	e = WORD;
in_part:
	r = e + early;
#ifdef OTHER_WORD
	r = r + bias;
#else
	r = r + direct;
#endif
	r = r + slot;
	if
	:: r + 1 > LIMIT -> r = 0; e = 0; goto next
	:: else -> r = 0
	fi;
	atomic {
		if
#ifdef ALONE
		:: true ->
#else
		:: WORD == e ->
#endif
			WORD = WORD + 1; added = added + 1; e = 0; SOUND
#ifndef ALONE
		:: else -> e = WORD; goto in_part
#endif
		fi
	}
	goto next;
done:	ended++
}

proctype exchange()
{
	byte n;
	short b, s, v;

next:	if
	:: n == TIMES -> goto done
	:: else -> n++
	fi;
	if
	:: v = 0
	:: v = LIMIT
	fi;
	atomic {
		if
		:: part -> goto again
		:: else -> holds++
		fi
	}
	atomic {
		answers = answers + early - v; early = v; v = 0;
		SOUND
	}
	holds--;
	goto next;
again:	b = bias;
in_part:
	s = early;
	s = s + direct;
	s = s + slot;
	atomic {
		if
#ifdef BLIND
		:: true ->
#else
		:: bias == b ->
#endif
			assert(s + b <= LIMIT);
			answers = answers + s + b - v; bias = v - s;
			s = 0; b = 0; v = 0;
			SOUND
#ifndef BLIND
		:: else -> b = bias; s = 0; goto in_part
#endif
		fi
	}
	goto next;
done:	ended++
}

/* A plain add may find no part, and be late. */
proctype plain()
{
	if
	:: part -> atomic { slot = slot - 1; added = added - 1 }
	:: !part -> atomic { early = early - 1; added = added - 1 }
	fi;
	ended++
}

proctype attach()
{
	atomic {
		if
		:: holds == 0 -> part = true
		:: true
		fi
	}
	ended++
}

init {
	atomic {
		run limited(0); run limited(1); run exchange(); run plain();
		run attach()
	}
	ended == 5;
	assert(holds == 0);
	assert(answers + SUM == added)
}
