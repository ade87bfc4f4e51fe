/** Which rows of a statistic are printed: `--tid`, `--name`, `--cpu`, `--min`, `--max`, `--limit`. */
import { matcherOf } from '../../engine/base/glob.ts';
import { isKernelHost } from '../../engine/session/host-history.ts';
import { threadOf } from '../../engine/session/statistics/sched-stats.ts';
import type { Options } from '../options.ts';
import type { TraceSession } from '../trace-session.ts';

interface NamedThread {
  readonly tid: number;
  readonly name: string;
}

export class StatFilter {
  /** ns; undefined: no bound. */
  readonly minNs: number | undefined;
  readonly maxNs: number | undefined;
  /** Rows of each list; undefined: all. */
  readonly limit: number | undefined;
  readonly #tids: ReadonlySet<number>;
  readonly #cpus: ReadonlySet<number>;
  readonly #names: readonly ((text: string) => boolean)[];

  constructor({ min, max, limit, tids, cpus, names }: Options) {
    this.minNs = min;
    this.maxNs = max;
    this.limit = limit;
    this.#tids = new Set(tids);
    this.#cpus = new Set(cpus);
    this.#names = names.map(matcherOf);
  }

  isThread({ tid, name }: NamedThread): boolean {
    return (this.#tids.size === 0 || this.#tids.has(tid)) && this.isNamed(name);
  }

  isCpu(cpu: number): boolean {
    return this.#cpus.size === 0 || this.#cpus.has(cpu);
  }

  isNamed(name: string): boolean {
    return this.#names.length === 0 || this.#names.some((matches) => matches(name));
  }

  isWithin(ns: number): boolean {
    return ns >= (this.minNs ?? 0) && ns <= (this.maxNs ?? Infinity);
  }

  limited<Row>(rows: readonly Row[]): readonly Row[] {
    return this.limit === undefined ? rows : rows.slice(0, this.limit);
  }

  /** Row ids of the threads that are meant; undefined: all. */
  threadsOf({ hosts }: TraceSession): string[] | undefined {
    if (this.#tids.size === 0 && this.#names.length === 0) return undefined;
    return hosts.flatMap((host) => {
      if (!isKernelHost(host)) return [];
      const threads = Array.from({ length: host.tables.threads.length }, (_, i) => threadOf(host, i));
      return threads.filter((one) => one.tid !== 0 && this.isThread(one)).map(({ row }) => row);
    });
  }
}
