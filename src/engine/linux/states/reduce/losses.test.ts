/** Where nothing is known: lost events, damaged packets and the time between two recordings. */
import { describe, expect, test } from 'vitest';
import { type PlainEvent, type PlainStream, streamsOf } from '../../../../../test/support/batches.ts';
import { A, B, C, twoRunning, scenario, tell, tellStreams } from '../../../../../test/support/scenario.ts';

/** Streams of two CPUs: CPU 1 loses events between 30 and 50, behind its first one, as its second packet reports. */
function lossy(zero: readonly PlainEvent[], one: readonly PlainEvent[], end = 85): PlainStream[] {
  const packets = [
    { events: one.slice(0, 1), begin: 0, end: 30 },
    { events: one.slice(1), begin: 50, end, discarded: 7 },
  ];
  return [
    { cpu: 0, chunks: [[{ events: zero }]] },
    { cpu: 1, chunks: packets.map((packet) => [packet]) },
  ];
}

describe('lost events', () => {
  const streams = () => {
    const zero = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(20, 0, A, 1, 0)
      .add(90, 0, 'sched_process_wait').events;
    const one = scenario()
      .switch(0, 1, 0, 0, B)
      .add(60, 1, 'syscall_entry_read')
      .switch(70, 1, B, 1, C)
      .waking(80, 1, A);
    return lossy(zero, one.events);
  };

  test('nothing is known of the CPU in the gap and after the last event of the packet that reports it', () => {
    const reduced = tellStreams(streams(), 100);
    expect(reduced.states(B)).toEqual(['running 0-30', 'unknown 30-70', 'blocked S 70-100']);
    expect(reduced.states(C)).toEqual(['running 70-80', 'unknown 80-100']);
    expect(reduced.tables.losses).toEqual([
      { cpu: 1, from: 30, to: 50, hidden: expect.any(Number) },
      { cpu: 1, from: 80, to: 85, hidden: expect.any(Number) },
    ]);
  });

  test('who waits for a CPU may have run while switches were lost on any', () => {
    const [woken, unseen, other] = [C, 41, 42];
    const zero = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(20, 0, A, 0, B)
      .waking(35, 0, woken)
      .switch(40, 0, B, 1, woken)
      .waking(42, 0, unseen)
      .switch(60, 0, woken, 1, A)
      .switch(65, 0, A, 1, unseen)
      .add(90, 0, 'sched_process_wait').events;
    const one = scenario().switch(0, 1, 0, 0, other).switch(70, 1, other, 1, 0).events;
    const reduced = tellStreams(lossy(zero, one), 100);
    expect(reduced.states(A).slice(1, 4)).toEqual(['preempted 20-30', 'unknown 30-50', 'preempted 50-60']);
    // All is known of who is seen again within the gap.
    expect(reduced.states(woken).slice(0, 2)).toEqual(['woken 35-40', 'user 40-60']);
    expect(reduced.states(unseen).slice(0, 2)).toEqual(['unknown 42-50', 'woken 50-65']);
  });

  describe('who is blocked in a loss', () => {
    /** B and C run on CPU 0 while A, which left at 20, is blocked; CPU 1 loses events from 30 to 50. */
    const running = () =>
      scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, B).waking(25, 0, 43).switch(60, 0, B, 0, C);
    const zero = (end: ReturnType<typeof scenario>) => {
      const one = scenario().switch(0, 1, 0, 0, 42).switch(90, 1, 42, 1, 0).events;
      const reduced = tellStreams(lossy(end.events, one, 95), 100);
      return { states: reduced.states(A).slice(1), waits: reduced.waits(A) };
    };

    test.each<[what: string, end: ReturnType<typeof scenario>, states: string[], waits: unknown[][]]>([
      [
        'and runs next was woken in it, and is ready when all is seen again',
        running().switch(70, 0, C, 0, A),
        ['blocked S 20-30', 'unknown 30-50', 'woken 50-70', 'user 70-100'],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and leaves a CPU next is unknown until then',
        running().switch(70, 0, A, 2, B),
        ['blocked S 20-30', 'unknown 30-70', 'blocked D 70-100'],
        [
          [20, 30, 'unknown: lost events?'],
          [70, 100, 'none?'],
        ],
      ],
      [
        'and is freed next is unknown until then',
        running().add(70, 0, 'sched_process_free', { tid: A }),
        ['blocked S 20-30', 'unknown 30-70', 'dead 70-100'],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and forked anew next is unknown until then',
        running().add(69, 0, 'sched_process_exit', { tid: A }).fork(70, 0, C, A),
        ['blocked S 20-30', 'unknown 30-70'],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and woken next was blocked all the time',
        running().waking(70, 0, A),
        ['blocked S 20-70', 'woken 70-90', 'unknown 90-100'],
        [[20, 70, `thread ${C}?`]],
      ],
      [
        'and came to wait there never seems to have waited',
        scenario().switch(0, 0, 0, 0, A).waking(25, 0, 43).switch(40, 0, A, 1, B).switch(70, 0, B, 0, A),
        ['unknown 40-50', 'woken 50-70', 'user 70-100'],
        [],
      ],
    ])('%s', (_, end, states, waits) => expect(zero(end)).toEqual({ states, waits }));
  });

  test('where the packet before does not say when it ended, nothing is known from the next one on', () => {
    const first = scenario().switch(0, 0, 0, 0, A).events;
    const second = scenario().switch(70, 0, A, 1, C).events;
    const packets = [
      { events: first, begin: 0, end: NaN },
      { events: second, begin: 50, end: 80, discarded: 7 },
    ];
    for (const chunks of [[packets], packets.map((packet) => [packet])]) {
      expect(tellStreams([{ cpu: 0, chunks }], 100).states(A)).toEqual([
        'user 0-50',
        'unknown 50-70',
        'blocked S 70-100',
      ]);
    }
  });

  test('nothing is known of a CPU behind the last event that a damaged packet gave', () => {
    const zero = scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, C).events;
    const one = scenario().switch(0, 1, 0, 0, B).switch(90, 1, B, 1, 0).events;
    const reduced = tellStreams(
      [
        { cpu: 0, chunks: [[{ events: zero, begin: 0, end: 50, damaged: true }]] },
        { cpu: 1, chunks: [[{ events: one, begin: 0, end: 95 }]] },
      ],
      100,
    );
    expect(reduced.states(C)).toEqual(['unknown 20-100']);
    expect(reduced.cpuTime(0)[0]).toBe(80);
    expect(reduced.tables.losses).toEqual([{ cpu: 0, from: 20, to: 50, hidden: expect.any(Number) }]);
    expect(reduced.waits(A)).toEqual([[20, 100, 'none?']]);
    expect(reduced.waits(B)).toEqual([[90, 100, 'none']]);
  });

  test('times that damage made up lift nothing', () => {
    const first = scenario().switch(0, 0, 0, 0, A).add(1e9, 0, 'x').events;
    const second = scenario().switch(70, 0, A, 1, 0).events;
    const chunks = [
      [{ events: first, begin: 0, end: 50, damaged: true }],
      [{ events: second, begin: 60, end: 80 }],
    ];
    expect(tellStreams([{ cpu: 0, chunks }], 100).states(A)).toEqual([
      'user 0-50',
      'unknown 50-70',
      'blocked S 70-100',
    ]);
  });

  test('a wait that overlaps a loss anywhere is lossy', () => {
    const reduced = tellStreams(streams(), 100);
    expect(reduced.waits(A)).toEqual([[20, 80, `thread ${C}?`]]);
    expect(reduced.waits(B)).toEqual([[70, 100, 'none?']]);
  });

  test('so is a wait that the trace does not end, with a loss behind the last event', () => {
    const story = scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, B).add(30, 0, 'sched_process_wait');
    const first = { events: [], begin: 0, end: 0 };
    const chunks = [[first, { events: story.events, begin: 0, end: 50, discarded: 3 }]];
    const reduced = tellStreams([{ cpu: 0, chunks }], 30);
    expect(reduced.tables.losses).toEqual([{ cpu: 0, from: 30, to: 50, hidden: expect.any(Number) }]);
    expect(reduced.waits(A)).toEqual([[20, 30, 'none?']]);
  });
});

describe('between two recordings', () => {
  /** A runs on CPU 0 and C on CPU 1, B waits, then nobody traces until 100, when A is found on CPU 0. */
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .switch(5, 1, 0, 0, B)
    .switch(10, 1, B, 1, C)
    .waking(20, 1, A)
    .switch(120, 0, A, 1, 0);

  const recordings = (events: readonly PlainEvent[]) => [
    ...streamsOf(events.filter(({ ts }) => ts < 100)),
    ...streamsOf(events.filter(({ ts }) => ts > 100)),
  ];
  const reduced = tellStreams(recordings(story.events), 130, { recordings: [110] });

  test('each ends at its last event, and what lives is unknown in the next one', () => {
    expect(reduced.states(A)).toEqual(['user 0-20', 'blocked S 120-130']);
    expect(reduced.states(C)).toEqual(['user 10-20', 'unknown 120-130']);
    expect(reduced.waits(B)).toEqual([[10, 20, 'none']]);
    expect(reduced.states(B).at(-1)).toEqual('unknown 120-130');
  });

  test('what lies between was not recorded: no loss, and no time of a CPU', () => {
    expect(reduced.tables.gaps).toEqual([{ from: 20, to: 120 }]);
    expect(reduced.tables.losses).toEqual([]);
    expect(reduced.tables.cpus.map(({ parts }) => parts)).toEqual([
      [
        { from: 0, to: 0 },
        { from: 120, to: 120 },
      ],
      [{ from: 5, to: 20 }],
    ]);
    expect(reduced.cpuTime(1)[0]).toBe(10);
  });

  test('a tid that is forked in the next one is another thread', () => {
    const events = [...story.events, ...scenario().fork(125, 0, A, C).events];
    const again = tellStreams(recordings(events), 130, { recordings: [110] });
    expect(again.states(`${C}#2`)).toEqual(['woken 125-130']);
    expect(again.tables.problems).toEqual({});
  });
});

test('the same history however the streams are cut', () => {
  const story = twoRunning()
    .enter(5, 1, 'softirq', 3)
    .waking(10, 1, A)
    .leave(11, 1, 'softirq', 3)
    .switch(12, 0, A, 1, 0)
    .wakeup(15, 0, A)
    .switch(16, 0, 0, 0, A)
    .fork(20, 1, B, C)
    .switch(30, 1, B, 0, C);
  const whole = tell(story, 40);
  const cut = tellStreams(streamsOf(story.events, 1), 40);
  expect(cut.history.attributes).toEqual(whole.history.attributes);
  for (const { path } of whole.history.attributes) {
    expect(cut.history.intervals(path.join('/'))).toEqual(whole.history.intervals(path.join('/')));
  }
  expect(cut.tables).toEqual(whole.tables);
});
