/** Files of executions that the user gave or took from what is kept: looked at without a trace, or compared with what is open. */
import { effect, signal } from '@preact/signals';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import { isDatabase } from '../../engine/layers/executions/database/header.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { LaterPart } from '../browser/later-part.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';

/** Files that are given together: one is compared with the other. */
const MOST_FILES = 2;
/** Bytes from which it is known what a file is. */
const BEGIN_BYTES = 64;

const reader = new LaterPart(() => import('../../engine/layers/executions/database/database.ts'));

export class ExecutionFiles {
  /** Looked at in the place of a trace. */
  readonly opened = signal<ExecutionDatabase | undefined>(undefined);
  /** Database that the opened one is compared with. */
  readonly against = signal<ExecutionDatabase | undefined>(undefined);
  readonly #experiment: Pick<Experiment, 'stage'>;

  constructor(experiment: Pick<Experiment, 'stage'>) {
    this.#experiment = experiment;
    // A trace that is opened is compared with what was looked at, and not with what another trace was compared with.
    effect(() => {
      if (experiment.stage.value !== 'opening') return;
      this.against.value = this.opened.peek();
      this.opened.value = undefined;
    });
  }

  /** Whether files are meant as executions, all of them. Undefined: they are not, as is seen without reading them. */
  areIn({ files }: GatheredFiles): Promise<boolean> | undefined {
    const canBe = files.length <= MOST_FILES && files.every(({ path }) => !path.includes('/'));
    return canBe ? areDatabases(files) : undefined;
  }

  /** Shows what is in them; what is open stays so. Returned is why not. */
  async take({ files }: GatheredFiles): Promise<Fault | undefined> {
    const databases: ExecutionDatabase[] = [];
    const loaded = await reader.load().catch(() => undefined);
    for (const { path, file } of files) {
      if (loaded === undefined) {
        const found = 'The server of this page did not send the part of the program that reads it.';
        return { code: 'file-unreadable', place: { file: path }, found };
      }
      const read = await loaded.decodeDatabase(new Uint8Array(await file.arrayBuffer()), path);
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

  close(): void {
    this.opened.value = undefined;
    this.against.value = undefined;
  }
}

async function areDatabases(files: GatheredFiles['files']): Promise<boolean> {
  const begins = await Promise.all(files.map(({ file }) => file.slice(0, BEGIN_BYTES).arrayBuffer()));
  return begins.every((begin) => isDatabase(new Uint8Array(begin)));
}
