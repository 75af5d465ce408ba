/* SPDX-License-Identifier: MIT */
#include "report.h"

json_t *report_new(const char *version, int quick)
{
	return json_pack("{s:i, s:s, s:b, s:n, s:{}}", "format", 1, "version",
			 version, "quick", quick, "machine", "experiments");
}

json_t *report_add_experiment(json_t *report, const char *name,
			      const char *what)
{
	json_t *e = json_pack("{s:s, s:[], s:{}, s:[], s:[]}", "what", what,
			      "comparisons", "ratios", "tables", "skipped");

	json_object_set_new(json_object_get(report, "experiments"), name, e);
	return e;
}

/* @of's member @key, an object that is made where there is none. */
static json_t *member(json_t *of, const char *key)
{
	if (json_object_get(of, key) == NULL)
		json_object_set_new(of, key, json_object());
	return json_object_get(of, key);
}

static void index_ratios(json_t *ratios, json_t *comparison)
{
	const char *where =
		json_string_value(json_object_get(comparison, "key"));
	json_t *ratio;
	size_t i;

	json_array_foreach(json_object_get(comparison, "ratios"), i, ratio)
	{
		const char *key =
			json_string_value(json_object_get(ratio, "key"));

		json_object_set(member(ratios, key), where, ratio);
	}
}

void report_add_comparison(json_t *experiment, json_t *comparison,
			   const char *policy)
{
	json_object_set_new(comparison, "policy", json_string(policy));
	json_array_append(json_object_get(experiment, "comparisons"),
			  comparison);
	index_ratios(json_object_get(experiment, "ratios"), comparison);
}

void report_add_table(json_t *experiment, json_t *table)
{
	json_array_append(json_object_get(experiment, "tables"), table);
}

void report_add_skipped(json_t *experiment, json_t *skipped)
{
	json_array_append(json_object_get(experiment, "skipped"), skipped);
}
