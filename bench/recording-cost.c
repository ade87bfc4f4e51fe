/* A program of two threads that compute, and take a spin lock and a semaphore each 100 µs or so: its CPU time is printed, ns. */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_spinlock_t spin;
static sem_t semaphore;
static volatile unsigned long result;
static long turns;

static void compute(long rounds)
{
	unsigned long value = result;
	for (long i = 0; i < rounds; i++)
		value = (value ^ i) * 31;
	result = value;
}

static void *life(void *unused)
{
	for (long i = 0; i < turns; i++) {
		compute(60000);
		pthread_spin_lock(&spin);
		compute(100);
		pthread_spin_unlock(&spin);
		sem_wait(&semaphore);
		compute(100);
		sem_post(&semaphore);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t other;
	struct timespec time;
	turns = count > 1 ? atol(arguments[1]) : 10000;
	pthread_spin_init(&spin, 0);
	sem_init(&semaphore, 0, 1);
	pthread_create(&other, NULL, life, NULL);
	life(NULL);
	pthread_join(other, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	printf("%llu\n", (unsigned long long)time.tv_sec * 1000000000 + time.tv_nsec);
	return 0;
}
