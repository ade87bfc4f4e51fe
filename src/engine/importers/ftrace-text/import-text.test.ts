import { describe, expect, test } from 'vitest';
import { unpackToMemory } from '../../../../test/support/unpack-to-memory.ts';
import { loadMetadata } from '../../ctf/metadata/load-metadata.ts';
import { recognise } from '../../trace/recognise.ts';
import { EventTexts } from './event-text.ts';

const texts = new EventTexts();
const read = (text: string) => {
  const event = texts.read(text, true);
  return event && [event.name, ...event.fields.map(({ name, value }) => `${name}=${value}`)].join(' ');
};

const TEXTS: readonly (readonly [text: string, event: string])[] = [
  [
    'sched_switch: prev_comm=a b prev_pid=0 x prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=c next_pid=8 next_prio=98',
    'sched:sched_switch prev_comm=a b prev_pid=0 x prev_pid=7 prev_prio=120 prev_state=256 next_comm=c next_pid=8 next_prio=98',
  ],
  [
    'sched_switch:         rcu_preempt:15 [120] W ==> swapper/3:0 [120]',
    'sched:sched_switch prev_comm=rcu_preempt prev_pid=15 prev_prio=120 prev_state=128 next_comm=swapper/3 next_pid=0 next_prio=120',
  ],
  [
    'sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=D|I ==> next_comm=12 next_pid=8 next_prio=120',
    'sched:sched_switch prev_comm=a prev_pid=7 prev_prio=120 prev_state=130 next_comm=12 next_pid=8 next_prio=120',
  ],
  [
    'sched_wakeup:         kworker/u8:0:9 [120] success=1 CPU:002',
    'sched:sched_wakeup comm=kworker/u8:0 pid=9 prio=120 success=1 target_cpu=2',
  ],
  [
    'sched_waking: comm=x pid=1 prio=2 pid=391 prio=120 target_cpu=001',
    'sched:sched_waking comm=x pid=1 prio=2 pid=391 prio=120 target_cpu=1',
  ],
  [
    'sched_stat_runtime: comm=sh pid=391 runtime=3900486 [ns] vruntime=18446744073709551615 [ns]',
    'sched_stat_runtime comm=sh pid=391 runtime=3900486 vruntime=18446744073709551615',
  ],
  ['softirq_entry: vec=7 [action=SCHED]', 'irq:softirq_entry vec=7 action=SCHED'],
  ['irq_handler_exit: irq=35 ret=handled', 'irq:irq_handler_exit irq=35 ret=1'],
  ['local_timer_entry: vector=236', 'irq_vectors:local_timer_entry vector=236'],
  [
    'sys_openat(dfd: ffffff9c, filename: 7f10, flags: 80000, mode: 0)',
    'syscalls:sys_enter_openat dfd=4294967196 filename=32528 flags=524288 mode=0',
  ],
  ['sys_openat -> 0xfffffffffffffffe', 'syscalls:sys_exit_openat ret=-2'],
  ['sys_enter_read:       fd: 0xffffffff, count: 0x00000340', 'syscalls:sys_enter_read fd=-1 count=832'],
  ['sys_exit_read: 0x340', 'syscalls:sys_exit_read ret=832'],
  ['sys_enter: NR 202 (7f01, 0, 0)', 'raw_syscalls:sys_enter id=202 args=7f01, 0, 0'],
  ['sys_exit: NR 202 = -110', 'raw_syscalls:sys_exit id=202 ret=-110'],
  [
    'block_rq_issue: 8,1 WS 4096 () 12345 + 8 none,0,0 [kworker/1:1]',
    'block:block_rq_issue dev=8388609 rwbs=WS bytes=4096 sector=12345 nr_sector=8 comm=kworker/1:1',
  ],
  [
    'block_rq_complete: 8,1 WS () 12345 + 8 [-5]',
    'block:block_rq_complete dev=8388609 rwbs=WS sector=12345 nr_sector=8 error=-5',
  ],
  [
    'contention_begin: 00000000abcdef01 (flags=MUTEX|READ)',
    'lock:contention_begin lock_addr=2882400001 flags=34',
  ],
  ['contention_end: 00000000abcdef01 (ret=0)', 'lock:contention_end lock_addr=2882400001 ret=0'],
  [
    'net_dev_xmit: dev=eth0 skbaddr=00000000abcdef01 len=66 rc=0',
    'net:net_dev_xmit name=eth0 skbaddr=2882400001 len=66 rc=0',
  ],
  ['sys_close <-do_syscall_64', 'ftrace:function function=sys_close parent=do_syscall_64'],
  [
    'function:             mutex_unlock <-- rb_simple_write',
    'ftrace:function function=mutex_unlock parent=rb_simple_write',
  ],
  [
    'funcgraph_entry:      ! 100.250 us |    a.isra.0();',
    'ftrace:funcgraph_entry function=a.isra.0 duration=100250',
  ],
  ['funcgraph_entry:                   |  b() {', 'ftrace:funcgraph_entry function=b'],
  ['funcgraph_exit:         0.543 us   |  }', 'ftrace:funcgraph_exit'],
  ['tracing_mark_write: hello: a=1', 'ftrace:print buf=hello: a=1'],
  ['print:                tracing_mark_write: hello', 'ftrace:print buf=hello'],
  ['own_event: begin of a=1 b=0x10 c=two words', 'own_event text=begin of a=1 b=16 c=two words'],
];

describe('the text of an event', () => {
  test.each(TEXTS)('%s', (text, event) => {
    expect(read(text)).toBe(event);
  });
});

/** Packets of a stream: begin, end, events that were lost so far. */
function packetsOf(stream: Uint8Array | undefined) {
  const view = new DataView((stream ?? new Uint8Array()).buffer, stream?.byteOffset, stream?.byteLength);
  const packets = [];
  for (let at = 0; at < view.byteLength; at += Number(view.getBigUint64(at + 4, true)) / 8)
    packets.push([20, 28, 36].map((offset) => Number(view.getBigUint64(at + offset, true))));
  return packets;
}

async function imported(lines: readonly string[]) {
  const result = await unpackToMemory({ 'trace.txt': new TextEncoder().encode(lines.join('\n')) });
  const metadata = result.files.get('trace.txt/metadata');
  const model = metadata && (await loadMetadata(metadata, 'metadata'));
  const stream = (cpu: number) => packetsOf(result.files.get(`trace.txt/cpu-${cpu}`));
  const events = model?.ok === true ? model.value.model.streams[0].events.map(({ name }) => name) : [];
  return { ...result, stream, events };
}

describe('lines of ftrace', () => {
  test('with any columns; lines of one µs keep their order; losses lie before the line behind them', async () => {
    const { stream, events, faults } = await imported([
      '# tracer: nop',
      '#',
      '          <idle>-0       [002] dNs4.     1.000002: softirq_raise: vec=1 [action=TIMER]',
      '  a-b c-12-391     [001] d.h2     1.000002: softirq_raise: vec=1 [action=TIMER]',
      '           <...>-4       (-----) [001]     1.000002: softirq_raise: vec=1 [action=TIMER]',
      'CPU:1 [LOST 12 EVENTS]',
      '              sh-391   (  390) [001] d..2.     1.000003123: softirq_raise: vec=1 [action=TIMER]\r',
      'CPU:2 [EVENTS DROPPED]',
      '              sh-391   (  390) [002] d..2.     1.000005: softirq_raise: vec=1 [action=TIMER]',
      'CPU:2 [7 EVENTS DROPPED]',
    ]);
    expect(faults).toEqual([]);
    expect(stream(2)).toEqual([
      [1_000_002_000, 1_000_002_000, 0],
      [1_000_002_000, 1_000_005_000, 1],
      [1_000_005_000, 1_000_005_000, 1],
      [1_000_005_000, 1_000_005_000, 8],
    ]);
    expect(stream(1)).toEqual([
      [1_000_002_001, 1_000_002_002, 0],
      [1_000_002_002, 1_000_003_123, 12],
      [1_000_003_123, 1_000_003_123, 12],
    ]);
    // One form with the column for interrupts, one without.
    const own = ['irq:softirq_raise', 'ftrace_thread', 'irq:softirq_raise', 'ftrace_thread'];
    expect(events).toEqual(own);
  });

  test('of latency formats: `trace-cmd report -l`, and µs since the begin by ftrace itself', async () => {
    const report = await imported([
      'cpus=4',
      'trace-cm-351     0..s..    99.986907: softirq_raise: vec=1 [action=TIMER]',
      '      sh-391    11d..2.    99.986909: softirq_raise: vec=1 [action=TIMER]',
    ]);
    expect(report.faults).toEqual([]);
    // A name of eight letters may be cut.
    expect(report.events).toEqual(['irq:softirq_raise', 'ftrace_thread']);
    expect([report.stream(0), report.stream(11)]).toEqual([
      [[99_986_907_000, 99_986_907_000, 0]],
      [[99_986_909_000, 99_986_909_000, 0]],
    ]);
    const own = await imported([
      '# tracer: nop',
      '#  cmd     pid   |||||| time  |   caller',
      '      sh-391       1d..2.    5us : softirq_raise: vec=1 [action=TIMER]',
      '      sh-391       1d.h2. 1000006us+: softirq_raise: vec=1 [action=TIMER]',
    ]);
    expect(own.faults).toEqual([]);
    expect(own.stream(1)).toEqual([[5000, 1_000_006_000, 0]]);
  });

  test('says what it leaves out', async () => {
    const { faults } = await imported([
      'cpus=1',
      'sh-391 [000] 1.000002: softirq_raise: vec=1 [action=TIMER]',
      'sh-391 [000] 1.000003: <stack trace>',
      ' => schedule',
      'anything',
      ' 0) + 12.3 us     |  }',
      `sh-391 [000] 1.000004: a: ${'x'.repeat(20_000)}`,
    ]);
    expect(faults.map(({ code, found }) => [code, found])).toEqual([
      ['records-left-out', '2 lines of stacks'],
      ['records-left-out', '1 line that are no events'],
      ['records-left-out', '1 line of a function graph without times'],
      ['records-left-out', '1 line that are too long'],
    ]);
  });

  test('are not those of `perf script`, which says what to do instead', async () => {
    const line = '              sh   396 [001]   113.593145: sched:sched_switch: prev_comm=sh';
    expect((await imported([line])).events).toEqual([]);
    expect(recognise('script.txt', new TextEncoder().encode(line))).toBe(
      'text of `perf script`: drop the perf.data that it was made of',
    );
  });

  /** A megabyte of each. */
  const HOSTILE: Readonly<Record<string, (line: number) => string>> = {
    'events of other names': (i) => `sh-${i} [000] 1.${String(i).padStart(6, '0')}: event_${i}: a=${i}`,
    'fields of other names': (i) => `sh-1 [000] 1.000001: event: f${i}=1 g${i * 7}=x`,
    'long lines of switches': () =>
      `sh-1 [000] 1.000001: sched_switch: ${'prev_comm=a prev_pid='.repeat(700)}`,
    'long lines of brackets': () => `sh-1 [000] 1.000001: block_rq_issue: 8,1 W ${'() '.repeat(5000)}`,
    'long lines of spaces': () => `sh-1${' '.repeat(16_000)}`,
    'long lines of latencies': () => `sh-1 0d..${'s'.repeat(8000)}${' '.repeat(8000)}1us`,
    'long lines of hyphens': () => `${'-1 '.repeat(5000)}`,
    'long lines of names': () => `sh-1 [000] 1.000001: e: ${'a=1 '.repeat(4000)}`,
    'numbers beyond all bounds': (i) =>
      `sh-999999999 [0${4000 + (i % 99)}] 99999999999${i % 10}.999999999: sched_wakeup: comm=a pid=${'9'.repeat(300)} prio=1 target_cpu=1`,
    'one line': () => 'x'.repeat(1000),
  };
  test.each(Object.entries(HOSTILE))('%s take their time only', async (name, lineOf) => {
    const lines = ['# tracer: nop', 'sh-1 [000] 1.000000: softirq_raise: vec=1 [action=TIMER]'];
    for (let size = 0, i = 0; size < 1e6; i++) {
      const line = lineOf(i);
      size += line.length + 1;
      lines.push(line);
    }
    const from = process.cpuUsage();
    const { files } = await imported(name === 'one line' ? [...lines.slice(0, 2), lines.join('')] : lines);
    const { user, system } = process.cpuUsage(from);
    expect(files.has('trace.txt/cpu-0')).toBe(true);
    expect((user + system) / 1e6).toBeLessThan(15);
  });
});
