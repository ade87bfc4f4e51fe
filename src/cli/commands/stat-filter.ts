/** Filter of the rows of a statistic that are printed: `--tid`, `--name`, `--cpu`, `--min`, `--max`, `--minsize`, `--maxsize`, `--limit`. */
import { matcherOf } from '../../engine/base/glob.ts';
import { isKernelHost } from '../../engine/answers/context/host.ts';
import { threadOf } from '../../engine/answers/context/thread-rows.ts';
import type { Options } from '../options.ts';
import type { TraceSession } from '../trace-session.ts';

interface NamedThread {
  readonly tid: number;
  readonly name: string;
}

export class StatFilter {
  /** Bounds of durations, ns; undefined: no bound. */
  readonly minNs: number | undefined;
  readonly maxNs: number | undefined;
  /** Bounds of sizes, bytes; undefined: no bound. */
  readonly minBytes: number | undefined;
  readonly maxBytes: number | undefined;
  /** Rows of each list; undefined: all. */
  readonly limit: number | undefined;
  /** Names with `*` for any text, and CPUs; undefined: all. */
  readonly names: readonly string[] | undefined;
  readonly cpus: readonly number[] | undefined;
  readonly #tids: ReadonlySet<number>;
  readonly #matches: readonly ((text: string) => boolean)[];

  constructor({ min, max, minSize, maxSize, limit, tids, cpus, names }: Options) {
    this.minNs = min;
    this.maxNs = max;
    this.minBytes = minSize;
    this.maxBytes = maxSize;
    this.limit = limit;
    this.names = names.length === 0 ? undefined : names;
    this.cpus = cpus.length === 0 ? undefined : cpus;
    this.#tids = new Set(tids);
    this.#matches = names.map(matcherOf);
  }

  isThread({ tid, name }: NamedThread): boolean {
    return (this.#tids.size === 0 || this.#tids.has(tid)) && this.isNamed(name);
  }

  isCpu(cpu: number): boolean {
    return this.cpus?.includes(cpu) ?? true;
  }

  isNamed(name: string): boolean {
    return this.#matches.length === 0 || this.#matches.some((matches) => matches(name));
  }

  limited<Row>(rows: readonly Row[]): readonly Row[] {
    return this.limit === undefined ? rows : rows.slice(0, this.limit);
  }

  /** Row ids of the threads that are meant; undefined: all. */
  threadsOf({ hosts }: TraceSession): string[] | undefined {
    if (this.#tids.size === 0 && this.#matches.length === 0) return undefined;
    return hosts.flatMap((host) => {
      if (!isKernelHost(host)) return [];
      const threads = Array.from({ length: host.tables.threads.length }, (_, i) => threadOf(host, i));
      return threads.filter((one) => one.tid !== 0 && this.isThread(one)).map(({ row }) => row);
    });
  }
}
