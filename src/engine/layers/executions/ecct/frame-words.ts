/** Words of frames that are no functions: threads, system calls, why a thread could not go on. */
import type { GraphWorker } from '../../../graph/execution-graph.ts';
import type { HistoryGraph, HostData } from '../../../graph/history-graph.ts';
import { threadKey } from '../../../linux/states/reduce/thread-table.ts';
import * as values from '../../../linux/events/values.ts';
import { frameWords } from '../../stacks/frame-names.ts';
import { threadFrame } from '../frames.ts';
import type { EcctSources } from './ecct-sources.ts';

/** Last known name of a thread of a host by its row, else its number. */
export function threadName({ tables: { threads } }: HostData, row: number): string {
  return frameWords(threads.name[row] || threadKey(threads, row));
}

/** Reason why a thread was blocked, where that is not followed; `cause` as of a path's segment. */
export function waitWords(graph: HistoryGraph, worker: GraphWorker, cause: number): string {
  const kind = values.causeOf(cause);
  switch (kind) {
    case values.CAUSE_NONE:
    case values.CAUSE_UNKNOWN:
      return 'unknown';
    case values.CAUSE_THREAD:
      return 'blocked';
    case values.CAUSE_OTHER:
      return frameWords(graph.text(worker, values.detailOf(cause)));
    default:
      return values.CAUSES[kind];
  }
}

/** Frames that say which thread takes over, each made once. */
export class ArrowWords {
  readonly #sources: EcctSources;
  /** Frames by worker: of the host that is looked from, and of others. */
  readonly #near = new Map<GraphWorker, string>();
  readonly #far = new Map<GraphWorker, string>();

  constructor(sources: EcctSources) {
    this.#sources = sources;
  }

  /** @param host from which the thread is looked at: one of another host has that host's name, too */
  to(worker: GraphWorker, host: number): string {
    const data = this.#sources.graph.dataOf(worker);
    const isNear = data.index === host;
    const words = isNear ? this.#near : this.#far;
    const known = words.get(worker);
    if (known !== undefined) return known;
    const name = threadName(data, worker - data.firstWorker);
    const prefix = isNear ? '' : `${frameWords(this.#sources.hosts[data.index].name)}:`;
    const made = threadFrame(prefix + name);
    words.set(worker, made);
    return made;
  }
}
