/*
 * Events of locks. Names and fields are what Wakepath reads; those of mutexes beside timed requests are recorded by
 * liblttng-ust-pthread-wrapper.so of lttng-ust, under the same names.
 */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER wakepath_locks

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./lock-events.h"

#if !defined(LOCK_EVENTS_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LOCK_EVENTS_H

#include <lttng/tracepoint.h>

/* Events of one kind of lock: its address, and the result (0, or a number of errno). */
#define LOCK_CLASS(kind) \
	TRACEPOINT_EVENT_CLASS(wakepath_locks, kind, \
		TP_ARGS(const volatile void *, lock, int, result), \
		TP_FIELDS( \
			ctf_integer_hex(unsigned long, kind, (unsigned long)lock) \
			ctf_integer(int, status, result)))
#define LOCK_EVENT(kind, name) \
	TRACEPOINT_EVENT_INSTANCE(wakepath_locks, kind, name, \
		TP_ARGS(const volatile void *, lock, int, result))

LOCK_CLASS(mutex)
LOCK_EVENT(mutex, pthread_mutex_timedlock_req)
LOCK_EVENT(mutex, pthread_mutex_timedlock_acq)
LOCK_EVENT(mutex, pthread_mutex_destroy)

LOCK_CLASS(spin)
LOCK_EVENT(spin, pthread_spin_lock_req)
LOCK_EVENT(spin, pthread_spin_lock_acq)
LOCK_EVENT(spin, pthread_spin_trylock)
LOCK_EVENT(spin, pthread_spin_unlock)
LOCK_EVENT(spin, pthread_spin_destroy)

LOCK_CLASS(rwlock)
LOCK_EVENT(rwlock, pthread_rwlock_rdlock_req)
LOCK_EVENT(rwlock, pthread_rwlock_rdlock_acq)
LOCK_EVENT(rwlock, pthread_rwlock_wrlock_req)
LOCK_EVENT(rwlock, pthread_rwlock_wrlock_acq)
LOCK_EVENT(rwlock, pthread_rwlock_tryrdlock)
LOCK_EVENT(rwlock, pthread_rwlock_trywrlock)
LOCK_EVENT(rwlock, pthread_rwlock_unlock)
LOCK_EVENT(rwlock, pthread_rwlock_destroy)

LOCK_CLASS(sem)
LOCK_EVENT(sem, sem_wait_req)
LOCK_EVENT(sem, sem_wait_acq)
LOCK_EVENT(sem, sem_trywait)
LOCK_EVENT(sem, sem_post)
LOCK_EVENT(sem, sem_destroy)

LOCK_CLASS(barrier)
LOCK_EVENT(barrier, pthread_barrier_wait_begin)
LOCK_EVENT(barrier, pthread_barrier_wait_end)
LOCK_EVENT(barrier, pthread_barrier_destroy)

LOCK_CLASS(cond)
LOCK_EVENT(cond, pthread_cond_signal)
LOCK_EVENT(cond, pthread_cond_broadcast)
LOCK_EVENT(cond, pthread_cond_destroy)

/* A wait lets go of the mutex and takes it again. */
TRACEPOINT_EVENT_CLASS(wakepath_locks, cond_wait,
	TP_ARGS(const volatile void *, lock, const volatile void *, released, int, result),
	TP_FIELDS(
		ctf_integer_hex(unsigned long, cond, (unsigned long)lock)
		ctf_integer_hex(unsigned long, mutex, (unsigned long)released)
		ctf_integer(int, status, result)))
TRACEPOINT_EVENT_INSTANCE(wakepath_locks, cond_wait, pthread_cond_wait_begin,
	TP_ARGS(const volatile void *, lock, const volatile void *, released, int, result))
TRACEPOINT_EVENT_INSTANCE(wakepath_locks, cond_wait, pthread_cond_wait_end,
	TP_ARGS(const volatile void *, lock, const volatile void *, released, int, result))

#endif

#include <lttng/tracepoint-event.h>
