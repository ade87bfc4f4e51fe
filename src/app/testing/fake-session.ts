/** A session without a worker: a made-up machine, so that every screen can be seen by itself. For development. */
import type {
  SessionApi,
  ExperimentInfo,
  RowInfo,
  SessionUpdate,
  ThreadCpuStat,
  CpuStat,
} from '../../workers/session-api.ts';
import { rowTree, type ThreadEntry } from '../../engine/session/row-tree.ts';

const LENGTH = 5_850_000_000;
const NAMES = [
  'rcu_preempt',
  'guest-init.sh',
  'curl',
  'lttng-consumerd',
  'wk-httpget',
  'sleep',
  'http-0',
  'http-1',
  'kworker/1:0',
  'ksoftirqd/1',
  'jbd2/vdb-8',
];

function random(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function threadsOf(host: number): ThreadEntry[] {
  const next = random(host + 7);
  return Array.from({ length: 46 }, (_, i) => ({
    key: String(100 + i),
    tid: 100 + i,
    pid: i % 5 === 0 ? 100 + i : 100 + i - (i % 5),
    name: NAMES[i % NAMES.length],
    kernelThread: i % 11 === 0 || i % 11 > 7,
    attribute: 10 + i,
    cpuTimeNs: Math.round(next() ** 4 * 4e8),
    ran: i < 30,
    runs: 5,
    wakeups: 4,
    migrations: 1,
    firstNs: 0,
    lastNs: LENGTH,
  }));
}

const hosts = ['client', 'server'].map((name, index) => ({ index, name, threads: threadsOf(index) }));

const rows: readonly RowInfo[] = rowTree(
  hosts.map((host) => ({
    index: host.index,
    name: host.name,
    cpus: [0, 1].map((cpu) => ({ cpu, attribute: cpu, busyNs: 1e9 })),
    threads: host.threads,
    streams: [],
    firstNs: 0,
    lastNs: LENGTH,
  })),
);

const info = (faults: ExperimentInfo['faults']): ExperimentInfo => ({
  key: 'fake',
  name: 'two-hosts-http',
  originNs: '1795224000000000000',
  lengthNs: LENGTH,
  events: 44_365,
  bytes: 920_000_000,
  hosts: hosts.map(({ index, name }) => ({
    index,
    name,
    hostname: 'wake',
    events: 19_048 + index * 6_269,
    cpus: 2,
    firstNs: 0,
    lastNs: LENGTH,
    lost: [],
  })),
  hasKernel: true,
  streams: [0, 1, 2, 3].map((i) => ({
    name: `kernel_${i % 2}`,
    host: i >> 1,
    trace: i < 2 ? 'client/kernel' : 'server/kernel',
    bytes: 100,
    readBytes: [100, 72, 58, 55][i],
    packets: [410, 393, 612, 598][i],
    events: [5.2e6, 3.8e6, 6.4e6, 6e6][i],
    state: (['complete', 'reading', 'reading', 'damaged'] as const)[i],
  })),
  faults,
  discardedEvents: 0,
  fromStore: false,
});

export function fakeSession(): SessionApi {
  const opened = info([
    {
      code: 'packet-size',
      place: { file: 'server/kernel/kernel_1', packet: 17, byte: 2_228_224, field: 'content_size' },
      expected: 'at most 1048576 bits',
      found: '4294967295 bits',
      readSoFar: '16 of 598 packets',
    },
  ]);
  const open = (files: number, onUpdate: (update: SessionUpdate) => void) => {
    const endless = window.location.search.includes('reading');
    const progress = {
      phase: endless ? 'reading' : 'done',
      bytes: 561e6,
      totalBytes: 920e6,
      events: 21_400_000,
      seconds: 6.9,
      watermarkNs: 3.58e9,
    } as const;
    onUpdate({ progress, info: opened, rows });
    if (files === 1) {
      return Promise.resolve({
        ok: false,
        fault: {
          code: 'metadata-syntax',
          place: {
            file: 'kernel/metadata',
            line: 12,
            column: 9,
            excerpt: '    uuid "d18e6374-35a1-cd42-8e70-a9cffa712793";',
          },
          expected: '"="',
          found: 'a string',
        },
      } as const);
    }
    return Promise.resolve({ ok: true, info: opened, rows } as const);
  };
  const threads = hosts.flatMap((host) =>
    host.threads.map((t): ThreadCpuStat => {
      const user = Math.round(t.cpuTimeNs * 0.6);
      const states = [
        2e7,
        user,
        t.cpuTimeNs - user,
        t.cpuTimeNs * 0.1,
        0,
        t.cpuTimeNs * 0.3,
        LENGTH * 0.7,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ];
      return {
        row: `thread:${host.index}:${t.key}`,
        name: t.name,
        tid: t.tid,
        pid: t.pid,
        host: host.index,
        states,
        runs: 3,
        wakeups: 3,
        migrations: t.tid % 7,
      };
    }),
  );
  const cpus = hosts.flatMap((host) =>
    [0, 1].map((cpu): CpuStat => ({
      row: `cpu:${host.index}:${cpu}`,
      cpu,
      host: host.index,
      idle: 3.5e9,
      user: 1e9,
      kernel: 0.9e9,
      hardirq: 1e8,
      softirq: 2e8,
      timer: 5e7,
      unknown: 1e8,
    })),
  );
  const day = 86_400_000;
  const recent = [
    {
      key: 'a',
      name: 'two-hosts-http',
      openedMs: Date.now() - 3.6e6,
      hosts: 2,
      events: 44_365,
      lengthNs: LENGTH,
      lostEvents: 0,
      bytes: 1,
    },
    {
      key: 'b',
      name: 'executions-disk',
      openedMs: Date.now() - 7.2e6,
      hosts: 1,
      events: 66_352,
      lengthNs: 1.579e9,
      lostEvents: 0,
      bytes: 1,
    },
    {
      key: 'c',
      name: 'lost-events',
      openedMs: Date.now() - day,
      hosts: 1,
      events: 11_931,
      lengthNs: 2.1e9,
      lostEvents: 37_775,
      bytes: 1,
    },
    {
      key: 'd',
      name: 'deadlock-timeout',
      openedMs: Date.now() - 3 * day,
      hosts: 1,
      events: 8_498,
      lengthNs: 0.846e9,
      lostEvents: 0,
      bytes: 1,
    },
  ];
  return {
    open: (files, _options, onUpdate) => open(files.length, onUpdate),
    reopen: (_key, onUpdate) => open(2, onUpdate),
    cancel: () => Promise.resolve(),
    close: () => Promise.resolve(),
    recent: () => Promise.resolve(window.location.search.includes('norecent') ? [] : recent),
    forget: () => Promise.resolve(),
    storage: () => Promise.resolve({ kind: 'indexeddb', usedBytes: 0, quotaBytes: 1e9 }),
    tile: (_host, attributes, from, to, bucketNs) =>
      Promise.resolve({
        from,
        to,
        bucketNs,
        rowStart: new Uint32Array(attributes.length + 1),
        begin: new Float64Array(),
        end: new Float64Array(),
        value: new Float64Array(),
        mix: new Int32Array(),
        shares: new Uint8Array(),
      }),
    load: (_host, _attributes, from, to, bucketNs) =>
      Promise.resolve(new Float32Array(Math.ceil((to - from) / bucketNs))),
    density: () => Promise.resolve(new Float32Array()),
    interval: (row) =>
      Promise.resolve({
        row,
        from: 4_015_900_123,
        to: 4_028_669_211,
        value: 6 + 4 * 16,
        state: 6,
        stateText: 'Blocked, on the network',
        causeText: 'woken by http-1',
        waker: 'thread:1:107',
        wakerName: 'http-1',
        syscall: 'read',
        cpu: 1,
        previous: { from: 4_015_000_000, to: 4_015_900_123, stateText: 'Running, kernel', value: 2 },
        next: { from: 4_028_669_211, to: 4_028_700_000, stateText: 'Runnable, woken', value: 5 },
      }),
    neighbour: () => Promise.resolve(undefined),
    cpuStats: () => Promise.resolve({ from: 0, to: LENGTH, cpus, threads }),
    countStats: () =>
      Promise.resolve({
        approximate: false,
        events: ['sched_switch', 'sched_waking', 'irq_handler_entry', 'syscall_entry_read'].map(
          (name, i) => ({
            name,
            domain: 'kernel',
            count: 20_000 / (i + 1),
            bytes: 0,
            firstNs: 1e6 * i,
            lastNs: LENGTH - i,
          }),
        ),
      }),
    ioStats: () =>
      Promise.resolve({
        approximate: true,
        threads: threads.slice(0, 9).map((t, i) => ({
          row: t.row,
          name: t.name,
          tid: t.tid,
          pid: t.pid,
          read: { bytes: 123456 * i, ops: i * 3, errors: 0 },
          write: { bytes: 999 * i, ops: i, errors: 1 },
        })),
        files: [
          {
            path: '/var/lib/data.db',
            read: { bytes: 1e6, ops: 12, errors: 0 },
            write: { bytes: 4096, ops: 1, errors: 0 },
          },
        ],
        disks: [{ dev: '254:16', requests: 341, sectors: 8000, meanLatencyNs: 2.1e6, maxLatencyNs: 2.5e7 }],
      }),
    eventsAround: () => Promise.resolve([]),
  };
}
