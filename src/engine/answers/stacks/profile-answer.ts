/** Profiles: where the time of threads went, or that of an active path. */
import { EcctReader } from '../../layers/executions/ecct/ecct-reader.ts';
import { threadName } from '../../layers/executions/ecct/thread-contexts.ts';
import { NOT_TRACER, type ThreadRows, tracerThreads } from '../../linux/states/reduce/kernel-tables.ts';
import { findPath } from '../../graph/find-path.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { Path } from '../../graph/path.ts';
import { type FlameChart, flameChart, StackRuns } from '../../layers/stacks/flame-chart.ts';
import { type ProfileTree, withoutWaker } from '../../layers/stacks/profile.ts';
import * as profiles from '../../layers/stacks/thread-profile.ts';
import type { PathGraph, PathHost } from '../paths/path-finder.ts';
import { type ProgramHost, programHosts } from '../rows/program-threads.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { isKernelHost } from '../context/host.ts';
import { threadRowId } from '../rows/event-rows.ts';
import { threadRow } from '../context/thread-rows.ts';
import { firstsOf } from '../rows/process-threads.ts';
import type { ProfileAnswer, ProfileRequest } from '../../protocol/profile.ts';
import { addBlocked, offCpuHost } from './off-cpu.ts';
import { ProfileSums } from './profile-sums.ts';
import { graphStacks, programStacks, stacksOf, tablesByNow } from './stacks-of.ts';

/** Profile; undefined: no such thread or path, or the question was given up. */
export const profileAnswer: AnswerTo<'profile'> = async (context, request) => {
  const known = await context.trace.paths.graph();
  if (known.hosts.length === 0)
    return request.offCpu === undefined ? elapsedProfile(context, request) : undefined;
  const sums = new ProfileSums();
  const inTime = request.of === 'thread' && request.inTime === true ? new StacksInTime() : undefined;
  const range =
    request.of === 'path'
      ? await addPath(sums, context, request, known)
      : await addThreads(sums, context, request, known, inTime);
  if (range === undefined) return undefined;
  const measure =
    request.of === 'path' ? 'path' : request.offCpu === undefined ? 'running' : ('blocked' as const);
  return answerOf(context, request, known.hosts, sums, inTime, { ...range, measure });
};

/** Row id of the thread with most samples; undefined: none has any. */
export async function mostSampled({ trace, layers }: QueryContext): Promise<string | undefined> {
  await layers?.begun;
  let [most, row]: [number, string | undefined] = [0, undefined];
  for (const { index, tables } of layers?.info('stack')?.hosts ?? []) {
    const kernel = trace.hosts.filter(isKernelHost).find((host) => host.index === index);
    for (const thread of tables?.threads ?? []) {
      if (thread.samples.length <= most) continue;
      most = thread.samples.length;
      row = kernel && thread.row >= 0 ? threadRow(kernel, thread.row) : threadRowId(index, thread);
    }
  }
  return row;
}

/** Profile of elapsed time where no kernel was recorded; undefined: no such thread, or a path is asked for. */
const elapsedProfile: AnswerTo<'profile'> = async (context, request) => {
  if (request.of === 'path') return undefined;
  const sums = new ProfileSums();
  const inTime = request.of === 'thread' && request.inTime === true ? new StacksInTime() : undefined;
  const hosts = await programHosts(context.trace);
  const chosen = placeOf(hosts, request.row);
  if (chosen === undefined && request.of !== 'all') return undefined;
  const range = request.range ?? lifeOf(hosts, chosen) ?? { from: 0, to: context.trace.lengthNs() };
  let isEntered = false;
  for (const [place, host] of hosts.entries()) {
    const { threads, clock } = host;
    const rows = programRows(host, request, place === chosen?.place ? chosen.row : -1);
    if (rows.length === 0) continue;
    if (inTime) inTime.clock = clock;
    const stacks = await programStacks(context, host, request);
    isEntered ||= rows.some((row) => stacks?.isEntered(row) === true);
    const living = rows.map((thread) => ({ thread, from: threads.from[thread], to: threads.to[thread] }));
    const [from, to] = [clock.toHost(range.from), clock.toHost(range.to)];
    const add = addTo(sums, request, (thread) => threads.name[thread], inTime);
    profiles.profileElapsed(living, stacks, from, to, add, inTime?.runs);
    sums.addLines(stacks, rows, from, to);
  }
  const answer = await answerOf(context, request, hosts, sums, inTime, { ...range, measure: 'elapsed' });
  return isEntered || answer.samples === 0 ? answer : { ...answer, measure: 'samples' };
};

/** A thread as the place of its host and its row there. */
interface ProgramPlace {
  readonly place: number;
  readonly row: number;
}

function placeOf(hosts: readonly ProgramHost[], id: string): ProgramPlace | undefined {
  for (const [place, { threads, rowId }] of hosts.entries())
    for (let row = 0; row < threads.length; row++) if (rowId(row) === id) return { place, row };
  return undefined;
}

function lifeOf(hosts: readonly ProgramHost[], chosen: ProgramPlace | undefined): TimeRange | undefined {
  if (chosen === undefined) return undefined;
  const { clock, threads } = hosts[chosen.place];
  return {
    from: clock.toExperiment(threads.from[chosen.row]),
    to: clock.toExperiment(threads.to[chosen.row]),
  };
}

/** @param chosen row of the requested thread; -1: it is of another host */
function programRows({ threads }: ProgramHost, { of }: ProfileRequest, chosen: number): number[] {
  if (of === 'thread') return chosen < 0 ? [] : [chosen];
  const all = Array.from({ length: threads.length }, (_, row) => row);
  if (of === 'all') return all;
  const { pid, ns } = threads;
  return all.filter((row) => chosen >= 0 && pid[row] === pid[chosen] && ns[row] === ns[chosen]);
}

async function answerOf(
  context: QueryContext,
  request: ProfileRequest,
  hosts: readonly { readonly index: number }[],
  sums: ProfileSums,
  inTime: StacksInTime | undefined,
  about: Pick<ProfileAnswer, 'from' | 'to' | 'measure'>,
): Promise<ProfileAnswer> {
  const profile = sums.profile();
  const tables = hosts.flatMap(({ index }) => tablesByNow(context, index) ?? []);
  const names = await Promise.all(tables.map((ofHost) => context.trace.frameNames(ofHost)));
  const sourceOf = (frame: string) =>
    names.map(({ sources }) => sources.get(withoutWaker(frame))).find(Boolean);
  const inliningOf = (frame: string) =>
    names.map(({ inlined }) => inlined.get(withoutWaker(frame))).find(Boolean);
  const { frames } = profile.tree;
  const inlined = request.withInlined === true ? frames.map(inliningOf) : frames.map(() => undefined);
  const chart = inTime?.chart(profile.tree);
  const { withoutStack } = sums;
  return { ...about, ...profile, sources: frames.map(sourceOf), inlined, withoutStack, chart };
}

/** Sequence of a thread's stacks over time. */
class StacksInTime {
  readonly runs = new StackRuns();
  /** Nodes in the tree, by number of the stack. */
  readonly nodes: number[] = [];
  clock: PathHost['clock'] | undefined;

  /** Flame chart with times of the experiment in place of the host's. */
  chart(tree: ProfileTree): FlameChart {
    const chart = flameChart(tree, this.runs, this.nodes);
    const { clock } = this;
    if (clock === undefined) return chart;
    const shown = (times: Float64Array) => times.map((time) => clock.toExperiment(time));
    return { ...chart, begin: shown(chart.begin), end: shown(chart.end) };
  }
}

/** Adds the stacks of threads; where there are several, the thread is the outermost frame of each stack. */
async function addThreads(
  sums: ProfileSums,
  context: QueryContext,
  request: ProfileRequest,
  known: PathGraph,
  inTime: StacksInTime | undefined,
): Promise<TimeRange | undefined> {
  const { trace, signal } = context;
  const { graph, hosts } = known;
  const worker = known.workerOfRow(request.row);
  const isAll = request.of === 'all';
  if (worker === undefined && !isAll) return undefined;
  const range =
    worker === undefined || isAll
      ? (request.range ?? { from: 0, to: trace.lengthNs() })
      : await trace.paths.rangeOf(known, worker, request.range);
  const place = worker === undefined ? undefined : graph.place(worker);
  const stacksAtGraph = request.offCpu === undefined ? [] : await graphStacks(context, known, request);
  for (const [i, host] of hosts.entries()) {
    const rows = isAll ? threadsOf(host) : place?.host === i ? rowsOf(host, place.thread, request) : [];
    if (rows.length === 0) continue;
    const { index, clock, query, tables } = host;
    if (inTime) inTime.clock = clock;
    const [from, to] = [clock.toHost(range.from), clock.toHost(range.to)];
    if (request.offCpu !== undefined) {
      const sources = await offCpuHost(context, known, i, stacksAtGraph[i].stacks);
      const asked = rows.map((thread) => ({ thread, from, to }));
      const shape = { order: request.offCpu, isNamed: request.of !== 'thread' };
      await addBlocked(sources, asked, shape, sums.tree, (_, node, ns) => sums.addAt(node, ns, 0), signal);
      continue;
    }
    const stacks = await stacksOf(context, index, request);
    const profiled = { query, threads: tables.threads, rows, stacks };
    const nameOf = (thread: number) => threadName(graph.hostData(i), thread);
    const add = addTo(sums, request, nameOf, inTime);
    await profiles.profileThreads(profiled, from, to, add, signal, inTime?.runs);
    sums.addLines(stacks, rows, from, to);
  }
  return range;
}

/** Adds stacks; those of one thread without its name, unless the stack would be empty. */
function addTo(
  sums: ProfileSums,
  { of }: ProfileRequest,
  nameOf: (thread: number) => string,
  inTime: StacksInTime | undefined,
): profiles.OnStack {
  return (thread, frames, ns, samples) => {
    if (of !== 'thread') sums.add([`thread ${nameOf(thread)}`, ...frames], ns, samples);
    else {
      if (frames.length === 0) sums.withoutStack = nameOf(thread);
      const node = sums.add(frames.length > 0 ? frames : [nameOf(thread)], ns, samples);
      inTime?.nodes.push(node);
    }
  };
}

/** Threads without idle ones, which do not run, and without the tracer's, which do no work of a program. */
function threadsOf({ tables: { threads } }: PathHost): number[] {
  const ofTracer = tracerThreads(threads);
  return withoutIdle(threads).filter((row) => ofTracer[row] === NOT_TRACER);
}

function withoutIdle({ length, idleCpu }: ThreadRows): number[] {
  return Array.from({ length }, (_, row) => row).filter((row) => idleCpu[row] < 0);
}

function rowsOf(host: PathHost, thread: number, { of }: ProfileRequest): number[] {
  if (of === 'thread') return [thread];
  const { threads } = host.tables;
  const all = withoutIdle(threads);
  const firsts = firstsOf(threads, threads.first, all);
  return all.filter((row) => firsts[row] === firsts[thread]);
}

async function addPath(
  sums: ProfileSums,
  context: QueryContext,
  request: ProfileRequest,
  known: PathGraph,
): Promise<TimeRange | undefined> {
  const path =
    request.path === undefined
      ? await mainPath(context, request, known)
      : context.trace.pathAnswers.pathOf(request.path, known);
  if (path === undefined) return undefined;
  const { graph, hosts } = known;
  const sources = await graphStacks(context, known, request);
  const { nodes, ns } = await new EcctReader({ graph, hosts: sources }, sums.tree).of(path);
  nodes.forEach((node, i) => sums.addAt(node, ns[i], 0));

  const { host, thread } = graph.place(path.worker);
  const { index, clock, query, tables } = hosts[host];
  const stacks = await stacksOf(context, index, request);
  const profiled = { query, threads: tables.threads, rows: [thread], stacks };
  const name = threadName(graph.hostData(host), thread);
  const [from, to] = [clock.toHost(path.from), clock.toHost(path.to)];
  await profiles.sampleThreads(profiled, from, to, (_, frames, ns, samples) =>
    sums.add(frames.length > 0 ? frames : [name], ns, samples),
  );
  sums.addLines(stacks, [thread], from, to);
  return { from: path.from, to: path.to };
}

async function mainPath(
  { trace, signal }: QueryContext,
  { row, range }: ProfileRequest,
  known: PathGraph,
): Promise<Path | undefined> {
  const worker: GraphWorker | undefined = known.workerOfRow(row);
  if (worker === undefined) return undefined;
  const asked = {
    worker,
    ...(await trace.paths.rangeOf(known, worker, range)),
    criterion: 'main task',
  } as const;
  return findPath(known.graph, asked, () => signal?.aborted !== true);
}
