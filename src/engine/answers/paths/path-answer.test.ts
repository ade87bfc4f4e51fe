import { describe, expect, it, vi } from 'vitest';
import { type PlainStream, streamsOf } from '../../../../test/support/batches.ts';
import { scenario, type Scenario } from '../../../../test/support/scenario.ts';
import { LABELS } from '../../graph/path-codes.ts';
import { DisplayTime } from '../context/display-time.ts';
import { unpackParts } from './packed-parts.ts';
import { PathAnswers } from './path-answer.ts';
import type { PackedPathParts, PathAnswer, PathRequest } from '../../protocol/paths.ts';
import { PathFinder } from './path-finder.ts';
import { kernelHostOf, streamsInOrder } from '../../../../test/support/stored-states.ts';
import { type KernelHost } from '../context/host.ts';

const A = 10;
const B = 20;
const QUESTION: PathRequest = { row: `thread:0:${A}`, criterion: 'main-task' };
/** Display time of the host's time 0. */
const SHIFT = 1000;
const TIME = new DisplayTime([{ name: 'host', baseNs: 0n, offsetNs: 0n, firstEvent: 0 }]);

const finderOver = (host: KernelHost) => new PathFinder([host], () => undefined, TIME);

function finderOf(streams: readonly PlainStream[], end: number): PathFinder {
  return finderOver(kernelHostOf(streams, end, { shift: SHIFT }));
}

function finder(story: Scenario, end: number): PathFinder {
  return finderOf(streamsInOrder(story.events), end);
}

async function ask(from: PathFinder, request: Partial<PathRequest> = {}): Promise<PathAnswer> {
  const answer = await new PathAnswers(from).answer({ ...QUESTION, ...request });
  if (answer === undefined) throw new Error('an answer is expected');
  return answer;
}

/** The same, and what its time consists of. */
async function askForParts(from: PathFinder, request: Partial<PathRequest>): Promise<PackedPathParts> {
  const answers = new PathAnswers(from);
  const answer = await answers.answer({ ...QUESTION, ...request });
  const parts = await answers.parts({ path: answer?.id ?? NaN });
  if (parts === undefined) throw new Error('parts are expected');
  return parts;
}

/** `TID FROM-TO LABEL: CAUSE` in the host's times. */
function linesOf({ segments: s, workers, causes }: PathAnswer): string[] {
  return Array.from({ length: s.length }, (_, i) => {
    const cause = s.cause[i] < 0 ? '' : `: ${causes[s.cause[i]]}`;
    const { tid, name } = workers[s.worker[i]];
    return `${tid ?? name} ${s.from[i] - SHIFT}-${s.to[i] - SHIFT} ${LABELS[s.label[i]]}${cause}`;
  });
}

/** A waits for B, which first ends a call of its own. */
function waitFor(): Scenario {
  return scenario()
    .switch(0, 0, 0, 0, A, 'ann')
    .switch(0, 1, 0, 0, B, 'bob')
    .add(20, 0, 'syscall_entry_futex')
    .switch(30, 0, A, 1, 0)
    .enter(40, 0, 'softirq', 1)
    .leave(42, 0, 'softirq', 1)
    .waking(70, 1, A)
    .switch(75, 0, 0, 0, A, 'ann')
    .add(80, 0, 'syscall_exit_futex');
}

describe('the answer to a path', () => {
  it('has segments in display time, with workers and causes in words', async () => {
    const answer = await ask(finder(waitFor(), 100));
    expect(linesOf(answer)).toEqual([
      '10 0-30 running',
      '20 30-70 running',
      '10 70-75 preempted',
      '10 75-100 running',
    ]);
    expect(answer).toMatchObject({ from: SHIFT, to: SHIFT + 100, unexplainedNs: 0, missing: [] });
    expect(answer.workers.map(({ row, name }) => [row, name])).toEqual([
      ['thread:0:10', 'ann'],
      ['thread:0:20', 'bob'],
    ]);
    expect(Array.from(answer.segments.depth)).toEqual([0, 1, 0, 0]);
  });

  it('adds up to the range, by worker and state and as a tree', async () => {
    const range = { from: SHIFT + 10, to: SHIFT + 90 };
    const { parts: packed, waitsFor, workers } = await askForParts(finder(waitFor(), 100), { range });
    const parts = unpackParts(packed);
    expect(parts.reduce((sum, { ns }) => sum + ns, 0)).toBe(80);
    // 1: user mode, 2: in the call, 4: woken, 15: bob makes no call, so its mode is not known.
    expect(parts.map(({ worker, value, ns }) => [worker, value, ns])).toEqual([
      [1, 15, 40],
      [0, 1, 20],
      [0, 2, 15],
      [0, 4, 5],
    ]);
    expect(workers.map(({ name }) => name)).toEqual(['ann', 'bob']);
    const textOf = (frame: number): string => waitsFor.texts[waitsFor.text[frame]];
    expect(waitsFor.ns[0]).toBe(80);
    expect(Array.from(waitsFor.parent).every((parent, i) => parent < i)).toBe(true);
    const bob = waitsFor.text.indexOf(waitsFor.texts.indexOf('bob'));
    expect([waitsFor.ns[bob], textOf(waitsFor.parent[bob])]).toEqual([40, 'Blocked']);
  });

  it('names the thread that was asked for, also where others take all of its time', async () => {
    const range = { from: SHIFT + 35, to: SHIFT + 65 };
    const answer = await ask(finder(waitFor(), 100), { range });
    expect(linesOf(answer)).toEqual(['20 35-65 running']);
    expect(answer.workers.find(({ row }) => row === answer.row)?.name).toBe('ann');
    // The parts number the workers as the segments do.
    const { workers, parts } = await askForParts(finder(waitFor(), 100), { range });
    expect(workers).toEqual(answer.workers);
    expect(unpackParts(parts).map(({ worker }) => workers[worker].name)).toEqual(['bob']);
  });

  it('knows no path of what is no thread', async () => {
    const answers = new PathAnswers(finder(waitFor(), 100));
    expect(await answers.answer({ row: 'cpu:0:1', criterion: 'exact' })).toBeUndefined();
    expect(await answers.answer({ row: 'thread:0:999', criterion: 'exact' })).toBeUndefined();
  });

  it('has parts for the path that was asked for last', async () => {
    const answers = new PathAnswers(finder(waitFor(), 100));
    const partsOf = (answer: PathAnswer | undefined) => answers.parts({ path: answer?.id ?? NaN });
    expect(await answers.parts({ path: 1 })).toBeUndefined();
    const earlier = await answers.answer(QUESTION);
    const later = await answers.answer({ ...QUESTION, range: { from: SHIFT, to: SHIFT + 50 } });
    expect(await partsOf(earlier)).toBeUndefined();
    expect((await partsOf(later))?.parts.ns.reduce((sum, ns) => sum + ns, 0)).toBe(50);
    // Those of another criterion are compared with it, and it stays.
    const other = await answers.answer({ ...QUESTION, criterion: 'exact' });
    for (const answer of [later, other]) expect(await partsOf(answer)).toBeDefined();
    // A path of the same trace, opened again, has another id.
    const again = new PathAnswers(finder(waitFor(), 100));
    await again.answer(QUESTION);
    expect(await again.parts({ path: later?.id ?? NaN })).toBeUndefined();
  });

  it('leaves a question that a later one overtook', async () => {
    const answers = new PathAnswers(finder(waitFor(), 100));
    const [earlier, later] = await Promise.all([answers.answer(QUESTION), answers.answer(QUESTION)]);
    expect(earlier).toBeUndefined();
    expect(later).toBeDefined();
  });

  it('leaves a question that nobody waits for any more', async () => {
    const answers = new PathAnswers(finder(waitFor(), 100));
    const abort = new AbortController();
    const question = answers.answer(QUESTION, abort.signal);
    abort.abort();
    expect(await question).toBeUndefined();
  });

  it('leaves an earlier question also where its graph was made later', async () => {
    const known = finder(waitFor(), 100);
    const graph = await known.graph();
    let giveGraph: () => void = () => undefined;
    const slow = new Promise<typeof graph>((resolve) => (giveGraph = () => resolve(graph)));
    vi.spyOn(known, 'graph').mockReturnValueOnce(slow);
    const answers = new PathAnswers(known);
    const earlier = answers.answer(QUESTION);
    const later = { ...QUESTION, range: { from: SHIFT, to: SHIFT + 50 } };
    const answer = answers.answer(later);
    giveGraph();
    expect(await earlier).toBeUndefined();
    expect(await answers.parts({ path: (await answer)?.id ?? NaN })).toBeDefined();
  });

  it('reads anew what could not be read', async () => {
    const host = kernelHostOf(streamsOf(waitFor().events), 100, { shift: SHIFT });
    const known = finderOver(host);
    vi.spyOn(host, 'logs').mockRejectedValueOnce(new Error('the store is busy'));
    const answers = new PathAnswers(known);
    await expect(answers.answer(QUESTION)).rejects.toThrow('the store is busy');
    expect(await answers.answer(QUESTION)).toBeDefined();
  });
});

describe('what was not recorded', () => {
  it('no wake-ups', async () => {
    const story = scenario().switch(0, 0, 0, 0, A).switch(30, 0, A, 1, 0).switch(75, 0, 0, 0, A);
    const answer = await ask(finder(story, 100));
    expect(linesOf(answer)[1]).toBe('10 30-75 blocked: ended without a recorded wake-up');
    expect(answer.unexplainedNs).toBe(45);
    expect(answer.missing).toEqual([
      {
        text: 'No wake-ups were recorded: it is not known who ended a wait.',
        command: 'lttng enable-event --kernel sched_waking,sched_wakeup,sched_wakeup_new',
      },
    ]);
  });

  it('only sched_wakeup', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, 0, 0, B)
      .switch(30, 0, A, 1, 0)
      .wakeup(70, 1, A)
      .switch(75, 0, 0, 0, A);
    const answer = await ask(finder(story, 100));
    expect(linesOf(answer)).toContain('20 30-70 running');
    expect(answer.missing.map(({ command }) => command)).toEqual([
      'lttng enable-event --kernel sched_waking,sched_wakeup,sched_wakeup_new',
      'lttng enable-event --kernel irq_handler_entry,irq_handler_exit,irq_softirq_entry,irq_softirq_exit,timer_hrtimer_expire_entry,timer_hrtimer_expire_exit',
    ]);
  });

  it('no interrupts, where that takes the path to another thread', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, 0, 0, B)
      .switch(30, 0, A, 1, 0)
      .waking(70, 1, A)
      .switch(75, 0, 0, 0, A);
    const answer = await ask(finder(story, 100));
    expect(answer.missing.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^No interrupts and timers were recorded/),
    ]);
    const alone = await ask(finder(story, 100), { range: { from: SHIFT, to: SHIFT + 30 } });
    expect(alone.missing).toEqual([]);
  });

  it('no interrupts, where one of them woke the thread on an idle CPU', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, B, 1, 0)
      .switch(30, 0, A, 1, 0)
      .waking(70, 1, A)
      .switch(75, 0, 0, 0, A);
    const answer = await ask(finder(story, 100));
    expect(linesOf(answer)[1]).toBe('10 30-70 blocked: woken from an idle CPU, waker unknown');
    expect(answer.unexplainedNs).toBe(40);
    expect(answer.missing.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^No interrupts and timers were recorded/),
    ]);
  });

  it('no packets', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, 0, 0, B)
      .switch(30, 0, A, 1, 0)
      .enter(60, 1, 'softirq', 3)
      .waking(70, 1, A)
      .leave(72, 1, 'softirq', 3)
      .switch(75, 0, 0, 0, A);
    const answer = await ask(finder(story, 100));
    expect(linesOf(answer)[1]).toBe('10 30-70 blocked: ended by the network');
    expect(answer.missing.map(({ command }) => command)).toEqual([
      'lttng enable-event --kernel net_dev_queue,net_if_receive_skb',
    ]);
  });

  it('a thread that never ran', async () => {
    const story = waitFor().waking(40, 1, 30);
    const answer = await ask(finder(story, 100), { row: 'thread:0:30' });
    expect(linesOf(answer)).toEqual(['30 40-100 preempted']);
    expect(answer.missing[0].text).toMatch(/never ran/);
  });

  it('events that were lost on the way', async () => {
    const [first, second] = streamsOf(waitFor().events);
    const lossy: PlainStream = {
      ...second,
      chunks: [[...second.chunks[0], { events: [], begin: 80, end: 90, discarded: 7 }]],
    };
    const answer = await ask(finderOf([first, lossy], 100));
    expect(answer.missing.map(({ text }) => /were lost/.test(text))).toEqual([true]);
    const before = await ask(finderOf([first, lossy], 100), { range: { from: SHIFT, to: SHIFT + 60 } });
    expect(before.missing).toEqual([]);
  });
});
