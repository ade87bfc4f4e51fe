/** A session as the page has one, but in this thread and with a store of the test's choice. */
import { type Fault, ok, type Result } from '../../src/engine/base/fault.ts';
import { blobTempFiles } from '../../src/engine/io/browser-temp-files.ts';
import type { SourceOpener } from '../../src/engine/io/byte-source.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import type { TempFiles } from '../../src/engine/io/temp-file.ts';
import type {
  ExperimentInfo,
  Given,
  OpenOptions,
  OpenOutcome,
  SessionApi,
  SessionUpdate,
} from '../../src/engine/protocol/session.ts';
import { createMapSet } from '../../src/engine/analysis/analysis-set.ts';
import { analysisOf, type Layers } from '../../src/engine/layers/contract/layer.ts';
import { mapSet } from '../../src/engine/maps.ts';
import type { Download } from '../../src/engine/open/environment.ts';
import { unpackRows } from '../../src/engine/answers/rows/row-columns.ts';
import type { RowInfo, RowColumns } from '../../src/engine/protocol/rows.ts';
import { Session } from '../../src/engine/open/session.ts';
import { FallbackStore } from '../../src/engine/store/fallback-store.ts';
import { MemoryStore } from '../../src/engine/store/memory-store.ts';
import type { Store } from '../../src/engine/store/types.ts';
import { createLocalExecutor } from '../../src/workers/local-executor.ts';

export interface LocalSession {
  readonly api: SessionApi;
  readonly updates: readonly SessionUpdate[];
  /** How often workers were started. */
  readonly started: () => number;
  /** Workers that were started for an executor to come, and not ended since. */
  readonly prepared: () => number;
  /** Opens and waits until reading has ended. */
  open(given: Given, options?: OpenOptions): Promise<LocalOutcome>;
  reopen(key: string): Promise<OpenOutcome>;
  /** Resolves when reading has ended, however. */
  ended(): Promise<LocalOutcome>;
  /** Opens and returns as soon as questions can be asked. */
  begin(given: Given, options?: OpenOptions): Promise<OpenOutcome>;
}

/** As the page shows it when reading has ended. */
export interface LocalOutcome {
  readonly phase: SessionUpdate['progress']['phase'];
  readonly info: ExperimentInfo;
  readonly rows: readonly RowInfo[];
}

export interface LocalEnvironment {
  /** Behind the store that goes on in memory; default: one in memory. */
  readonly store?: Result<Store>;
  readonly openSource?: SourceOpener;
  /** Default: blobs, which go by themselves. */
  readonly tempFiles?: TempFiles;
  /** Default: no address can be read. */
  readonly download?: Download;
  /** Instead of those that are registered. */
  readonly layers?: Layers;
  readonly whenCodeIsBack?: () => Promise<void>;
  /** Called when the files are known and reading begins, with the workers that were started for it. */
  readonly onReading?: (prepared: number) => void;
}

export function localSession(environment: LocalEnvironment = {}): LocalSession {
  const open = environment.openSource ?? openSource;
  const updates: SessionUpdate[] = [];
  const layers = Object.values(environment.layers ?? {});
  const setOf = (ids: readonly string[]) =>
    createMapSet(
      ids.map((id) => layers.map((layer) => analysisOf(layer, id)).find(Boolean) ?? mapSet([id]).all[0]),
    );
  let started = 0;
  let prepared = 0;
  let onChange: (() => void) | undefined;
  let answered: RowColumns | undefined;
  const api = new Session({
    openSource: open,
    layers: environment.layers,
    whenCodeIsBack: environment.whenCodeIsBack,
    tempFiles: environment.tempFiles ?? blobTempFiles(),
    download: environment.download,
    openStore: () => {
      let fault: Fault | undefined;
      const store = new FallbackStore(environment.store ?? ok(new MemoryStore()), (found) => (fault = found));
      const estimate = () => Promise.resolve({ usedBytes: 0, quotaBytes: 0 });
      return Promise.resolve({ store, fault: () => fault, estimate });
    },
    startExecutor: async (experiment, analyses) => {
      started++;
      environment.onReading?.(prepared);
      const executor = createLocalExecutor({ experiment, analyses }, open, setOf);
      return { ...executor, dispose: () => undefined };
    },
    prepareWorkers: (workers) => {
      prepared += workers;
      return () => (prepared -= workers);
    },
    workers: 1,
  });
  const onUpdate = (update: SessionUpdate): void => {
    updates.push(update);
    onChange?.();
  };
  const begin = async (given: Given, options: OpenOptions = {}): Promise<OpenOutcome> => {
    updates.length = 0;
    const outcome = await api.open(given, options, onUpdate);
    answered = outcome.ok ? outcome.rows : undefined;
    return outcome;
  };
  const ended = async (): Promise<LocalOutcome> => {
    for (;;) {
      // Rows of layers come by themselves, behind the last of the trace.
      const last = updates.findLast((update) => update.info !== undefined);
      const rows = updates.findLast((update) => update.rows !== undefined)?.rows ?? answered;
      if (last?.info !== undefined && rows !== undefined && isEnd(last))
        return { phase: last.progress.phase, info: last.info, rows: unpackRows(rows) };
      await new Promise<void>((resolve) => (onChange = resolve));
    }
  };
  return {
    api,
    updates,
    started: () => started,
    prepared: () => prepared,
    begin,
    ended,
    async open(given, options) {
      const outcome = await begin(given, options);
      if (!outcome.ok) throw new Error(`not opened: ${JSON.stringify(outcome.fault)}`);
      return ended();
    },
    reopen: (key) => api.reopen(key, onUpdate),
  };
}

/** One that has opened files, and how that ended. */
export async function openLocal(given: Given, options?: OpenOptions): Promise<LocalSession & LocalOutcome> {
  const session = localSession();
  return { ...session, ...(await session.open(given, options)) };
}

function isEnd({ progress: { phase } }: SessionUpdate): boolean {
  return phase === 'done' || phase === 'cancelled' || phase === 'failed';
}
