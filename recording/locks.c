/*
 * Events of spin locks, rwlocks, semaphores, conditions, barriers, and of timed requests for mutexes: each function of
 * pthread and sem is called between its events.
 *
 * An unlock is recorded after the real one, so that no event stands between a lock and who holds it: the next owner's
 * acquire may come first in the trace, and Wakepath expects that. A signal or a post is recorded before the real one:
 * it must lie inside the wait that it ends.
 */
#define _GNU_SOURCE
#include "next.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "lock-events.h"

/* Declares `real`, the function of the next library. */
#define FIND(name, parameters) \
	static int (*real) parameters; \
	if (real == NULL) \
		real = next_function(#name)

/* The number of the error of a function of sem_…, which tells it by errno. */
static int failed(int result)
{
	return result == 0 ? 0 : errno;
}

/* Functions of pthread give the number of the error. */
static int given(int result)
{
	return result;
}

#define RECORD(event, lock, status) \
	do { \
		int error = errno; \
		tracepoint(wakepath_locks, event, lock, status); \
		errno = error; \
	} while (0)

/* A request, and what came of it. */
#define REQUEST(name, request, acquire, status, parameters, arguments, lock) \
	int name parameters \
	{ \
		FIND(name, parameters); \
		RECORD(request, lock, 0); \
		int result = real arguments; \
		RECORD(acquire, lock, status(result)); \
		return result; \
	}

/* A call of which the event tells the result. */
#define AFTER(name, event, status, parameters, lock) \
	int name parameters \
	{ \
		FIND(name, parameters); \
		int result = real(lock); \
		RECORD(event, lock, status(result)); \
		return result; \
	}

/* A call whose event must not come late. */
#define BEFORE(name, event, parameters, lock) \
	int name parameters \
	{ \
		FIND(name, parameters); \
		RECORD(event, lock, 0); \
		return real(lock); \
	}

#define UNTIL const struct timespec *until

REQUEST(pthread_mutex_timedlock, pthread_mutex_timedlock_req, pthread_mutex_timedlock_acq, given,
	(pthread_mutex_t *mutex, UNTIL), (mutex, until), mutex)
BEFORE(pthread_mutex_destroy, pthread_mutex_destroy, (pthread_mutex_t *mutex), mutex)

REQUEST(pthread_spin_lock, pthread_spin_lock_req, pthread_spin_lock_acq, given,
	(pthread_spinlock_t *spin), (spin), spin)
AFTER(pthread_spin_trylock, pthread_spin_trylock, given, (pthread_spinlock_t *spin), spin)
AFTER(pthread_spin_unlock, pthread_spin_unlock, given, (pthread_spinlock_t *spin), spin)
BEFORE(pthread_spin_destroy, pthread_spin_destroy, (pthread_spinlock_t *spin), spin)

REQUEST(pthread_rwlock_rdlock, pthread_rwlock_rdlock_req, pthread_rwlock_rdlock_acq, given,
	(pthread_rwlock_t *rwlock), (rwlock), rwlock)
REQUEST(pthread_rwlock_timedrdlock, pthread_rwlock_rdlock_req, pthread_rwlock_rdlock_acq, given,
	(pthread_rwlock_t *rwlock, UNTIL), (rwlock, until), rwlock)
REQUEST(pthread_rwlock_wrlock, pthread_rwlock_wrlock_req, pthread_rwlock_wrlock_acq, given,
	(pthread_rwlock_t *rwlock), (rwlock), rwlock)
REQUEST(pthread_rwlock_timedwrlock, pthread_rwlock_wrlock_req, pthread_rwlock_wrlock_acq, given,
	(pthread_rwlock_t *rwlock, UNTIL), (rwlock, until), rwlock)
AFTER(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock, given, (pthread_rwlock_t *rwlock), rwlock)
AFTER(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock, given, (pthread_rwlock_t *rwlock), rwlock)
AFTER(pthread_rwlock_unlock, pthread_rwlock_unlock, given, (pthread_rwlock_t *rwlock), rwlock)
BEFORE(pthread_rwlock_destroy, pthread_rwlock_destroy, (pthread_rwlock_t *rwlock), rwlock)

REQUEST(sem_wait, sem_wait_req, sem_wait_acq, failed, (sem_t *sem), (sem), sem)
REQUEST(sem_timedwait, sem_wait_req, sem_wait_acq, failed, (sem_t *sem, UNTIL), (sem, until), sem)
AFTER(sem_trywait, sem_trywait, failed, (sem_t *sem), sem)
BEFORE(sem_post, sem_post, (sem_t *sem), sem)
BEFORE(sem_destroy, sem_destroy, (sem_t *sem), sem)

REQUEST(pthread_barrier_wait, pthread_barrier_wait_begin, pthread_barrier_wait_end, given,
	(pthread_barrier_t *barrier), (barrier), barrier)
BEFORE(pthread_barrier_destroy, pthread_barrier_destroy, (pthread_barrier_t *barrier), barrier)

BEFORE(pthread_cond_signal, pthread_cond_signal, (pthread_cond_t *cond), cond)
BEFORE(pthread_cond_broadcast, pthread_cond_broadcast, (pthread_cond_t *cond), cond)
BEFORE(pthread_cond_destroy, pthread_cond_destroy, (pthread_cond_t *cond), cond)

#define COND_WAIT(name, parameters, arguments) \
	int name parameters \
	{ \
		FIND(name, parameters); \
		tracepoint(wakepath_locks, pthread_cond_wait_begin, cond, mutex, 0); \
		int result = real arguments; \
		int error = errno; \
		tracepoint(wakepath_locks, pthread_cond_wait_end, cond, mutex, result); \
		errno = error; \
		return result; \
	}

COND_WAIT(pthread_cond_wait, (pthread_cond_t *cond, pthread_mutex_t *mutex), (cond, mutex))
COND_WAIT(pthread_cond_timedwait, (pthread_cond_t *cond, pthread_mutex_t *mutex, UNTIL), (cond, mutex, until))
