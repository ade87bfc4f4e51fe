/*
 * What following a stack costs, by its depth: `make cost && build/cost`. The way is chosen as in the library
 * (WAKEPATH_UNWIND). Prints a line for each depth: addresses found, ns for each walk.
 */
#define _GNU_SOURCE
#include "threads.h"

#include <stdio.h>
#include <time.h>

/* The library's own parts that are not measured. */
int begin_samples(void) { return 0; }
void end_samples(void) {}
void prepare_samples(void) {}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

enum { WALKS = 2000 };

__attribute__((noinline)) static void measure(int depth)
{
	const uintptr_t *record = __builtin_frame_address(0);
	unsigned long stack[MOST_FRAMES];
	size_t found = 0;
	uint64_t begin = now();
	for (int i = 0; i < WALKS; i++)
		found = walk_stack((struct frame){ record[1] - 1, record[0], (uintptr_t)record }, stack);
	printf("%d calls: %zu addresses, %.0f ns\n", depth, found, (double)(now() - begin) / WALKS);
}

__attribute__((noinline)) static int descend(int left, int depth)
{
	if (left == 0)
		measure(depth);
	else
		descend(left - 1, depth);
	/* Behind the call, so that it is none that replaces this one. */
	return *(volatile int *)&left;
}

int main(void)
{
	static const int depths[] = { 5, 10, 20, 50, 100 };
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++)
		descend(depths[i], depths[i]);
	return 0;
}
