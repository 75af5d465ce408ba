/* SPDX-License-Identifier: MIT */
/*
 * ref.pml: a reference count of ref.c and ref_mode.c, whose owner kills it,
 * switches it, and uses it again, under three threads that take and put
 * references: two that run sections, on one CPU or on two, and one that has
 * none. A section may be aborted at each of its steps: it only reads until its
 * commit, so whenever an abort comes, it has the effect of one at the commit.
 * With ADAPTIVE defined it begins as an atomic word, any taker may promote it,
 * and the library looks at it twice, which may demote it.
 *
 * Release comes once for each life, and not while anybody has a reference; no
 * tryget_live() takes one when kill has confirmed. DESIGN.md,
 * "References", has the argument. Steps are taken in the order of the program:
 * what orders them on the processor is argued there. A loop that ends with a
 * compare-and-swap which succeeds decides by the value that was there then, so
 * it is one step here.
 *
 * With FORK defined there is one user less, and a fork at any moment: nobody
 * else takes a step in the child, whose one thread ends what was begun, and
 * kills. References that threads had remain.
 *
 * With RETIRED defined there is one user less, and the library once gives pages
 * of slots back (ref_retire.c): they are made zero one after the other.
 *
 * Scenes: KILL, SWITCH, REINIT, or ADAPTIVE; beside that STICK, where the owner
 * switches it, and a look may be refused its fence. Broken on purpose:
 *   WORD_BEFORE    a section loads the word before it is armed
 *   NO_FENCE       slots are added without a fence
 *   BIAS_FIRST     the bias is taken away before the slots are added
 *   CONFIRM_FIRST  kill confirms before its fence
 *   ON_SLOT        the thread without sections adds to a slot, by an atomic
 *   CLEAN_LATE     slots are made zero after sections may count again
 *   NOT_CLEAN      slots are not made zero at all
 *   LOST_MARK      a promoter stores the word that it began with
 *   ASKED_FOLDS    a look demotes at once, without a fence, who was ASKED
 *   TWICE_FOLDED   a kill adds the slots though the library has
 *   PUT_PROMOTES   who puts promotes, without a reference
 *   LEFT_ALONE     a child ends nothing that was begun
 *   DROP_FIRST     the handle goes before its slots are added
 *   STICK_ONCE     who switches takes any end of a demotion for its own
 *   NOT_FENCED     who retires does not fence
 *   NOT_LOCKED     a kill folds in the middle of that
 *   OPENS_KILLED   what was killed in the middle counts per CPU again
 *   NOT_SAID       the word does not say that slots are added
 *   ENTERS_IDLE    who makes it count again does not look who retires
 *   FORGETS_FIRST  the handle is nobody's before its slots are added
 *   NOT_ZERO       slots that are added stay as they are
 *   HALF_ENDED     a child takes one mark of two away
 */
#define ATOMIC 1
#define DEAD 2
#define FOLDING 4
#define PROMOTING 8
#define ASKED 16
#define STICKY 32
#define DEMOTER 64
#define KILLING 128
#define HANDLE 256
#define MARKS 511
#define ONE 512
#define BIAS (16 * ONE)

/* What may be used again keeps its handle when it is killed. */
#if defined(KILL)
#define KEEP false
#else
#define KEEP true
#endif

#ifdef ONE_CPU
#define CPU(me) 0
#else
#define CPU(me) (me)
#endif

#define PERCPU(w) (!((w) & ATOMIC) || ((w) & ASKED))
#define BIASED(w) (PERCPU(w) || ((w) & (FOLDING | PROMOTING)))
#define AT_ZERO(w) (!BIASED(w) && (w) < ONE)

int word;
short slot[2];
bool inside[2], aborted[2]; /* threads in a section, by number */
byte holders;		    /* references that threads have */
byte life, released;	    /* how often it began, and ended */
bool confirmed;		    /* in this life */
byte ended;

/* That of ref_adapt.c. */
#ifdef RETIRED
bool owned = true; /* the handle says whose it is */
#endif
#if defined(RETIRED) || defined(ADAPTIVE)
bool locked;
#define LOCK atomic { !locked -> locked = true }
#define UNLOCK locked = false
#else
#define LOCK skip
#define UNLOCK skip
#endif

#ifdef FORK
bool forked;
#define ALIVE provided(!forked)
#else
#define ALIVE
#endif

inline fence()
{
#ifndef NO_FENCE
	d_step {
		aborted[0] = inside[0];
		aborted[1] = inside[1]
	}
#else
	skip
#endif
}

/* Whoever brought the word to zero calls release in the same step. */
inline release_at_zero()
{
	assert(word >= 0);
	if
	:: AT_ZERO(word) ->
		assert(holders == 0);
		released++;
		assert(released == life)
	:: else
	fi
}

/* A section of thread me that adds v: done says whether it did. */
inline section(v)
{
	done = false;
#ifdef WORD_BEFORE
	w = word;
#endif
	atomic {
#ifndef WORD_BEFORE
		w = word;
#endif
		if
		:: w & ATOMIC -> skip
		:: else ->
			inside[me] = true; aborted[me] = false;
#ifdef ONE_CPU
			aborted[1 - me] = inside[1 - me];
#endif
		fi;
		w = 0
	};
	if
	:: inside[me] ->
#if defined(ONE_CPU) || defined(ON_SLOT)
		tmp = slot[CPU(me)];
#else
#define tmp slot[CPU(me)]
#endif
		d_step {
			done = !aborted[me];
			inside[me] = false; aborted[me] = false
			if
			:: done ->
				slot[CPU(me)] = tmp + v;
				holders = holders + v;
				assert(!(live && confirmed))
			:: else
			fi;
		};
#undef tmp
	:: else
	fi
}

/* What an add of n to the count makes of the word. */
inline change(n)
{
	if
	:: word & ASKED -> word = word & ~(ATOMIC | ASKED)
	:: else
	fi;
	word = word + (n) * ONE
}

inline take(live)
{
	d_step {
		done = !((live && (word & DEAD)) || AT_ZERO(word));
		if
		:: done ->
			change(1); holders++;
			assert(!(live && confirmed))
		:: else
		fi
	}
}

inline put()
{
	d_step {
		assert(BIASED(word) || word >= ONE);
		done = BIASED(word);
		change(-1);
		holders--;
		if
		:: !done -> release_at_zero()
		:: else
		fi;
		done = false
	}
}

inline clean()
{
#ifndef NOT_CLEAN
	d_step { slot[0] = 0; slot[1] = 0 }
#else
	skip
#endif
}

inline promote()
{
	d_step {
		w = word;
		done = !BIASED(word) && !(word & (DEAD | STICKY));
		if
		:: done -> word = (word | PROMOTING) + BIAS
		:: else
		fi
	};
	if
	:: done ->
#ifndef CLEAN_LATE
		clean();
#endif
#ifdef RETIRED
		owned = true;
#endif
		d_step {
#ifdef LOST_MARK
			word = ((w + BIAS) & ~ATOMIC) | HANDLE;
#else
			if
			:: word & (DEAD | STICKY) ->
				word = (word & ~PROMOTING) - BIAS
			:: else -> word = (word & ~(PROMOTING | ATOMIC)) | HANDLE
			fi;
#endif
			w = 0; done = false
		}
#ifdef CLEAN_LATE
		clean()
#endif
	:: else -> w = 0
	fi
}

/* The same by its owner. */
inline enter()
{
#ifdef ENTERS_IDLE
	promote()
#else
	if
	:: BIASED(word)
	:: else -> LOCK; promote(); UNLOCK
	fi
#endif
}

/* Thread me, with sections if it is 0 or 1. */
proctype user(byte me) ALIVE
{
	int w;
	short tmp;
	bool done, live;

	if
	:: live = true
	:: live = false
	fi;
	if
	:: me < 2 -> section(1)
#ifdef ON_SLOT
	:: me == 2 ->
		d_step {
			done = !(word & ATOMIC);
			slot[0] = slot[0] + done; holders = holders + done
		}
#else
	:: else
#endif
	fi;
	if
	:: done
	:: else -> take(live)
	fi;
	if
	:: done ->
		d_step {
			assert(released < life);
			live = false; done = false
		}
#if defined(ADAPTIVE) && !defined(PUT_PROMOTES)
		if
		:: promote()
		:: true
		fi;
#endif
		if
		:: me < 2 -> section(-1)
		:: else
		fi;
		if
		:: done -> done = false
		:: else -> put()
		fi;
#ifdef PUT_PROMOTES
		promote()
#endif
	:: else -> live = false
	fi;
	ended++
}

/* The slots are in the word in the step that takes the handle away. */
inline drop()
{
#ifdef DROP_FIRST
	word = word & ~HANDLE;
	d_step { word = word + tmp * ONE; tmp = 0 }
#else
	d_step { word = (word & ~HANDLE) + tmp * ONE; tmp = 0 }
#endif
}

/* With that lock, which nobody has in a child. */
inline fold_alone(marks, n, keep)
{
#ifdef NOT_LOCKED
	fold(marks, n, keep)
#else
	LOCK;
	fold(marks, n, keep);
	UNLOCK
#endif
}

/* Add the slots, take away the bias, marks and n references; or keep them. */
inline fold(marks, n, keep)
{
	if
	:: word & HANDLE ->
		tmp = slot[0];
		tmp = tmp + slot[1];
		if
		:: !(keep) -> drop()
		:: else
		fi
	:: else
	fi;
#ifdef FORGETS_FIRST
	owned = false;
#endif
#ifdef BIAS_FIRST
	d_step { word = word - BIAS; assert(word >= ONE) };
	d_step {
		word = (word + (tmp - n) * ONE) & ~(FOLDING | marks);
#else
	d_step {
		word = word + (tmp - n) * ONE - BIAS;
		word = word & ~(FOLDING | marks);
#endif
		tmp = 0;
		release_at_zero()
	}
#ifdef RETIRED
	;
	owned = false
#endif
}

inline drop_first()
{
	d_step {
		assert(BIASED(word) || word >= ONE);
		word = (word & ~KILLING) - ONE;
		release_at_zero()
	}
}

inline kill()
{
	d_step {
		if
		:: PERCPU(word) ->
			word = (word & ~ASKED) | ATOMIC | FOLDING
		:: else
		fi;
		word = word | DEAD | KILLING
#ifdef CONFIRM_FIRST
		; confirmed = true
#endif
	};
	if
	:: word & FOLDING -> fence()
	:: else
	fi;
	confirmed = true;
	if
	:: word & FOLDING ->
#ifndef NOT_LOCKED
		LOCK;
#endif
		if
#ifdef TWICE_FOLDED
		:: true -> fold(KILLING | DEMOTER, 1, KEEP)
#else
		:: word & FOLDING -> fold(KILLING | DEMOTER, 1, KEEP)
		:: else -> drop_first()
#endif
		fi
#ifndef NOT_LOCKED
		; UNLOCK
#endif
	:: else -> drop_first()
	fi
}

/* Wait for release, and begin anew. */
inline reinit()
{
	atomic {
		released == life;
		life++; confirmed = false;
		assert(word == (word & MARKS));
		word = (word & ~DEAD) + ONE
	};
	enter()
}

/* Once more, where the library was refused the fence and goes on per CPU. */
inline to_atomic()
{
	do
	:: d_step {
		done = PERCPU(word);
		if
		:: done -> word = (word & ~ASKED) | ATOMIC | FOLDING
		:: else
		fi;
		word = word | STICKY
	   };
	   if
	   :: done -> fence(); fold_alone(0, 0, true)
	   :: else -> !(word & FOLDING)
	   fi;
	   done = false;
#ifdef STICK_ONCE
	   break
#else
	   if
	   :: PERCPU(word)
	   :: else -> break
	   fi
#endif
	od;
	assert(!PERCPU(word))
}

proctype owner() ALIVE
{
	int w;
	short tmp;
	bool done;

#ifdef STICK
	to_atomic();
#endif
#ifdef SWITCH
	to_atomic();
	word = word & ~STICKY;
	enter();
#endif
	kill();
#ifdef REINIT
	reinit();
	kill();
#endif
	ended++
}

/* Whether the library looks at the reference, and what it sees. */
inline look()
{
	d_step {
		if
		:: PERCPU(word) && !(word & DEAD) ->
#ifdef ASKED_FOLDS
			word = (word & ~ASKED) | ATOMIC | FOLDING | DEMOTER
#else
			if
			:: word & ASKED ->
				word = (word & ~ASKED) | FOLDING | DEMOTER
			:: else -> word = word | ATOMIC | ASKED
			fi
#endif
		:: else
		fi
	};
	if
	:: word & DEMOTER ->
#ifndef ASKED_FOLDS
		fence();
#endif
		if
		:: fold(DEMOTER, 0, false)
#ifdef STICK
		:: d_step {
			if
			:: (word & DEAD) -> skip
			:: else -> word = word & ~(DEMOTER | FOLDING | ATOMIC)
			fi
		   };
		   if
		   :: word & DEMOTER -> fold(DEMOTER, 0, false)
		   :: else
		   fi
#endif
		fi
	:: else
	fi
}

proctype library() ALIVE
{
	short tmp;

	LOCK; look(); UNLOCK;
	LOCK; look(); UNLOCK;
	ended++
}

#ifdef RETIRED
inline open_again()
{
	word = word & ~PROMOTING;
#ifdef OPENS_KILLED
	word = word & ~(FOLDING | ATOMIC)
#else
	if
	:: !(word & DEAD) -> word = word & ~(FOLDING | ATOMIC)
	:: else
	fi
#endif
}

/* From the mark on, if there is one. */
inline retire()
{
#ifndef NOT_FENCED
	fence();
#endif
	tmp = slot[0];
	tmp = tmp + slot[1];
	d_step {
		done = !(word & DEAD);
		if
		:: done ->
			word = word + tmp * ONE;
#ifndef NOT_SAID
			word = word | PROMOTING
#endif
		:: else
		fi;
		tmp = 0
	};
	if
#ifndef NOT_ZERO
	:: done -> slot[0] = 0; slot[1] = 0
#endif
	:: else
	fi;
	d_step { open_again(); done = false }
}

proctype retirer() ALIVE
{
	short tmp;
	bool done;

	LOCK;
	d_step {
		done = owned && PERCPU(word) && !(word & DEAD);
		if
		:: done -> word = (word & ~ASKED) | ATOMIC | FOLDING
		:: else
		fi
	};
	if
	:: done -> retire()
	:: !done && !owned && (word & HANDLE) -> slot[0] = 0; slot[1] = 0
	:: else
	fi;
	UNLOCK;
	ended++
}
#endif

#ifdef FORK
/* What the child's one thread does first, and that nothing is left then. */
proctype child()
{
	short tmp;

	atomic {
		forked = true;
#if defined(RETIRED) || defined(ADAPTIVE)
		locked = false;
#endif
#ifdef RETIRED
		if
		:: !owned && (word & HANDLE) -> slot[0] = 0; slot[1] = 0
		:: true
		fi;
#endif
#ifndef LEFT_ALONE
		if
#ifdef HALF_ENDED
		:: word & PROMOTING -> word = (word & ~PROMOTING) - BIAS
#else
		:: word & PROMOTING ->
			word = (word & ~(PROMOTING | FOLDING)) - BIAS
#endif
		:: word & DEMOTER -> fold(DEMOTER, 0, false)
		:: (word & FOLDING) && !(word & (DEAD | DEMOTER | PROMOTING)) ->
			fold(0, 0, true)
		:: else
		fi;
#endif
		if
		:: (word & KILLING) || !(word & DEAD) -> kill()
		:: else
		fi;
		assert(!BIASED(word) && word >> 9 == holders);
		assert(released == life - (holders > 0))
	}
}
#endif

init
{
	atomic {
		life = 1;
#ifdef ADAPTIVE
		word = ONE | ATOMIC;
		run library();
#else
		word = ONE + BIAS + HANDLE;
		ended++;
#endif
		run user(0);
#ifdef FORK
		ended++;
#else
		run user(1);
#endif
#ifdef RETIRED
		run retirer();
#else
		run user(2);
#endif
#ifdef FORK
		run child();
#endif
		run owner()
	};
	ended == 5;
	assert(released == life);
	assert(holders == 0 && word == (word & MARKS) && !BIASED(word))
}
