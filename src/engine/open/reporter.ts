/** Reports to the page about an experiment while it is read: progress often, a picture of what there is now and then. */
import type { RunOutcome, RunProgress } from '../analysis/driver.ts';
import type { Fault } from '../base/fault.ts';
import type { DamageInfo, Progress, SessionUpdate, UpdateListener } from '../protocol/session.ts';
import {
  experimentInfo,
  experimentOverview,
  experimentRows,
  type SnapshotSource,
} from './overview-snapshot.ts';

/** ms between two reports of progress, and between two pictures at least. */
const PROGRESS_MS = 400;
const PICTURE_MS = 1000;
/**
 * A picture waits so many times as long as the last one took to be made, asked for and shown, since it costs as much as
 * there are rows. So a page that nobody looks at gets none.
 */
const PICTURE_WAITS = 30;

export type Picture = Required<Omit<SessionUpdate, 'damage' | 'fault'>>;

export class Reporter {
  /** ms of the clock: of the last report, and before which there is no further picture. */
  #reported = -Infinity;
  #nextPicture = -Infinity;
  #making: Promise<void> | undefined;
  #last: RunProgress | undefined;
  #phase: Progress['phase'] = 'reading';

  /** @param makesPictures else progress alone is reported once reading has begun */
  constructor(
    private readonly source: SnapshotSource,
    private readonly onUpdate: UpdateListener,
    private readonly makesPictures = true,
  ) {}

  /** Reports what is known before anything is read: streams, by their packets. */
  async begin(): Promise<Picture> {
    const update = await this.#picture('reading');
    void this.onUpdate(update);
    return update;
  }

  /** @param learn called before a picture is made */
  progress(progress: RunProgress, learn: () => void): void {
    this.#last = progress;
    const now = performance.now();
    if (now - this.#reported < PROGRESS_MS) return;
    this.#reported = now;
    const isDue = this.makesPictures && now >= this.#nextPicture;
    if (isDue) learn();
    if (isDue && hasPicture(this.source)) this.#making = this.#report(now);
    else void this.onUpdate({ progress: this.#shown('reading') });
  }

  /** Reports what was stored and cannot be read back, also after the end. */
  damage(damage: DamageInfo): void {
    void this.onUpdate({ progress: this.#shown(this.#phase), damage });
  }

  /** Reports the end once `save` has stored the last picture, if pictures are made. */
  async finish(outcome: RunOutcome, save: (update: Picture) => Promise<void>): Promise<void> {
    await this.#making;
    if (this.makesPictures) {
      const update = await this.#picture('finishing');
      void this.onUpdate(update);
      await save(update);
    }
    const phase = outcome.state === 'cancelled' ? 'cancelled' : 'done';
    this.#phase = phase;
    // Rows and overview are those just reported: in a long trace they are megabytes.
    void this.onUpdate({ info: experimentInfo(this.source), progress: this.#shown(phase) });
  }

  /** Reports that nothing could be read. */
  async fail(fault: Fault | undefined): Promise<void> {
    await this.#making;
    void this.onUpdate({ progress: this.#shown('failed'), fault });
  }

  /** Resolves when the picture is made, not when it is shown: reading goes on meanwhile. */
  async #report(since: number): Promise<void> {
    this.#nextPicture = Infinity;
    const update = await this.#picture('reading');
    this.#making = undefined;
    void this.#show(update, since);
  }

  async #show(update: Picture, since: number): Promise<void> {
    await this.onUpdate(update);
    const shown = performance.now();
    this.#nextPicture = shown + Math.max(PICTURE_MS, PICTURE_WAITS * (shown - since));
  }

  async #picture(phase: Progress['phase']): Promise<Picture> {
    const progress = this.#shown(phase);
    const info = experimentInfo(this.source);
    const rows = await experimentRows(this.source);
    return { progress, info, rows, overview: await experimentOverview(this.source, info.lengthNs) };
  }

  #shown(phase: Progress['phase']): Progress {
    const last = this.#last;
    return {
      phase,
      bytes: last?.bytes ?? 0,
      totalBytes: last?.totalBytes ?? 0,
      events: last?.events ?? 0,
      seconds: last?.seconds ?? 0,
      watermarkNs: phase === 'reading' || this.source.stopped ? watermarkOf(this.source, last) : Infinity,
    };
  }
}

/** Before anything is certain, a kernel's picture would show streams only, and delay the first one that shows more. */
function hasPicture({ hosts, experiment }: SnapshotSource): boolean {
  return (
    hosts.some(({ tables }) => tables !== undefined) ||
    !experiment.traces.some(({ domain }) => domain === 'kernel')
  );
}

/** Display time before which all hosts are final. */
function watermarkOf(source: SnapshotSource, progress: RunProgress | undefined): number {
  const marks = progress?.watermarks.map((mark, host) => source.time.of(host).toExperiment(mark)) ?? [
    -Infinity,
  ];
  return Math.min(...marks);
}
