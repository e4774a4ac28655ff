/*
 * test_phases: which optional iterations are measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/conduct/conductor.h"

struct world {
	struct nl_campaign campaign;
	struct nl_conductor conductor;
	struct nl_phase phase;
};

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof *world);
	if (!world)
		return -1;
	world->conductor.campaign = &world->campaign;
	world->campaign.iterations.until = 0.02;
	world->phase.optional = true;
	snprintf(world->phase.figure, sizeof world->phase.figure, "nfs seq-read 1 stream");
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void give_rates(struct world *world, double low, double high)
{
	struct nl_rates *rates = &world->conductor.rates[world->conductor.rates_count++];
	snprintf(rates->figure, sizeof rates->figure, "%s", world->phase.figure);
	rates->low = low;
	rates->high = high;
	rates->count = 2;
}

static void an_iteration_of_the_minimum_is_always_measured(void **state)
{
	struct world *world = *state;
	world->phase.optional = false;
	give_rates(world, 100, 100);
	assert_true(nl_phase_wanted(&world->conductor, &world->phase));
}

static void a_steady_figure_needs_no_more_iterations(void **state)
{
	struct world *world = *state;
	give_rates(world, 100, 101);
	assert_false(nl_phase_wanted(&world->conductor, &world->phase));
}

static void an_unsteady_figure_is_measured_again(void **state)
{
	struct world *world = *state;
	give_rates(world, 100, 110);
	assert_true(nl_phase_wanted(&world->conductor, &world->phase));
}

static void a_figure_of_which_nothing_is_known_is_not_called_steady(void **state)
{
	struct world *world = *state;
	assert_true(nl_phase_wanted(&world->conductor, &world->phase));
	give_rates(world, 0, 0);
	assert_true(nl_phase_wanted(&world->conductor, &world->phase));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_iteration_of_the_minimum_is_always_measured),
		TEST(a_steady_figure_needs_no_more_iterations),
		TEST(an_unsteady_figure_is_measured_again),
		TEST(a_figure_of_which_nothing_is_known_is_not_called_steady),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
