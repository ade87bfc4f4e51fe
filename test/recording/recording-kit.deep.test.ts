/**
 * The libraries of `recording/`: they are built, a program that says what it did is recorded with them, and what was
 * recorded is opened as a user would. Only where LTTng's user-space tracer and a C compiler are installed.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/options.ts';
import { readStacks } from '../../src/cli/read-layers.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import { frameNames } from '../../src/engine/layers/stacks/frame-names.ts';
import type { StackTables } from '../../src/engine/layers/stacks/stack-tables.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { recordDemo, whatIsMissing } from '../support/kit-recording.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Lines of the program by their first word, the others as they are. */
type Said = ReadonlyMap<string, readonly (readonly string[])[]>;

function saidIn(output: string): Said {
  const said = new Map<string, string[][]>();
  for (const [what, ...rest] of output.split('\n').map((line) => line.split(' ')))
    said.set(what, [...(said.get(what) ?? []), rest]);
  return said;
}

interface RecordedStacks {
  readonly tables: StackTables;
  /** Frames of a stack, outermost first, joined by `;`. */
  readonly foldedOf: (stack: number) => string;
}

async function stacksOf(path: string): Promise<RecordedStacks> {
  const { options } = parseCommandLine(['profile', path], 0);
  const { session } = await openTraceSession([path], options);
  if (session === undefined) throw new Error(`${path} cannot be opened`);
  const [host] = (await readStacks(session)).info('stack')?.hosts ?? [];
  const { texts } = await frameNames(host.tables, session.trace.symbolFiles);
  const { parent, frame } = host.tables.tree;
  const framesOf = (stack: number): string[] =>
    parent[stack] < 0 ? [] : [...framesOf(parent[stack]), texts[frame[stack]]];
  return { tables: host.tables, foldedOf: (stack) => framesOf(stack).join(';') };
}

/** The rows of `inspect locks`, as far as they matter here. */
interface LockList {
  readonly locks: readonly {
    readonly kind: string;
    readonly rows: readonly (readonly [
      waiter: string,
      begin: number,
      end: number,
      to: number | null,
      outcome: string,
      mode: string,
      how: string,
      contended: number,
      by: string | null,
    ])[];
  }[];
}

/** What `inspect profile` says of functions, as far as it matters here. */
interface SampledProfile {
  readonly functions: readonly { readonly name: string; readonly totalSamples: number }[];
}

const missing = whatIsMissing();
if (missing !== undefined) console.warn(`the recording kit is not tried: ${missing}`);

describe.skipIf(missing !== undefined)('the recording kit', () => {
  const work = temporaryFolder();
  let trace: string;
  let said: Said = new Map();
  let stacks: RecordedStacks;

  beforeAll(async () => {
    const recorded = await recordDemo(work);
    trace = recorded.trace;
    expect(recorded.messages).toContain('only the program is recorded');
    said = saidIn(recorded.output);
    stacks = await stacksOf(trace);
  });

  /** What of the main thread's stacks lies below a function. */
  function mainThread() {
    const { tables, foldedOf } = stacks;
    const found = tables.threads.find(({ tid, pid }) => tid === pid);
    if (found === undefined) throw new Error('the main thread has no stacks');
    const { times, stacks: changes, samples } = found;
    const sampled = Array.from(samples, (time) => foldedOf(changes[times.findLastIndex((at) => at <= time)]));
    const inForce = Array.from(changes, (stack, i) => ({
      folded: foldedOf(stack),
      ns: (times.at(i + 1) ?? NaN) - times[i],
    }));
    return { sampled, inForce };
  }

  it('samples the CPU time of functions, each as often as it runs', () => {
    const [compress, checksum] = (said.get('function') ?? []).map(([, ms]) => Number(ms));
    const sampled = mainThread().sampled.filter((folded) => !folded.includes(';descend'));
    const inside = ['compress', 'checksum'].map(
      (name) => sampled.filter((folded) => folded.endsWith(`main;compute;handle_request;${name}`)).length,
    );
    const all = inside[0] + inside[1];
    // A kernel that ticks 250 times a second gives that many; some samples are in the first instruction of a function.
    expect(all).toBeGreaterThan(200);
    expect(all).toBeGreaterThan(0.95 * sampled.length);
    const share = compress / (compress + checksum);
    const standardError = Math.sqrt((share * (1 - share)) / all);
    expect(Math.abs(inside[0] / all - share)).toBeLessThan(4 * standardError);
  });

  it('has the stacks of long calls while they last, and not those of short ones', () => {
    const calls = said.get('calls') ?? [];
    expect(calls.map(([name]) => name)).toEqual(['take_nap', 'read_reply']);
    const { inForce } = mainThread();
    for (const [name, , count, ms] of calls) {
      const long = inForce.filter(({ folded }) => folded.endsWith(`main;call;${name}`));
      const ns = long.reduce((sum, each) => sum + each.ns, 0);
      expect(ns).toBeGreaterThan(0.9 * Number(ms) * 1e6);
      // 100 more calls ended at once; on a busy machine one of them may have been held up.
      expect(long.length).toBeGreaterThan(0);
      expect(long.length).toBeLessThan(Number(count) + 10);
    }
  });

  it.each([
    ['spin', 'lock'],
    ['rwlock', 'lock'],
    ['mutex', 'timed'],
    ['sem', 'lock'],
    ['cond', 'lock'],
    ['barrier', 'lock'],
  ])('tells who waited for a %s, for whom, and how long', async (kind, way) => {
    const [waiter, holder, waited] = (said.get('wait') ?? []).find(([name]) => name === kind)?.slice(1) ?? [];
    const { locks } = await inspectJson<LockList>('locks', trace);
    const waits = locks
      .filter((lock) => lock.kind === kind)
      .flatMap(({ rows }) => rows)
      .filter(([worker, , , , , , how]) => worker === waiter && how === way);
    expect(waits).toHaveLength(1);
    const [[, begin, end, , outcome, , , contended, by]] = waits;
    expect({ outcome, contended, by }).toEqual({ outcome: 'acquired', contended: 1, by: holder });
    // The program's clock stands around the events.
    expect(end - begin).toBeLessThanOrEqual(Number(waited));
    expect(end - begin).toBeGreaterThan(0.5 * Number(waited));
  });

  it('has stacks as deep as the program calls itself', () => {
    const [[depth, ms]] = said.get('depth') ?? [];
    const { sampled } = mainThread();
    const inside = sampled.filter((folded) => folded.includes('main;descend'));
    expect(inside.length).toBeGreaterThan(Number(ms) / 10);
    const whole = `main${';descend'.repeat(Number(depth))};keep_busy`;
    expect(inside.filter((folded) => folded.includes(whole)).length).toBeGreaterThan(0.95 * inside.length);
  });

  it('has the names of functions, locks and threads for the command line', async () => {
    const symbols = (await inspect('symbols', trace)).stdout;
    for (const name of ['compress', 'checksum', 'descend', 'take_nap', 'waiter'])
      expect(symbols).toMatch(new RegExp(`demo\\.c:\\d+ +${name}$`, 'm'));
    const locks = (await inspect('locks', trace)).stdout;
    for (const name of ['spinlock spin', 'rwlock rwlock', 'mutex mutex', 'semaphore sem', 'condition cond'])
      expect(locks).toMatch(new RegExp(`:0x[0-9a-f]+ +${name} of demo$`, 'm'));
    expect(locks).toMatch(/^ +2 .* barrier:\d+:0x[0-9a-f]+ +barrier barrier of demo$/m);
  });

  it('tells in which functions a thread was sampled, on the command line', async () => {
    const [[, main]] = said.get('calls') ?? [];
    const profile = await inspectJson<SampledProfile>('profile', trace, '--thread', main);
    const samplesOf = (name: string) =>
      profile.functions.find((each) => each.name === name)?.totalSamples ?? 0;
    const share = samplesOf('compress') / (samplesOf('compress') + samplesOf('checksum'));
    // 0.7 s of 1.2 s of CPU time.
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.67);
  });
});

describe.skipIf(missing !== undefined)('a program without frame pointers', () => {
  const folders = [temporaryFolder(), temporaryFolder()] as const;

  /** Number of stacks of the main thread, and how many of them reach `main`. */
  async function reached(folder: string, env: NodeJS.ProcessEnv): Promise<[all: number, main: number]> {
    const { trace } = await recordDemo(folder, { flags: ['-O2', '-fomit-frame-pointer', '-g'], env });
    const { tables, foldedOf } = await stacksOf(trace);
    const {
      stacks: changes,
      samples,
      times,
    } = tables.threads.find(({ tid, pid }) => tid === pid) ?? { ...{ stacks: [], samples: [], times: [] } };
    const sampled = Array.from(samples, (time) => changes[times.findLastIndex((at) => at <= time)]);
    const folded = [...sampled, ...changes].filter((stack) => stack >= 0).map(foldedOf);
    // The deepest recursion has more frames than are recorded.
    const shallow = folded.filter((one) => one.split(';').length < 128);
    return [shallow.length, shallow.filter((one) => one.split(';').includes('main')).length];
  }

  it('has stacks that reach main by its unwind tables', async () => {
    const [all, main] = await reached(folders[0], {});
    expect(all).toBeGreaterThan(200);
    expect(main).toBeGreaterThanOrEqual(0.95 * all);
    const [without, few] = await reached(folders[1], { WAKEPATH_UNWIND: 'frame-pointers' });
    expect(few).toBeLessThan(0.5 * without);
  });
});
