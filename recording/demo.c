/*
 * A program whose samples, long calls and locks are known: it prints what it did, a line each, for the test of the
 * recording kit to compare.
 *
 *   function NAME MS               CPU time in a function of the main thread
 *   depth FRAMES MS                how deep a function of the main thread calls itself, and its CPU time
 *   calls NAME TID COUNT MS        long system calls below a function, and how long they took together
 *   wait KIND WAITER HOLDER NS     a wait for a lock, by the waiter's clock, and the thread that it was for
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOT_INLINED __attribute__((noinline))

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long self(void)
{
	return syscall(SYS_gettid);
}

/* Functions that only compute: 7 of 10 units here, 3 there, each far longer than the period of samples. */

static volatile unsigned long result;

/* GCC gives a function that calls none no frame, and its caller would be missing. */
NOT_INLINED static void keep(unsigned long value)
{
	result = value;
}

NOT_INLINED static void compress(int units)
{
	unsigned long value = result;
	for (long i = 0; i < units * 3000000L; i++)
		value = (value ^ i) * 31;
	keep(value);
}

NOT_INLINED static void checksum(int units)
{
	unsigned long value = result;
	for (long i = 0; i < units * 3000000L; i++)
		value = (value ^ i) * 17;
	keep(value);
}

NOT_INLINED static void handle_request(uint64_t spent[2])
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	compress(7);
	uint64_t middle = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	checksum(3);
	spent[0] += middle - begin;
	spent[1] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - middle;
}

NOT_INLINED static void compute(uint64_t cpu_ns)
{
	uint64_t spent[2] = { 0, 0 };
	while (spent[0] + spent[1] < cpu_ns)
		handle_request(spent);
	printf("function compress %.1f\nfunction checksum %.1f\n", spent[0] / 1e6, spent[1] / 1e6);
}

/* A function that calls itself. */

NOT_INLINED static void keep_busy(uint64_t cpu_ns)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < cpu_ns)
		checksum(1);
}

NOT_INLINED static void descend(int more)
{
	if (more > 1)
		descend(more - 1);
	else
		keep_busy(200000000);
	/* Not a tail call. */
	keep(more);
}

/* Calls that sleep, among many that do not. */

NOT_INLINED static void take_nap(long ms)
{
	struct timespec time = { 0, ms * 1000000 };
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

NOT_INLINED static void read_reply(int fd)
{
	char byte;
	if (read(fd, &byte, 1) != 1)
		perror("read");
}

static void *reply_late(void *fd)
{
	for (int i = 0; i < 3; i++) {
		take_nap(15);
		if (write(*(int *)fd, "x", 1) != 1)
			perror("write");
	}
	return NULL;
}

NOT_INLINED static void call(void)
{
	int ends[2];
	pthread_t thread;
	if (pipe(ends) != 0) {
		perror("pipe");
		return;
	}
	/* At once: no stack is recorded. */
	for (int i = 0; i < 100; i++) {
		if (write(ends[1], "x", 1) != 1)
			perror("write");
		read_reply(ends[0]);
	}
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < 4; i++)
		take_nap(10);
	printf("calls take_nap %ld 4 %.3f\n", self(), (clock_ns(CLOCK_MONOTONIC) - begin) / 1e6);
	pthread_create(&thread, NULL, reply_late, &ends[1]);
	begin = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < 3; i++)
		read_reply(ends[0]);
	printf("calls read_reply %ld 3 %.3f\n", self(), (clock_ns(CLOCK_MONOTONIC) - begin) / 1e6);
	pthread_join(thread, NULL);
}

/* A lock of each kind: one thread holds it, or lets the other one go on, 20 ms after the other one began to wait. */

static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int is_ready;

static void spin_begin(void) { pthread_spin_lock(&spin); }
static void spin_end(void) { pthread_spin_unlock(&spin); }
static void write_begin(void) { pthread_rwlock_wrlock(&rwlock); }
static void read_begin(void) { pthread_rwlock_rdlock(&rwlock); }
static void rwlock_end(void) { pthread_rwlock_unlock(&rwlock); }
static void mutex_begin(void) { pthread_mutex_lock(&mutex); }
static void mutex_timed(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_mutex_timedlock(&mutex, &until);
}
static void mutex_end(void) { pthread_mutex_unlock(&mutex); }
static void sem_begin(void) { sem_wait(&sem); }
static void sem_end(void) { sem_post(&sem); }
static void barrier_begin(void) { pthread_barrier_wait(&barrier); }
static void nothing(void) {}
static void cond_begin(void)
{
	pthread_mutex_lock(&mutex);
	while (!is_ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}
static void cond_end(void)
{
	pthread_mutex_lock(&mutex);
	is_ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

static const struct {
	const char *kind;
	void (*hold)(void);
	void (*let_go)(void);
	void (*wait)(void);
	void (*done)(void);
} locks[] = {
	{ "spin", spin_begin, spin_end, spin_begin, spin_end },
	{ "rwlock", write_begin, rwlock_end, read_begin, rwlock_end },
	{ "mutex", mutex_begin, mutex_end, mutex_timed, mutex_end },
	{ "sem", nothing, sem_end, sem_begin, nothing },
	{ "cond", nothing, cond_end, cond_begin, nothing },
	{ "barrier", nothing, barrier_begin, barrier_begin, nothing },
};
#define KINDS (sizeof(locks) / sizeof(locks[0]))

/* How far both are: 2i + 1: lock i is held; 2i + 2: somebody is about to wait for it. */
static atomic_size_t step;

static void wait_for(size_t wanted)
{
	while (atomic_load(&step) < wanted)
		take_nap(1);
}

static void *waiter(void *holder)
{
	for (size_t i = 0; i < KINDS; i++) {
		wait_for(2 * i + 1);
		atomic_store(&step, 2 * i + 2);
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);
		locks[i].wait();
		uint64_t end = clock_ns(CLOCK_MONOTONIC);
		locks[i].done();
		printf("wait %s %ld %ld %llu\n", locks[i].kind, self(), *(long *)holder, (unsigned long long)(end - begin));
	}
	return NULL;
}

NOT_INLINED static void lock(void)
{
	pthread_t thread;
	long holder = self();
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	pthread_create(&thread, NULL, waiter, &holder);
	for (size_t i = 0; i < KINDS; i++) {
		locks[i].hold();
		atomic_store(&step, 2 * i + 1);
		wait_for(2 * i + 2);
		take_nap(20);
		locks[i].let_go();
	}
	pthread_join(thread, NULL);
}

int main(void)
{
	compute(1000000000);
	descend(100);
	printf("depth 100 200\n");
	call();
	lock();
	return 0;
}
