/** Reads a layer of an open trace by another run of the driver over streams with its events, and stores the result. */
import { type AnyHistory, createAnalysisSet, chunksRead } from '../../analysis/analysis-set.ts';
import { runAnalyses } from '../../analysis/driver.ts';
import { hostLength } from '../../analysis/reduced-host.ts';
import { append } from '../../base/append.ts';
import type { Fault } from '../../base/fault.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { HostNs } from '../../base/units.ts';
import { keepHistory, openHistory } from '../../history/stored-history.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import { createQuery } from '../../history/query.ts';
import {
  type Layer,
  type LayerKernel,
  type LayerTrace,
  type ReadHost,
  settingsId,
} from '../../layers/contract/layer.ts';
import { unreadableRecord } from '../damage.ts';
import type { SessionEnvironment } from '../environment.ts';

/** Data of a layer on one host. */
export interface LayerHost<Tables> {
  readonly index: number;
  readonly tables: Tables;
  readonly query: HistoryQuery;
}

/** Result of a run. */
export interface LayerRun<Settings, Tables> {
  readonly settings: Settings;
  readonly hosts: readonly LayerHost<Tables>[];
  readonly faults: readonly Fault[];
}

/** A run without its queries, as plain data. */
interface StoredRun<Tables> {
  readonly version: number;
  readonly hosts: readonly Pick<LayerHost<Tables>, 'index' | 'tables'>[];
  readonly faults: readonly Fault[];
}

export interface RunRequest {
  readonly environment: SessionEnvironment;
  readonly trace: LayerTrace;
  readonly records: HistoryRecords;
  /** Time of each host's last event, by host: intervals without an end extend to it. */
  readonly ends: readonly HostNs[];
  /** Tables and history of each host's kernel trace, by host; undefined: no kernel trace. */
  readonly kernels: readonly (LayerKernel | undefined)[];
  /** Last event of each thread, by host, where there is no kernel trace. */
  readonly lastOf: readonly ReadHost['lastOf'][];
  readonly signal: AbortSignal;
}

/** Executor for a layer that has nothing to read. */
const NO_CHUNKS = {
  parallel: 1,
  run: () => Promise.reject(new Error('there is no chunk')),
  dispose: () => undefined,
};

/** Runs a layer; undefined: cancelled. */
export async function runLayer<Settings, Tables, Log>(
  layer: Layer<unknown, unknown, Settings, Tables, Log>,
  settings: Settings,
  { environment, trace, records, ends, kernels, lastOf, signal }: RunRequest,
): Promise<LayerRun<Settings, Tables> | undefined> {
  const { experiment } = trace;
  const analysis = layer.analysis(settings, (host) => trace.kernelThreads(host));
  const faults: Fault[] = [];
  const hosts: LayerHost<Tables>[] = [];
  const analyses = createAnalysisSet([analysis as AnyHistory]);
  const chunks = chunksRead(experiment, analyses);
  if (chunks.length > 0 || layer.isOfStates === true) {
    const growing = experiment.hosts.map((host) => {
      const prefix = hostPrefix(layer, settings, host.index);
      const onFault = (fault: Fault) => void faults.push(fault);
      const history = keepHistory({
        records,
        prefix,
        lengthNs: hostLength(experiment, host),
        schemeOf: ([first]) => layer.schemes[first],
        onFault,
        onDamage: onFault,
      });
      return { index: host.index, ...history };
    });
    const workers = Math.min(environment.workers, chunks.length);
    const executor =
      chunks.length === 0 ? NO_CHUNKS : await environment.startExecutor(experiment, [analysis.id], workers);
    try {
      const outcome = await runAnalyses({
        experiment,
        chunks,
        analyses,
        executor,
        sinkOf: (host) => growing[host].builder,
        signal,
      });
      if (outcome.state !== 'done') return undefined;
      append(faults, outcome.faults);
      for (const { index, builder, writer, query } of growing) {
        const { last } = outcome.spans[index];
        const end = Math.max(ends[index], Number.isNaN(last) ? -Infinity : last);
        const log = outcome.histories[index].get(analysis.id) as Log;
        const { showsRows } = environment;
        const host = { index, end, kernel: kernels[index], lastOf: lastOf[index], signal, showsRows };
        const tables = (await layer.complete?.(log, builder, host)) ?? (log as unknown as Tables);
        if (signal.aborted) return undefined;
        builder.finish(end);
        await writer.finish(builder);
        hosts.push({ index, query, tables });
      }
    } finally {
      executor.dispose();
    }
  }
  const stored: StoredRun<Tables> = {
    version: analysis.version,
    hosts: hosts.map(({ index, tables }) => ({ index, tables })),
    faults,
  };
  // If the store refuses, the layer stays in memory.
  await records.write([{ name: runRecord(layer, settings), value: stored }]);
  return { settings, hosts, faults };
}

/**
 * Reopens a stored run with these settings; undefined: nothing readable is stored.
 * @param onFault called with what cannot be read, now or later
 * @param isKept whether something is known to be stored, so that a missing record is a fault
 */
export async function reopenLayer<Settings, Tables, Log>(
  layer: Layer<unknown, unknown, Settings, Tables, Log>,
  settings: Settings,
  records: HistoryRecords,
  onFault: (fault: Fault) => void,
  isKept: boolean,
): Promise<LayerRun<Settings, Tables> | undefined> {
  const name = runRecord(layer, settings);
  const stored = (await records.read(name)) as StoredRun<Tables> | undefined;
  if (stored === undefined && isKept) onFault(unreadableRecord(name));
  if (stored?.version !== layer.analysis(settings).version) return undefined;
  const schemes = Object.values(layer.schemes);
  const schemeOf = (id: string) => schemes.find((scheme) => scheme.id === id);
  const hosts: LayerHost<Tables>[] = [];
  for (const { index, tables } of stored.hosts) {
    const prefix = hostPrefix(layer, settings, index);
    const opened = await openHistory(records, { prefix, schemeOf, onFault });
    if (!opened.ok) {
      onFault(opened.fault);
      return undefined;
    }
    const query = createQuery(opened.value, { load: opened.value.load, onFault });
    hosts.push({ index, tables, query });
  }
  return { settings, hosts, faults: stored.faults };
}

type Named = Pick<Layer<unknown, unknown, unknown, unknown>, 'id'>;

function runRecord({ id }: Named, settings: unknown): string {
  return `${id}/${hashOf(id, settings)}/run`;
}

/** Prefix of the records of one host's history; those of other settings are stored beside them. */
function hostPrefix({ id }: Named, settings: unknown, host: number): string {
  return `${id}/${hashOf(id, settings)}/${host}/`;
}

/** Hash by which settings of a layer are distinguished without being revealed. */
export function hashOf(layer: string, settings: unknown): string {
  return sha256Hex(new TextEncoder().encode(settingsId(layer, settings))).slice(0, 16);
}
