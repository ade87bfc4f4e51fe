/** Files of executions that the user gave or chose from kept ones: shown without a trace, or compared with the open one. */
import { effect, signal } from '@preact/signals';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { isDatabase } from '../../engine/layers/executions/database/header.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { LaterPart } from '../browser/later-part.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';
import type { TrendFile } from './read-recordings.ts';

/** Number of files that are compared with each other; more are a trend. */
const COMPARED = 2;
/** Bytes from which the kind of a file is known. */
const BEGIN_BYTES = 64;

const reader = new LaterPart(() => import('./read-recordings.ts'));

export class ExecutionFiles {
  /** Database that is shown without a trace. */
  readonly opened = signal<ExecutionDatabase | undefined>(undefined);
  /** Database that the opened one, or the open trace, is compared with. */
  readonly against = signal<ExecutionDatabase | undefined>(undefined);
  /** Recordings of a trend, shown while no database and no trace is opened; empty: there is none. */
  readonly trend = signal<readonly TrendFile[]>([]);

  constructor(private readonly experiment: Pick<Experiment, 'stage'>) {
    // A newly opened trace is compared with the database that was shown, not with that of an earlier trace.
    effect(() => {
      if (experiment.stage.value !== 'opening') return;
      this.against.value = this.opened.peek();
      this.opened.value = undefined;
      this.trend.value = [];
    });
  }

  /** Whether all files are files of executions; undefined: no, by their number or paths. */
  areIn({ files }: GatheredFiles): Promise<boolean> | undefined {
    const isStart = this.experiment.stage.peek() === 'start';
    const canBe = isStart || files.length <= COMPARED;
    return canBe && files.every(({ path }) => !path.includes('/')) ? areDatabases(files) : undefined;
  }

  /** Shows the executions in the files; an open trace stays open. Returns the fault if that fails. */
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
    // The first of two is the usual one, group A.
    for (const database of databases.reverse()) {
      const isFirst = this.experiment.stage.peek() === 'start' && this.opened.peek() === undefined;
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
