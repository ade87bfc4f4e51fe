import { describe, expect, it } from 'vitest';
import { STATE_KERNEL, STATE_USER } from '../../linux/events/values.ts';
import { unpackRows } from './row-columns.ts';
import { type HostThreads, rowTree } from './row-tree.ts';

interface Thread {
  /** '10', '10#2'. */
  readonly key: string;
  readonly pid: number;
  readonly cpuTimeNs: number;
  readonly firstNs: number;
  readonly lastNs: number;
  readonly ran: boolean;
  readonly kernelThread: boolean;
  readonly name?: string;
  /** In its innermost pid namespace, and which that is. */
  readonly vtid?: number;
  readonly ns?: number;
  /** By the state dump, and by a fork: place in the list. */
  readonly ppid?: number;
  readonly forker?: number;
}

const thread = (key: string, pid: number, cpuTimeNs: number, more: Partial<Thread> = {}): Thread => {
  return { key, pid, cpuTimeNs, firstNs: 0, lastNs: 100, ran: true, kernelThread: false, ...more };
};

function columnsOf(threads: readonly Thread[]): HostThreads {
  const ids = threads.map(({ key }) => key.split('#').map(Number));
  return {
    table: {
      length: threads.length,
      tid: Int32Array.from(ids, ([tid]) => tid),
      incarnation: Int32Array.from(ids, ([, life = 1]) => life),
      idleCpu: new Int32Array(threads.length),
      pid: Int32Array.from(threads, ({ pid }) => pid),
      ppid: Int32Array.from(threads, ({ ppid = -1 }) => ppid),
      parent: Int32Array.from(threads, ({ forker = -1 }) => forker),
      name: threads.map(({ key, name = `t${key}` }) => name),
      mode: Uint8Array.from(threads, ({ kernelThread }) => (kernelThread ? STATE_KERNEL : STATE_USER)),
      ran: Uint8Array.from(threads, ({ ran }) => (ran ? 1 : 0)),
      stateAttribute: Int32Array.from(threads, (_, i) => i),
    },
    inside: {
      vtid: Int32Array.from(threads, ({ vtid = 0 }) => vtid),
      ns: Int32Array.from(threads, ({ ns = 0 }) => ns),
    },
    cpuTimeNs: Float64Array.from(threads, ({ cpuTimeNs }) => cpuTimeNs),
    firstNs: Float64Array.from(threads, ({ firstNs }) => firstNs),
    lastNs: Float64Array.from(threads, ({ lastNs }) => lastNs),
  };
}

const tree = (list: Thread[]) => {
  const threads = columnsOf(list);
  return unpackRows(
    rowTree([{ index: 0, name: 'h', cpus: [], threads, streams: [], firstNs: 0, lastNs: 100 }]),
  );
};

const shape = (threads: Thread[]) => {
  const rows = tree(threads);
  return rows.map((r) => `${r.parent < 0 ? '' : rows[r.parent].id} > ${r.id}`);
};

describe('rowTree', () => {
  it('shows a process with one thread as one row, busiest process first', () => {
    expect(shape([thread('1', 1, 5), thread('2', 2, 9)])).toEqual([
      ' > host:0',
      'host:0 > thread:0:2',
      'host:0 > thread:0:1',
    ]);
  });

  it('groups the threads of a process under its leader', () => {
    expect(shape([thread('10', 10, 1), thread('11', 10, 7)])).toEqual([
      ' > host:0',
      'host:0 > process:0:10',
      'process:0:10 > thread:0:11',
      'process:0:10 > thread:0:10',
    ]);
  });

  it('says who forked a process, where its row is known by the pid', () => {
    const rows = tree([
      thread('10', 10, 9),
      thread('11', 10, 8),
      thread('20', 20, 7, { forker: 1, ppid: 11 }),
      thread('21', 20, 6),
      thread('30', 30, 5, { ppid: 10 }),
      thread('40', 40, 4, { ppid: 39 }),
      // Of a pid that is used again: nobody who was there then is known.
      thread('50', 50, 3, { ppid: 60 }),
      thread('60', 60, 2, { forker: 0, firstNs: 50 }),
      thread('70', 70, 1, { ppid: 60, firstNs: 60 }),
    ]);
    const forked = rows.filter(({ ppid }) => ppid !== undefined).map(({ id, ppid }) => `${id} < ${ppid}`);
    expect(forked).toEqual(['process:0:20 < 10', 'thread:0:30 < 10', 'thread:0:60 < 10', 'thread:0:70 < 60']);
  });

  it('keeps two lives of one pid apart', () => {
    const rows = shape([
      thread('10', 10, 1, { firstNs: 0, lastNs: 10 }),
      thread('10#2', 10, 1, { firstNs: 20 }),
      thread('12', 10, 1, { firstNs: 25 }),
    ]);
    expect(rows).toContain('host:0 > thread:0:10');
    expect(rows).toContain('process:0:10#2 > thread:0:12');
  });

  it('takes threads of one process together where their leader is not known, or unknown itself', () => {
    const rows = tree([thread('11', 10, 1), thread('7', -1, 9), thread('12', 10, 3), thread('8', -1, 2)]);
    expect(rows.map(({ id, name }) => `${id} ${name}`)).toEqual([
      'host:0 h',
      'thread:0:7 t7',
      'process:0:10 t12',
      'thread:0:12 t12',
      'thread:0:11 t11',
      'thread:0:8 t8',
    ]);
    expect(rows[2]).toMatchObject({ tid: 10, pid: 10, cpuTimeNs: 4, firstNs: 0, lastNs: 100 });
  });

  it('has no row for idle threads, nor for those without a state', () => {
    expect(shape([thread('0', 0, 5), thread('5', 5, 1)])).toEqual([' > host:0', 'host:0 > thread:0:5']);
    const threads = columnsOf([thread('5', 5, 1)]);
    threads.table.stateAttribute[0] = -1;
    const host = { index: 0, name: 'h', cpus: [], threads, streams: [], firstNs: 0, lastNs: 100 };
    expect(rowTree([host]).length).toBe(1);
  });

  it('puts kernel threads and threads that never ran into groups of their own', () => {
    const rows = tree([thread('3', 3, 4, { kernelThread: true }), thread('4', 4, 0, { ran: false })]);
    expect(rows.map((r) => r.kind)).toEqual(['host', 'kernel-threads', 'thread', 'never-ran', 'thread']);
    expect(rows[1].cpuTimeNs).toBe(4);
  });

  it("puts the tracer's own processes into a group, by the name of any thread", () => {
    const named = (id: string, pid: number, ns: number, name: string, ran = true) =>
      thread(id, pid, ns, { name, ran });
    const rows = tree([
      named('10', 10, 0, 'lttng-sessiond', false),
      named('11', 10, 2, 'Timer'),
      named('20', 20, 4, 'lttng-consumerd'),
      named('21', 20, 5, 'lttng-consumerd'),
      named('30', 30, 1, 'Timer'),
      named('40', 40, 1, 'lttngish'),
    ]);
    expect(rows.map(({ id, kind, parent }) => [id, kind, parent])).toEqual([
      ['host:0', 'host', -1],
      ['thread:0:30', 'thread', 0],
      ['thread:0:40', 'thread', 0],
      ['tracer:0', 'tracer', 0],
      ['process:0:20', 'process', 3],
      ['thread:0:21', 'thread', 4],
      ['thread:0:20', 'thread', 4],
      ['thread:0:11', 'thread', 3],
      ['never-ran:0', 'never-ran', 0],
      ['thread:0:10', 'thread', 8],
    ]);
    expect(rows[3].cpuTimeNs).toBe(11);
  });

  it('has the numbers of threads in a pid namespace, and of the leader for its process', () => {
    const [a, b] = [
      { vtid: 7, ns: 4026532500 },
      { vtid: 8, ns: 4026532500 },
    ];
    const rows = tree([thread('20', 20, 5), thread('4711', 4711, 9, a), thread('4712', 4711, 1, b)]);
    expect(rows.map(({ id, vtid, ns }) => [id, vtid, ns])).toEqual([
      ['host:0', undefined, undefined],
      ['process:0:4711', 7, 4026532500],
      ['thread:0:4711', 7, 4026532500],
      ['thread:0:4712', 8, 4026532500],
      ['thread:0:20', undefined, undefined],
    ]);
  });

  it('groups processes of several pid namespaces, busiest first, behind those of the host', () => {
    const inside = (ns: number, vtid: number) => ({ ns, vtid });
    const list = [
      thread('300', 300, 5, inside(901, 1)),
      thread('310', 310, 6, inside(902, 4)),
      thread('20', 20, 2),
      thread('311', 310, 3, inside(902, 5)),
      thread('301', 301, 1, inside(901, 2)),
    ];
    expect(shape(list)).toEqual([
      ' > host:0',
      'host:0 > thread:0:20',
      'host:0 > namespace:0:902',
      'namespace:0:902 > process:0:310',
      'process:0:310 > thread:0:310',
      'process:0:310 > thread:0:311',
      'host:0 > namespace:0:901',
      'namespace:0:901 > thread:0:300',
      'namespace:0:901 > thread:0:301',
    ]);
    const groups = tree(list).filter(({ kind }) => kind === 'namespace');
    expect(groups.map(({ name, ns, cpuTimeNs }) => [name, ns, cpuTimeNs])).toEqual([
      ['Namespace 902', 902, 9],
      ['t300 (namespace 901)', 901, 6],
    ]);
  });
});
