/** `profile PATH… --thread TID`: where the time of a thread went, by frames; `--path`: that of its active path. */
import { compareCodePoints } from '../../engine/base/compare.ts';
import { foldedStack } from '../../engine/layers/executions/union-tree.ts';
import { isKernelHost } from '../../engine/answers/context/host.ts';
import { samplingOf } from '../../engine/trace/read-trace.ts';
import { OFF_CPU_ORDERS, type OffCpuOrder, type ProfileAnswer } from '../../engine/protocol/profile.ts';
import { marginOf, type ProfileTree } from '../../engine/layers/stacks/profile.ts';
import { reportLosses } from '../messages.ts';
import { threadNamedAnywhere } from '../named-threads.ts';
import { type Command, oneOf, type Options, UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { faultsOf, readStacks, readStacksAndLocks } from '../read-layers.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { printTable } from './table.ts';

export const profile: Command = (paths, options) => {
  if (options.thread === undefined && options.of !== 'all')
    throw new UsageError('profile: --thread TID is expected');
  return onTrace(paths, options, async (session) => {
    await reportLosses(session);
    const { trace, firstNs, originNs } = session;
    const { worker, name, layers, answer } = await profileOf(session, options);
    const sampling = samplingOf(session.experiment.traces.map(({ model }) => model));
    if (options.json) {
      const { from, to, time, samples, measure } = answer;
      const of = OF_MEASURE[measure];
      printJson({
        originNs: String(originNs),
        ...{ worker, name },
        ...{ from: from - firstNs, to: to - firstNs, of, time, samples, sampling: sampling || undefined },
        ...tablesOf(answer),
      });
    } else printProfile(answer, sampling, options);
    return [...faultsOf(layers, 'stack'), ...trace.symbolFiles.faults];
  });
};

/** Words of output for what a profile measures. */
const OF_MEASURE = {
  ...{ running: 'thread', blocked: 'blocked', path: 'path' },
  ...{ elapsed: 'elapsed', samples: 'elapsed' },
} as const;

const SCOPES = ['thread', 'process', 'all'] as const;

/** Profile of a thread, its process or all threads. @throws UsageError where there is no such thread */
export async function profileOf(session: TraceSession, options: Options) {
  const offCpu = offCpuOrder(options);
  const of = oneOf('--of', SCOPES, options.of ?? SCOPES[0]);
  if (of !== 'thread' && options.path) throw new UsageError('profile: --path is of one thread, without --of');
  const { row, worker, name } =
    of === 'all' || options.thread === undefined
      ? { row: '', worker: 'all', name: '' }
      : await threadNamedAnywhere(session, options.thread);
  if (options.path && !session.hosts.some(isKernelHost))
    throw new UsageError('profile: --path needs a kernel trace, which this one has not');
  if (offCpu !== undefined && !session.hosts.some(isKernelHost))
    throw new UsageError('profile: --off-cpu needs a kernel trace, which this one has not');
  const { path, mangled: isMangled, inline: withInlined } = options;
  const measured = path ? 'path' : of;
  const request = { row, range: session.range, of: measured, offCpu, isMangled, withInlined } as const;
  const layers = await (offCpu === undefined ? readStacks : readStacksAndLocks)(session);
  const answer = await session.ask('profile', request, layers);
  if (answer === undefined) throw new Error('the profile was wanted');
  return { worker, name, layers, answer };
}

/** Order of the frames of blocked time; undefined: it is not asked for. @throws UsageError */
function offCpuOrder({ offCpu, by, path }: Options): OffCpuOrder | undefined {
  if (offCpu && path) throw new UsageError('profile: --off-cpu or --path, not both');
  if (!offCpu && by !== undefined) throw new UsageError('profile: --by needs --off-cpu');
  const order = oneOf('--by', OFF_CPU_ORDERS, by ?? OFF_CPU_ORDERS[0]);
  return offCpu ? order : undefined;
}

/** Numbers of samples, none for a thread without samples. */
function tablesOf({ tree, functions, samples }: ProfileAnswer): object {
  const margin = (count: number) => marginOf(count, samples);
  const stacks = stacksIn(tree);
  if (samples === 0) {
    return {
      stacks: stacks.map(({ text, ns }) => [text, ns]),
      functions: functions.map(({ name, self, total }) => ({ name, self, total })),
    };
  }
  return {
    stacks: stacks.map(({ text, ns, taken }) => [text, ns, taken, margin(taken)]),
    functions: functions.map((each) => ({ ...each, margin: margin(each.totalSamples) })),
  };
}

interface FoldedStack {
  readonly text: string;
  readonly ns: number;
  /** Number of samples. */
  readonly taken: number;
}

/** Stacks with time or samples of their own, by code point. */
export function stacksIn(tree: ProfileTree): FoldedStack[] {
  return Array.from(tree.ns, (ns, node) => ({ node, ns, taken: tree.samples[node] }))
    .filter(({ ns, taken }) => ns > 0 || taken > 0)
    .map(({ node, ...own }) => ({ text: foldedStack(tree, node), ...own }))
    .sort((a, b) => compareCodePoints(a.text, b.text));
}

/** Lines, by code point: ns, or where nothing else is known the number of samples. */
export function foldedProfile({ tree, measure }: Pick<ProfileAnswer, 'tree' | 'measure'>): string[] {
  const lines = stacksIn(tree);
  return measure === 'samples'
    ? lines.filter(({ taken }) => taken > 0).map(({ text, taken }) => `${text} ${taken}`)
    : lines.map(({ text, ns }) => `${text} ${ns}`);
}

function printProfile(answer: ProfileAnswer, sampling: string, { folded }: Options): void {
  const { functions, samples, measure } = answer;
  if (folded) {
    for (const line of foldedProfile(answer)) print(line, Infinity);
    return;
  }
  if (samples > 0 && sampling !== '') print(`Samples: ${sampling}.`, Infinity);
  if (measure === 'elapsed') print('No kernel was recorded: times are elapsed times, not CPU time.');
  if (measure === 'samples') {
    print('No kernel was recorded: these are numbers of samples, not times.');
    printTable(
      ['total samples', 'self', '± points', 'frame'],
      functions
        .filter(({ totalSamples }) => totalSamples > 0)
        .sort((a, b) => b.totalSamples - a.totalSamples || b.selfSamples - a.selfSamples)
        .map(({ name, selfSamples, totalSamples }) => [
          ...[totalSamples, selfSamples, marginOf(totalSamples, samples)],
          name,
        ]),
    );
  } else if (samples === 0) {
    printTable(
      ['total ns', 'self ns', 'frame'],
      functions.map(({ name, self, total }) => [total, self, name]),
    );
  } else {
    printTable(
      ['total ns', 'self ns', 'samples', '± points', 'frame'],
      functions.map(({ name, self, total, totalSamples }) => {
        return [total, self, totalSamples, marginOf(totalSamples, samples), name];
      }),
    );
  }
}
