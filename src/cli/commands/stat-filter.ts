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
  readonly options: Options;
  readonly #matches: readonly ((text: string) => boolean)[];

  constructor(options: Options) {
    this.options = options;
    this.#matches = options.names.map(matcherOf);
  }

  isThread({ tid, name }: NamedThread): boolean {
    const { tids } = this.options;
    return (tids.length === 0 || tids.includes(tid)) && this.isNamed(name);
  }

  isCpu(cpu: number): boolean {
    const { cpus } = this.options;
    return cpus.length === 0 || cpus.includes(cpu);
  }

  isNamed(name: string): boolean {
    return this.#matches.length === 0 || this.#matches.some((matches) => matches(name));
  }

  limited<Row>(rows: readonly Row[]): readonly Row[] {
    return rows.slice(0, this.options.limit);
  }

  /** Row ids of the threads that are meant; undefined: all. */
  threadsOf({ hosts }: TraceSession): string[] | undefined {
    if (this.options.tids.length === 0 && this.#matches.length === 0) return undefined;
    return hosts.flatMap((host) => {
      if (!isKernelHost(host)) return [];
      const threads = Array.from({ length: host.tables.threads.length }, (_, i) => threadOf(host, i));
      return threads.filter((one) => one.tid !== 0 && this.isThread(one)).map(({ row }) => row);
    });
  }
}
