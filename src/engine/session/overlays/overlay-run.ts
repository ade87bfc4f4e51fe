/** Reads the overlays of an open trace: the driver once more, over the streams that have such events. */
import { type AnyHistory, createAnalysisSet } from '../../analysis/analysis-set.ts';
import { runAnalyses } from '../../analysis/driver.ts';
import { hostLength } from '../../analysis/reduced-host.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { findMembers } from '../../ctf/decode/members.ts';
import type { EventClass, StreamClass } from '../../ctf/model.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import { outlineLevel } from '../../history/outline.ts';
import { type HistoryRecords, HistoryWriter } from '../../history/persist.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import { createQuery } from '../../history/query.ts';
import { blockLoader, openHistory } from '../../history/stored-history.ts';
import { type OverlayDefinition, resolveOverlays } from '../../overlays/definition.ts';
import { declaresAny, eventShapes } from '../../overlays/event-shapes.ts';
import type { KernelThreads, OverlayTables } from '../../overlays/overlay-reducer.ts';
import { overlays, OVERLAYS_VERSION, type OverlaySettings, overlaysId } from '../../overlays/overlays.ts';
import { overlaySchemeOf } from '../../overlays/values.ts';
import { schemeById } from '../../registry.ts';
import { planChunks } from '../../trace/chunk-plan.ts';
import type { Chunk, Experiment, Trace } from '../../trace/types.ts';
import type { SessionEnvironment } from '../environment.ts';

/** The overlays of one host. */
export interface HostOverlays {
  readonly index: number;
  readonly tables: OverlayTables;
  readonly query: HistoryQuery;
}

/** What a run gave; plain but for the queries. */
export interface OverlayRun {
  readonly settings: OverlaySettings;
  readonly hosts: readonly HostOverlays[];
  readonly faults: readonly Fault[];
}

export const NO_OVERLAYS: OverlayRun = {
  settings: { definitions: [], kernel: false },
  hosts: [],
  faults: [],
};

export interface OverlayRequest {
  readonly environment: SessionEnvironment;
  readonly experiment: Experiment;
  readonly definitions: readonly OverlayDefinition[];
  readonly records: HistoryRecords;
  /** undefined: the host has no kernel's trace. */
  readonly kernelThreads: (host: number) => KernelThreads | undefined;
  /** TimeNs at which a host's trace ends, as far as other analyses know: spans without an end go on so far. */
  readonly endOf: (host: number) => number;
  readonly signal: AbortSignal;
}

/** undefined: cancelled. */
export async function runOverlays(request: OverlayRequest): Promise<OverlayRun | undefined> {
  const { environment, experiment, records, signal } = request;
  const settings = settingsOf(request);
  const chunks = chunksOf(experiment, settings);
  if (chunks.length === 0) return { ...NO_OVERLAYS, settings };
  const id = overlaysId(settings);
  const faults: Fault[] = [];
  const growing = experiment.hosts.map((host) => {
    const prefix = prefixOf(settings, host.index);
    const onFault = (fault: Fault) => void faults.push(fault);
    const writer = new HistoryWriter(records, { prefix, onFault });
    const builder = new HistoryBuilder({
      schemeOf: overlaySchemeOf,
      outlineLevel: outlineLevel(hostLength(experiment, host)),
      onSealed: (segment) => writer.add(segment),
    });
    const query = createQuery(builder, { load: blockLoader(records, prefix), onFault });
    return { index: host.index, writer, builder, query };
  });
  const workers = Math.min(environment.workers, chunks.length);
  const executor = await environment.startExecutor(experiment, [id], workers);
  try {
    const outcome = await runAnalyses({
      experiment,
      chunks,
      analyses: createAnalysisSet([overlays(settings, request.kernelThreads) as AnyHistory]),
      executor,
      sinkOf: (host) => growing[host].builder,
      signal,
    });
    if (outcome.state !== 'done') return undefined;
    append(faults, outcome.faults);
    const hosts: HostOverlays[] = [];
    for (const { index, builder, writer, query } of growing) {
      const { last } = outcome.spans[index];
      builder.finish(Math.max(request.endOf(index), Number.isNaN(last) ? -Infinity : last));
      await writer.finish(builder);
      hosts.push({ index, query, tables: outcome.histories[index].get(id) as OverlayTables });
    }
    return { settings, hosts, faults };
  } finally {
    executor.dispose();
  }
}

/** What of a run is stored beside its histories. */
export interface StoredRun {
  readonly version: number;
  readonly settings: OverlaySettings;
  readonly hosts: readonly Pick<HostOverlays, 'index' | 'tables'>[];
}

export function storedRun({ settings, hosts }: OverlayRun): StoredRun {
  return {
    version: OVERLAYS_VERSION,
    settings,
    hosts: hosts.map(({ index, tables }) => ({ index, tables })),
  };
}

/**
 * A stored run; undefined when it is of another version or cannot be read.
 * @param onFault hears of what of it cannot be read, now or later
 */
export async function reopenRun(
  stored: StoredRun,
  records: HistoryRecords,
  onFault: (fault: Fault) => void = () => undefined,
): Promise<OverlayRun | undefined> {
  if (stored.version !== OVERLAYS_VERSION) return undefined;
  const hosts: HostOverlays[] = [];
  for (const { index, tables } of stored.hosts) {
    const prefix = prefixOf(stored.settings, index);
    const opened = await openHistory(records, { prefix, schemeOf: schemeById, onFault });
    if (!opened.ok) {
      onFault(opened.fault);
      return undefined;
    }
    const query = createQuery(opened.value, { load: opened.value.load, onFault });
    hosts.push({ index, tables, query });
  }
  return { settings: stored.settings, hosts, faults: [] };
}

function settingsOf({ experiment, definitions: wanted, kernelThreads }: OverlayRequest): OverlaySettings {
  const shapes = eventShapes(experiment);
  const definitions = resolveOverlays(wanted, new Set(shapes.map(({ name }) => name)));
  const used = eventsOf(definitions);
  const isNested = experiment.hosts.some(({ index }) => kernelThreads(index)?.namespaces.isNested);
  const kernel =
    shapes.some(({ name, domain }) => domain === 'kernel' && used.has(name)) ||
    (isNested && experiment.traces.some((trace) => lacksNamespace(trace, used)));
  return { definitions, kernel };
}

/** Whether events of user space tell their thread, but not its pid namespace. */
function lacksNamespace({ domain, model }: Trace, used: ReadonlySet<string>): boolean {
  const has = (name: string, stream: StreamClass, event: EventClass) =>
    findMembers({ names: [name], kind: 'int', only: 'context' }, stream, event).length > 0;
  return (
    domain !== 'kernel' &&
    model.streams.some((stream) =>
      stream.events.some(
        (event) => used.has(event.name ?? '') && has('vtid', stream, event) && !has('pid_ns', stream, event),
      ),
    )
  );
}

function eventsOf(definitions: readonly OverlayDefinition[]): Set<string> {
  return new Set(definitions.flatMap(({ begin, end }) => [begin, end]));
}

/** Chunks of streams that may have such events; for kernel events also those that may tell who runs. */
function chunksOf(experiment: Experiment, { definitions, kernel }: OverlaySettings): Chunk[] {
  const used = eventsOf(definitions);
  return planChunks(experiment).filter(({ trace, stream }) => {
    const { domain, model, streams } = experiment.traces[trace];
    if (kernel && domain === 'kernel') return true;
    return declaresAny(model.streams[streams[stream].streamClass], used);
  });
}

/** Where the records of one host's overlays stand: those of other settings stay beside them. */
function prefixOf(settings: OverlaySettings, host: number): string {
  return `overlays/${hashOf(settings)}/${host}/`;
}

/** Tells settings apart, and nothing of what they are. */
export function hashOf(settings: OverlaySettings): string {
  return sha256Hex(new TextEncoder().encode(overlaysId(settings))).slice(0, 16);
}
