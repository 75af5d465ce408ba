/* SPDX-License-Identifier: MIT */
/*
 * compare.c: measure, judge, hand over.
 *
 * A ratio is believed only if what could fake it is seen not to: one variant,
 * measured twice under two names (the control), must come out like itself, and
 * the distance of the CPUs must be the same before and after. Controls that
 * were off by 13 % (heap blocks of two threads in one line) and by 2.4 times
 * (argument structs in one line) are why none is left out.
 */
#include "compare.h"

#include "pingpong.h"
#include "progress.h"
#include "stats.h"
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
	const struct comparison *c;
	struct samples samples;
	struct evidence evidence;
	enum verdict verdict;
	const struct variant *poorest; /* has fewest quiet slices */
};

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static unsigned find(const struct comparison *c, const char *name)
{
	for (unsigned v = 0; v < c->nr_variants; v++)
		if (strcmp(c->variants[v].name, name) == 0)
			return v;
	fprintf(stderr, "percpu bench: %s has no variant %s\n", c->key, name);
	abort();
}

static struct spread ratio_spread(const struct outcome *o, const char *num,
				  const char *den)
{
	return stats_ratio(samples_of(&o->samples, find(o->c, num)),
			   samples_of(&o->samples, find(o->c, den)),
			   o->samples.rounds);
}

static json_t *spread_json(const struct spread *s)
{
	return json_pack("{s:o, s:o, s:o}", "median", number(s->median), "p10",
			 number(s->p10), "p90", number(s->p90));
}

static json_t *variant_json(const struct outcome *o, unsigned i)
{
	const struct variant *v = &o->c->variants[i];
	const struct samples *s = &o->samples;
	struct spread ns = stats_spread(samples_of(s, i), s->rounds);
	json_t *json = json_pack(
		"{s:s, s:s, s:o, s:{s:I, s:I, s:I}}", "name", v->name, "what",
		v->what, "ns", spread_json(&ns), "slices", "kept",
		(json_int_t)s->kept[i], "tried", (json_int_t)s->tried[i],
		"operations", (json_int_t)s->ops[i]);

	if (v->control_of != NULL)
		json_object_set_new(json, "control_of",
				    json_string(v->control_of));
	if (v->bytes != 0)
		json_object_set_new(json, "bytes",
				    json_pack("{s:i, s:i}", "object",
					      (int)v->bytes, "per_cpu",
					      (int)v->bytes_per_cpu));
	return json;
}

static json_t *variants_json(const struct outcome *o)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < o->c->nr_variants; i++)
		json_array_append_new(all, variant_json(o, i));
	return all;
}

static json_t *controls_json(const struct outcome *o)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < o->c->nr_variants; i++) {
		const struct variant *v = &o->c->variants[i];
		struct spread s;

		if (v->control_of == NULL)
			continue;
		s = ratio_spread(o, v->name, v->control_of);
		json_array_append_new(all, json_pack("{s:s, s:o}", "of",
						     v->control_of, "ratio",
						     spread_json(&s)));
	}
	return all;
}

static json_t *goal_json(const struct ratio *r)
{
	switch (r->goal) {
	case GOAL_AT_MOST: return json_pack("{s:f}", "at_most", r->bound);
	case GOAL_AT_LEAST: return json_pack("{s:f}", "at_least", r->bound);
	default: return json_null();
	}
}

static json_t *met_json(const struct ratio *r, const struct outcome *o,
			double value)
{
	if (r->goal == GOAL_NONE || o->verdict != VERDICT_MEASURED)
		return json_null();
	return json_boolean(r->goal == GOAL_AT_MOST ? value <= r->bound :
						      value >= r->bound);
}

static json_t *ratio_json(const struct outcome *o, const struct ratio *r)
{
	const struct comparison *c = o->c;
	struct spread s = ratio_spread(o, r->num, r->den);
	char *says = words_ratio(c->variants[find(c, r->num)].what,
				 c->variants[find(c, r->den)].what, &s,
				 o->evidence.control);
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s*}", "key", r->key,
		"of", r->num, "to", r->den, "ratio", number(s.median), "p10",
		number(s.p10), "p90", number(s.p90), "goal", goal_json(r),
		"met", met_json(r, o, s.median), "says",
		o->verdict == VERDICT_MEASURED ? says : NULL);

	free(says);
	return json;
}

static json_t *ratios_json(const struct outcome *o)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < o->c->nr_ratios; i++)
		json_array_append_new(all, ratio_json(o, &o->c->ratios[i]));
	return all;
}

static json_t *pingpong_json(const struct evidence *e)
{
	return json_pack("{s:o, s:o}", "before", number(e->before), "after",
			 number(e->after));
}

static const char *verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_TOO_FEW: return "too_few_slices";
	case VERDICT_CONTROL: return "control_off";
	case VERDICT_FLIPPED: return "cpus_moved";
	default: return "measured";
	}
}

static json_t *outcome_json(const struct outcome *o)
{
	const struct comparison *c = o->c;
	char *says = words_verdict(o->verdict, &o->evidence, o->poorest->what);
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:s*}",
		"key", c->key, "title", c->title, "unit", c->unit, "threads",
		(int)c->threads, "ping_pong_ns", pingpong_json(&o->evidence),
		"variants", variants_json(o), "controls", controls_json(o),
		"control_off", number(o->evidence.control), "ratios",
		ratios_json(o), "verdict", verdict_name(o->verdict), "says",
		says);

	free(says);
	return json;
}

/* How far the worst control is from 1; NAN without any. */
static double worst_control(const struct outcome *o)
{
	double worst = NAN;

	for (unsigned i = 0; i < o->c->nr_variants; i++) {
		const struct variant *v = &o->c->variants[i];

		if (v->control_of != NULL)
			worst = fmax(worst,
				     stats_off(ratio_spread(o, v->name,
							    v->control_of)
						       .median));
	}
	return worst;
}

static void judge(struct outcome *o)
{
	unsigned poorest = 0;

	for (unsigned i = 1; i < o->c->nr_variants; i++)
		if (o->samples.kept[i] < o->samples.kept[poorest])
			poorest = i;
	o->poorest = &o->c->variants[poorest];
	o->evidence.rounds = o->samples.kept[poorest];
	o->evidence.threads = o->c->threads;
	o->evidence.control = worst_control(o);
	o->verdict = stats_judge(&o->evidence);
}

typedef int run_fn(const struct plan *, struct samples *);

struct watcher {
	const struct bench *b;
	const char *title;
};

static void watch(void *arg, double done)
{
	const struct watcher *w = arg;

	progress_show(w->b, w->title, done);
}

static int measure(const struct bench *b, struct outcome *o, run_fn *run)
{
	const struct comparison *c = o->c;
	struct watcher w = { b, c->title };
	struct plan plan = { .variants = c->variants,
			     .nr_variants = c->nr_variants,
			     .threads = c->threads,
			     .cpus = b->cpus,
			     .rounds = b->rounds,
			     .seconds = b->seconds,
			     .slice_ns = c->slice_ns,
			     .alone = c->alone,
			     .progress = watch,
			     .progress_arg = &w };
	int ret;

	progress_show(b, c->title, 0);
	o->evidence.before = c->alone ? NAN : pingpong_ns(b);
	ret = run(&plan, &o->samples);
	o->evidence.after = c->alone ? NAN : pingpong_ns(b);
	progress_clear(b);
	return ret;
}

/* There is no result, for the reason @why; @how is "skipped" or "failed". */
static void emit_none(const struct bench *b, const struct comparison *c,
		      const char *how, const char *why)
{
	bench_emit(b, "comparison",
		   json_pack("{s:s, s:s, s:i, s:s}", "key", c->key, "title",
			     c->title, "threads", (int)c->threads, how, why));
}

void compare_skip(const struct bench *b, const struct comparison *c,
		  const char *why)
{
	emit_none(b, c, "skipped", why);
}

void compare_by(const struct bench *b, const struct comparison *c, run_fn *run)
{
	struct outcome o = { .c = c };
	const char *wrong;
	int ret;

	if (c->threads > b->nr_cpus) {
		compare_skip(b, c,
			     "it takes two CPUs, this process may use one");
		return;
	}
	ret = measure(b, &o, run);
	wrong = c->wrong != NULL ? c->wrong() : NULL;
	if (ret < 0) {
		emit_none(b, c, "failed", strerror(-ret));
	} else if (wrong != NULL) {
		emit_none(b, c, "failed", wrong);
	} else {
		judge(&o);
		bench_emit(b, "comparison", outcome_json(&o));
	}
	samples_free(&o.samples);
}

void compare(const struct bench *b, const struct comparison *c)
{
	compare_by(b, c, harness_run);
}

void compare_all(const struct bench *b, const struct comparison *c, unsigned n,
		 bool made)
{
	for (; n > 0; n--, c++)
		if (made)
			compare(b, c);
		else
			compare_skip(b, c, "there is no memory for it");
}
