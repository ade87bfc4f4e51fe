import { describe, expect, it } from 'vitest';
import { batchesOf, type PlainEvent, streamsOf } from '../../../../test/support/batches.ts';
import { NamespaceThreads, NOBODY_KNOWN } from './namespace-threads.ts';
import { CONTEXT_FIELDS, NAMESPACE_KINDS, namespaces } from './namespaces.ts';

const OWN = 4026531836;
const NOT_RECORDED = 0;
const NOT_KNOWN = -1;

function fork(ts: number, cpu: number, tid: number, ...inside: readonly [vtid?: number, ns?: number]) {
  const [vtid = tid, ns = OWN] = inside;
  const fields = {
    child_tid: tid,
    _vtids_length: inside.length > 0 ? 2 : 1,
    'vtids.*': vtid,
    child_ns_inum: ns,
  };
  return { ts, cpu, name: 'sched_process_fork', fields };
}

function dump(ts: number, cpu: number, tid: number, vtid: number, ns: number, level = 1) {
  const fields = { tid, vtid, vpid: vtid, ns_level: level, ns_inum: ns };
  return { ts, cpu, name: 'lttng_statedump_process_pid_ns', fields };
}

/** A switch whose contexts are those of the thread that leaves. */
function leaves(ts: number, cpu: number, tid: number, vtid: number, ns: number) {
  return { ts, cpu, name: 'sched_switch', fields: { prev_tid: tid, next_tid: 0, vtid, pid_ns: ns } };
}

function chunkResultsOf(events: readonly PlainEvent[], chunkEvents?: number) {
  const streams = streamsOf(events, chunkEvents);
  return batchesOf(streams, NAMESPACE_KINDS, { contexts: CONTEXT_FIELDS }).map((batch) =>
    namespaces.map(batch),
  );
}

function threadsOf(events: readonly PlainEvent[]) {
  return new NamespaceThreads(namespaces.merge(chunkResultsOf(events))[0]);
}

describe('the thread that a namespace calls so', () => {
  it('is the one that was forked last at or before that time', () => {
    const threads = threadsOf([fork(10, 0, 500, 7, 900), fork(30, 1, 600, 7, 900), fork(20, 0, 700, 7, 901)]);
    const at = (time: number, ns: number) => threads.tidOf(7, ns, time, NOT_KNOWN);
    expect([9, 10, 29, 30].map((time) => at(time, 900))).toEqual([NOBODY_KNOWN, 500, 500, 600]);
    expect([19, 20, 99].map((time) => at(time, 901))).toEqual([NOBODY_KNOWN, 700, 700]);
    expect(at(99, 902)).toBe(NOBODY_KNOWN);
    expect(threads.tidOf(8, 900, 99, NOT_KNOWN)).toBe(NOBODY_KNOWN);
  });

  it('is told by a state dump from the begin on, or from the dump on where the thread was forked in the trace', () => {
    const threads = threadsOf([
      dump(5, 0, 3000, 3000, OWN, 0),
      dump(5, 0, 3000, 7, 500),
      dump(6, 0, 3100, 7, 600),
      fork(10, 1, 5000, 7, 500),
      dump(12, 0, 5000, 9, 501, 2),
    ]);
    expect([0, 9, 10].map((time) => threads.tidOf(7, 500, time, NOT_KNOWN))).toEqual([3000, 3000, 5000]);
    expect(threads.tidOf(7, 600, 0, NOT_KNOWN)).toBe(3100);
    expect([11, 12].map((time) => threads.tidOf(9, 501, time, NOT_KNOWN))).toEqual([NOBODY_KNOWN, 5000]);
    expect(threads.tidOf(3000, OWN, 50, 3000)).toBe(NOBODY_KNOWN);
  });

  it('is told by contexts of events, if the number is another one', () => {
    const threads = threadsOf([
      leaves(20, 0, 6000, 8, 500),
      leaves(21, 0, 6001, 6001, OWN),
      leaves(22, 0, 0, 9, 500),
    ]);
    expect([19, 20].map((time) => threads.tidOf(8, 500, time, NOT_KNOWN))).toEqual([NOBODY_KNOWN, 6000]);
    expect(threads.tidOf(6001, OWN, 30, 6001)).toBe(NOBODY_KNOWN);
    expect(threads.tidOf(9, 500, 30, NOT_KNOWN)).toBe(NOBODY_KNOWN);
  });

  it('is the running one where the namespace is not recorded, or nobody', () => {
    const threads = threadsOf([fork(10, 0, 500, 7, 900), fork(20, 0, 700, 7, 901)]);
    const at = (time: number, running: number) => threads.tidOf(7, NOT_RECORDED, time, running);
    expect(at(15, 500)).toBe(500);
    expect(at(15, 700)).toBe(NOBODY_KNOWN);
    expect(at(25, 700)).toBe(700);
    expect(at(25, 500)).toBe(500);
    expect(at(25, 7)).toBe(NOBODY_KNOWN);
    expect(at(25, NOT_KNOWN)).toBe(NOBODY_KNOWN);
    // An event of the host's own namespace is of the thread with that number, whoever runs.
    expect(threads.tidOf(7, OWN | 0, 25, 700)).toBe(NOBODY_KNOWN);
  });

  it('is known where old tracers dump a state for each level, and forks tell no numbers', () => {
    const state = (ts: number, tid: number, vtid: number, level: number) => {
      const fields = { tid, vtid, pid: tid, vpid: vtid, name: 'svc', ns_level: level };
      return { ts, cpu: 0, name: 'lttng_statedump_process_state', fields };
    };
    const threads = threadsOf([state(3, 4711, 4711, 0), state(4, 4711, 7, 1), dump(4, 0, 4711, 7, 500)]);
    expect(threads.tidOf(7, NOT_RECORDED, 0, 4711)).toBe(4711);
    expect(threads.tidOf(7, 500, 0, NOT_KNOWN)).toBe(4711);
    expect(threads.insideNumbers(Int32Array.of(20, 4711), Float64Array.of(0, 0))).toEqual({
      vtid: Int32Array.of(0, 7),
      ns: Int32Array.of(0, 500),
    });
  });
});

it('threads have the number of their innermost namespace, each life its own', () => {
  const threads = threadsOf([
    dump(5, 0, 300, 4, 901, 2),
    dump(5, 0, 300, 40, 900, 1),
    fork(50, 0, 300, 12, 902),
    leaves(60, 1, 301, 2, 903),
  ]);
  const tid = Int32Array.of(1, 300, 301, 300);
  expect(threads.insideNumbers(tid, Float64Array.of(0, 1, 2, 50))).toEqual({
    vtid: Int32Array.of(0, 4, 2, 12),
    ns: Int32Array.of(0, 901, 903, 902),
  });
});

it('facts are the same however events are cut into chunks, and in whatever order those are merged', () => {
  const events = Array.from({ length: 60 }, (_, i) => {
    const [cpu, tid, ns] = [i % 3, 300 + (i % 7), 900 + (i % 2)];
    if (i % 11 === 0) return fork(i, cpu, tid, i % 5, ns);
    return i % 5 === 0 ? dump(i, cpu, tid, 1 + (i % 3), ns) : leaves(i, cpu, tid, 1 + (tid % 4), ns);
  });
  const whole = namespaces.merge(chunkResultsOf(events));
  const { time, kind } = whole[0];
  expect(new Set(kind)).toEqual(new Set([0, 1, 2]));
  expect(time.length).toBeLessThan(events.length);
  for (const size of [1, 2, 7]) {
    const parts = chunkResultsOf(events, size);
    expect(namespaces.merge(parts)).toEqual(whole);
    const middle = parts.length >> 1;
    const [left, right] = [namespaces.merge(parts.slice(0, middle)), namespaces.merge(parts.slice(middle))];
    expect(namespaces.merge([right, left])).toEqual(whole);
  }
  expect(namespaces.merge([])).toEqual([]);
});
