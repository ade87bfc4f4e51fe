/**
 * Opens a small trace while none is open, and asks what a page asks. A browser compiles code when it first runs and
 * optimises it later, in every worker again: that is half the time of opening a small trace. Only the workers are kept.
 */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { OpenOptions, SessionUpdate } from '../engine/protocol/session.ts';
import { rowsOf } from '../engine/answers/rows/row-columns.ts';
import { Session } from '../engine/open/session.ts';
import { blobTempFiles } from '../engine/io/browser-temp-files.ts';
import type { SessionEnvironment } from '../engine/open/environment.ts';
import { MemoryStore } from '../engine/store/memory-store.ts';

/** Repetitions: enough for the code that runs for each chunk to be made fast, with chunks as small as packets allow. */
const TIMES = 4;
const CHUNK_BYTES = 32_768;
/** Width of a picture, about, pixels. */
const PICTURE_WIDTH = 1000;

export class Rehearsal {
  /** Resolves when the rehearsal is over, however it ended. */
  readonly ended: Promise<void>;
  readonly #environment: SessionEnvironment;
  #session: Session | undefined;
  #isStopped = false;

  /** @param environment whose executors leave their workers to others when they end; its store and temporary files are not touched */
  constructor(environment: SessionEnvironment, files: readonly SourceRef[]) {
    this.#environment = throwawayEnvironment(environment);
    // What fails here fails again, and is reported, when a user's trace is opened.
    this.ended = this.#run(files).catch(() => undefined);
  }

  /** Stops reading; resolves when the workers are free. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#session?.close();
  }

  async #run(files: readonly SourceRef[]): Promise<void> {
    for (let time = 0; time < TIMES && !this.#isStopped; time++) {
      const session = (this.#session = new Session(this.#environment));
      try {
        const shown = await readToEnd(session, files, { chunkBytes: CHUNK_BYTES });
        if (shown !== undefined && !this.#isStopped) await look(session, shown);
      } finally {
        await session.close();
        this.#session = undefined;
      }
    }
  }
}

type Phase = SessionUpdate['progress']['phase'];

/** Opens a trace and reads it to its end, in whichever phase; undefined: there is nothing to see. */
export async function readToEnd(session: Session, files: readonly SourceRef[], options: OpenOptions) {
  let rows: SessionUpdate['rows'];
  let end: (phase: Phase) => void;
  const ended = new Promise<Phase>((resolve) => (end = resolve));
  const opened = await session.open(files, options, ({ progress: { phase }, ...update }) => {
    rows = update.rows ?? rows;
    if (phase === 'done' || phase === 'cancelled' || phase === 'failed') end(phase);
  });
  if (!opened.ok) return undefined;
  const phase = await ended;
  return { phase, lengthNs: opened.info.lengthNs, rows: rowsOf(rows ?? opened.rows) };
}

type Shown = Pick<NonNullable<Awaited<ReturnType<typeof readToEnd>>>, 'lengthNs' | 'rows'>;

/** Asks for pictures of the whole and of a part, for statistics of both, and for the path of a thread. */
async function look(session: Session, { lengthNs, rows }: Shown): Promise<void> {
  const attributes = rows.filter(({ attribute }) => attribute >= 0).map(({ attribute }) => attribute);
  const { STATISTIC_NAMES } = await import('../engine/answers/statistics/statistics.ts');
  for (const range of [
    { from: 0, to: lengthNs },
    { from: lengthNs / 3, to: lengthNs / 2 },
  ]) {
    const picture = { host: 0, attributes, ...range, bucketNs: (range.to - range.from) / PICTURE_WIDTH };
    await session.ask('tile', picture);
    await session.ask('load', picture);
    for (const name of STATISTIC_NAMES) await session.ask(name, { range });
  }
  const thread = rows.find(({ kind, ran }) => kind === 'thread' && ran);
  if (thread === undefined) return;
  const path = await session.ask('path', { row: thread.id, criterion: 'main-task' });
  if (path !== undefined) await session.ask('pathParts', { path: path.id });
}

/** Environment of a session that keeps nothing: temporary files and a store in memory, a new store for each session. */
export function throwawayEnvironment(environment: SessionEnvironment): SessionEnvironment {
  const openStore = () =>
    Promise.resolve({
      store: new MemoryStore(),
      fault: () => undefined,
      estimate: () => Promise.resolve({ usedBytes: 0, quotaBytes: 0 }),
    });
  // Code that is missing is never waited for.
  const whenCodeIsBack = () => new Promise<never>(() => undefined);
  return { ...environment, openStore, tempFiles: blobTempFiles(), whenCodeIsBack };
}
