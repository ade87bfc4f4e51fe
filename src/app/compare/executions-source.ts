/** Source of the executions that are compared: the open trace, or a file of executions. */
import { decodeDatabase, type ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { type ExecutionDefinition, isSameDefinition } from '../../engine/layers/executions/definition.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { isReading } from '../opening/progress-row.tsx';
import type { GroupRule } from './group-rule.ts';

/** Trace, clock origin and hosts of executions. */
type ExecutionsAbout = Omit<ExecutionDatabase, 'answer'>;

/** A source of executions. Methods that return no promise read signals. */
export interface ExecutionsSource {
  /** Undefined: not known yet. */
  about(): ExecutionsAbout | undefined;
  /** Whether it can be asked; it is asked again when a signal that this reads changes. */
  isReady(): boolean;
  /** Rule by which executions are divided at first. */
  usualRule(): GroupRule;
  /** Names of the recordings by whose time it divides; empty: there is one. */
  recordings(): readonly string[];
  /** Events, and pairs that their names suggest; undefined: not known yet. */
  overlays(): Promise<OverlayInfo | undefined>;
  /** Undefined: they cannot be found. */
  find(definition: ExecutionDefinition, signal: AbortSignal): Promise<ExecutionsAnswer | undefined>;
  readonly kept: ReturnType<typeof keptOthers>;
}

type KeptSession = Pick<SessionApi, 'keptExecutions' | 'executionsFile'>;

/** Executions of other traces. */
function keptOthers(session: KeptSession) {
  /** Traces whose executions of a kind are kept. */
  const list = (definition: ExecutionDefinition) => session.keptExecutions(definition);
  return {
    list,
    /** Finds the executions of a trace by its fingerprint; undefined: they are not kept, or cannot be read. */
    async find(trace: string, definition: ExecutionDefinition): Promise<ExecutionDatabase | undefined> {
      const one = (await list(definition)).find(({ key }) => fingerprintOf(key) === trace);
      const file = one && (await session.executionsFile(one.key, definition));
      const read = file && (await decodeDatabase(file, one.name));
      return read?.ok ? read.value : undefined;
    },
  };
}

type OpenTrace = Pick<Experiment, 'rows' | 'progress' | 'hasFiles' | 'info' | 'trace' | 'name'>;

export function traceSource(
  session: Pick<SessionApi, 'ask'> & KeptSession,
  { rows, progress, hasFiles, info, trace, name }: OpenTrace,
): ExecutionsSource {
  return {
    about: () =>
      info.value && {
        trace: trace.value ?? '',
        name: name.value,
        originNs: info.value.originNs || '0',
        hosts: info.value.hosts.map((host) => host.name),
      },
    isReady() {
      // Asked again when a layer's rows come, and when files come, from which events are read.
      void [rows.value, hasFiles.value];
      return !isReading(progress.value);
    },
    usualRule() {
      const { hosts = [], sideBySide = false } = info.value ?? {};
      // Recordings of one machine are usually opened together for a comparison.
      if (sideBySide) return { kind: 'host', host: 1 };
      const gap = hosts.length === 1 ? hosts[0].notRecorded.at(0) : undefined;
      return gap === undefined ? { kind: 'slow' } : { kind: 'time', at: gap.to };
    },
    recordings: () => info.value?.hosts.at(0)?.recordings ?? [],
    overlays: () => session.ask('overlays', {}),
    find: (definition, signal) => session.ask('executions', { definition }, { signal }),
    kept: keptOthers(session),
  };
}

export function fileSource(session: KeptSession, { answer, ...about }: ExecutionDatabase): ExecutionsSource {
  return {
    about: () => about,
    isReady: () => true,
    usualRule: () => ({ kind: 'slow' }),
    recordings: () => [],
    overlays: () => Promise.resolve(undefined),
    find: (definition) =>
      Promise.resolve(isSameDefinition(definition, answer.definition) ? answer : undefined),
    kept: keptOthers(session),
  };
}
