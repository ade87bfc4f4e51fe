/** Files of executions that the user gave or took from what is kept: looked at without a trace, or compared with what is open. */
import { effect, signal } from '@preact/signals';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { isDatabase } from '../../engine/layers/executions/database/header.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { LaterPart } from '../browser/later-part.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';
import type { TrendFile } from './read-recordings.ts';

/** Files that are compared, one with the other; more are a trend. */
const COMPARED = 2;
/** Bytes from which it is known what a file is. */
const BEGIN_BYTES = 64;

const reader = new LaterPart(() => import('./read-recordings.ts'));

export class ExecutionFiles {
  /** Looked at in the place of a trace. */
  readonly opened = signal<ExecutionDatabase | undefined>(undefined);
  /** Database that the opened one is compared with. */
  readonly against = signal<ExecutionDatabase | undefined>(undefined);
  /** Many recordings, looked at in the place of a trace as long as none is opened; empty: there are none. */
  readonly trend = signal<readonly TrendFile[]>([]);
  readonly #experiment: Pick<Experiment, 'stage'>;

  constructor(experiment: Pick<Experiment, 'stage'>) {
    this.#experiment = experiment;
    // A trace that is opened is compared with what was looked at, and not with what another trace was compared with.
    effect(() => {
      if (experiment.stage.value !== 'opening') return;
      this.against.value = this.opened.peek();
      this.opened.value = undefined;
      this.trend.value = [];
    });
  }

  /** Whether files are meant as executions, all of them. Undefined: they are not, as is seen without reading them. */
  areIn({ files }: GatheredFiles): Promise<boolean> | undefined {
    const isStart = this.#experiment.stage.peek() === 'start';
    const canBe = isStart || files.length <= COMPARED;
    return canBe && files.every(({ path }) => !path.includes('/')) ? areDatabases(files) : undefined;
  }

  /** Shows what is in them; what is open stays so. Returned is why not. */
  async take({ files }: GatheredFiles): Promise<Fault | undefined> {
    const loaded = await reader.load().catch(() => undefined);
    if (loaded === undefined) return { code: 'workers-unavailable', place: { file: files[0].path } };
    if (files.length > COMPARED || (this.trend.peek().length > 0 && !this.opened.peek())) {
      const { trend, fault } = await loaded.withRecordings(this.trend.peek(), files);
      this.trend.value = trend;
      return fault;
    }
    const databases: ExecutionDatabase[] = [];
    for (const file of files) {
      const read = await loaded.readExecutions(file);
      if (!read.ok) return read.fault;
      databases.push(read.value);
    }
    // Of two the first is what is usual.
    for (const database of databases.reverse()) {
      const isFirst = this.#experiment.stage.peek() === 'start' && this.opened.peek() === undefined;
      (isFirst ? this.opened : this.against).value = database;
    }
    return undefined;
  }

  /** Shows the trend again. */
  leave(): void {
    this.opened.value = undefined;
    this.against.value = undefined;
  }

  close(): void {
    this.leave();
    this.trend.value = [];
  }
}

async function areDatabases(files: GatheredFiles['files']): Promise<boolean> {
  const begins = await Promise.all(files.map(({ file }) => file.slice(0, BEGIN_BYTES).arrayBuffer()));
  return begins.every((begin) => isDatabase(new Uint8Array(begin)));
}
