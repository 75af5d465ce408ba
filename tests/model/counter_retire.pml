/* SPDX-License-Identifier: MIT */
/*
 * counter_retire.pml: the slot of CPU g moves to that of CPU o, and its page is
 * dropped, while a thread on g, which is back, adds 1 or -1, where a
 * fence aborts it between any two instructions; another carries on o once; a
 * third sums. When the adds are over somebody destroys the counter and
 * the slot's memory becomes another object's. No sum is beyond what adds that
 * were under way explain; at the end the sum is right, all but a reach a slot is
 * told, and the other object is whole. src/counter_retire.c and retire.c have
 * the argument. The reach is 1. Two scenes: two adds; or, SUM, one and a sum.
 *
 * Broken on purpose, each of which must be found wrong:
 *   NO_FENCE     the slot moves without a fence after the mark
 *   NO_LOOK      whatever became of the mark
 *   NEAR         an add finds the mark near
 *   NO_FENCE2    the page is dropped without a fence after the move
 *   NO_COUNT     a sum does not ask whether a slot moves
 *   NO_RECORD    it asks, and takes the slots as they are
 *   UNCLAIMED    extra of o is written without a claim
 *   MARK_FIRST   of a slot on two pages, that of the mark is dropped first
 *   NO_HOLD      the counter may be destroyed in the middle
 */
#define REACH 1
#ifdef SUM
#define ADDS 1
#define SUMS 1
#else
#define ADDS 2
#define SUMS 0
#endif
#define WITHIN(d) ((d) <= REACH && (d) >= -REACH)

mtype = { EVEN, CLAIMED, MARKED };

/* The slot of g. told and how are one word. */
short total, told, extra;
mtype how = EVEN;

/* What concerns us of that of o. */
short o_extra;
bool o_claimed;

short direct, carried;
bool odd;                 /* the count of moves, */
byte moves;               /* and how often it went on */
short r_sum, r_extra;     /* the record */
bool inside, aborted;     /* the section of the thread on g */
byte plus, minus;         /* adds that began */
byte plus_done, minus_done;
bool held, other;         /* the object; it is another one now */
byte users, ended;        /* that are through */

/* One instruction of a section on g. */
#define DO(x)                                                         \
	atomic {                                                      \
		if                                                    \
		:: aborted -> aborted = false; inside = false; goto again \
		:: else -> x                                          \
		fi                                                    \
	}
#define FENCE aborted = inside

#ifdef NEAR
#define TURNED_AWAY false
#else
#define TURNED_AWAY (how == MARKED)
#endif

proctype adder()
{
	byte n;
	short v, sum, was;
	bool claiming, miss;

next:	atomic {
		sum = 0; was = 0; miss = false; claiming = false;
		if
		:: n == ADDS -> goto done
		:: else -> n++
		fi;
		if
		:: v = 1; plus++
		:: v = -1; minus++
		fi
	}
again:	atomic { inside = true; sum = 0; was = 0 }
	if
	:: claiming -> goto claim
	:: else
	fi;
	DO(sum = total + v);
	DO(miss = TURNED_AWAY || !WITHIN(sum - told));
	if
	:: miss -> atomic {
		miss = false; claiming = true; inside = false; aborted = false;
		goto again
	   }
	:: else
	fi;
	DO(total = sum; inside = false);
	goto added;
claim:	DO(miss = how != EVEN; was = told);
	if
	:: miss -> atomic {
		inside = false; aborted = false;
		direct = direct + v; goto added
	   }
	:: else
	fi;
	DO(sum = total);
	DO(told = sum; how = CLAIMED; inside = false);
	carried = carried + (sum - was) + v;
	extra = extra + v;
	how = EVEN;
added:	atomic {
		if
		:: v == 1 -> plus_done++
		:: else -> minus_done++
		fi;
		goto next
	}
done:	users++
}

/* A carry on o of an add of 1. */
proctype carrier()
{
	short was;

	atomic {
		plus++;
		if
		:: !o_claimed -> o_claimed = true
		:: else ->
			direct = direct + 1; plus_done++; goto done
		fi
	}
	carried = carried + 1;
	was = o_extra;
	o_extra = was + 1;
	atomic { o_claimed = false; plus_done++; was = 0 }
done:	users++
}

proctype summer()
{
	byte n, seen, p, m;
	short sum, o;
	bool moving;

next:	if
	:: n == SUMS -> goto done
	:: else -> n++
	fi;
	atomic { p = plus_done; m = minus_done; sum = direct }
again:	atomic { seen = moves; moving = odd; o = 0 }
#ifdef NO_RECORD
	moving = false;
#endif
	if
	:: moving -> o = r_sum; o = o + r_extra
	:: else ->
		o = total; o = o + extra; o = o + o_extra
	fi;
#ifndef NO_COUNT
	if
	:: moves != seen -> goto again
	:: else
	fi;
#endif
	atomic {
		sum = sum + o;
		assert(other || (sum >= p - minus && sum <= plus - m));
		sum = 0; o = 0; seen = 0; p = 0; m = 0; moving = false;
		goto next
	}
done:	users++
}

proctype retirer()
{
	short was;

	atomic {
		if
		:: other -> goto done
		:: else -> skip
		fi;
#ifndef NO_HOLD
		held = true;
#endif
		if
		:: how == EVEN -> how = MARKED
		:: else -> goto let_go
		fi
	}
#ifndef NO_FENCE
	FENCE;
#endif
#ifndef NO_LOOK
	if
	:: how != MARKED -> goto let_go
	:: else
	fi;
#endif
#ifndef UNCLAIMED
	atomic {
		if
		:: o_claimed -> how = EVEN; goto let_go
		:: else -> o_claimed = true
		fi
	}
#endif
	r_sum = total;
	r_sum = r_sum + extra;
	r_extra = o_extra;
	carried = carried + (total - told);
	told = total;
	atomic { odd = true; moves++ }
	o_extra = r_extra + r_sum;
	extra = 0;
	total = 0;
	told = 0;
	atomic { odd = false; moves++; r_sum = 0; r_extra = 0 }
	o_claimed = false;
#ifndef NO_FENCE2
	FENCE;
#endif
	if
#ifdef MARK_FIRST
	:: atomic { told = 0; how = EVEN; extra = 0 };
		total = 0
#endif
	:: atomic { total = 0; told = 0; how = EVEN; extra = 0 }
	:: total = 0; atomic { told = 0; how = EVEN; extra = 0 }
	:: extra = 0; atomic { total = 0; told = 0; how = EVEN }
	:: how = EVEN /* the page stays */
	fi;
let_go:	held = false;
done:	ended++
}

/* When nobody uses the counter any more, or never. */
proctype destroyer()
{
	if
	:: users == 3 ->
		atomic { !held -> other = true }
		total = 7 /* whoever gets the memory, on g */
	:: skip
	fi;
	ended++
}

init {
	atomic {
		total = REACH; plus = 1; plus_done = 1;
		run adder(); run carrier(); run summer(); run retirer();
		run destroyer()
	}
	users == 3 && ended == 2;
	if
	:: other -> assert(total == 7)
	:: else ->
		assert(direct + total + extra + o_extra == plus - minus);
		assert(how == EVEN && !o_claimed && WITHIN(total - told));
		assert(carried + direct - (plus - minus) <= REACH &&
		       carried + direct - (plus - minus) >= -REACH)
	fi
}
