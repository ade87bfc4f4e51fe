/** Reports an experiment to the page while it is read: progress often, pictures now and then. */
import type { RunOutcome, RunProgress } from '../analysis/driver.ts';
import type { Fault } from '../base/fault.ts';
import type { DamageInfo, Progress, SessionUpdate, UpdateListener } from '../protocol/session.ts';
import {
  experimentInfo,
  experimentOverview,
  experimentRows,
  type SnapshotSource,
} from './overview-snapshot.ts';

/** Minimum ms between two reports of progress, and between two pictures. */
const PROGRESS_MS = 400;
const PICTURE_MS = 1000;
/**
 * A picture waits this many times as long as the previous one took to be made, requested and shown, as its cost grows
 * with the rows. So a page that nobody looks at gets none.
 */
const PICTURE_WAITS = 30;

export type Picture = Required<Omit<SessionUpdate, 'damage' | 'fault'>>;

export class Reporter {
  /** Clock times, ms: of the latest report, and of the earliest next picture. */
  #reported = -Infinity;
  #nextPicture = -Infinity;
  #making: Promise<void> | undefined;
  #last: RunProgress | undefined;
  #phase: Progress['phase'] = 'reading';

  /** @param makesPictures false: only progress is reported once reading has begun */
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

  /** @param update called before a picture, to update what it shows */
  progress(progress: RunProgress, update: () => void): void {
    this.#last = progress;
    const now = performance.now();
    if (now - this.#reported < PROGRESS_MS) return;
    this.#reported = now;
    const isDue = this.makesPictures && now >= this.#nextPicture;
    if (isDue) update();
    if (isDue && hasPicture(this.source)) this.#making = this.#report(now);
    else void this.onUpdate({ progress: this.#shown('reading') });
  }

  /** Reports data that were stored and cannot be read back, after the end too. */
  damage(damage: DamageInfo): void {
    void this.onUpdate({ progress: this.#shown(this.#phase), damage });
  }

  /** Reports the end, after `save` has stored the last picture if pictures are made. */
  async finish(outcome: RunOutcome, save: (update: Picture) => Promise<void>): Promise<void> {
    await this.#making;
    if (this.makesPictures) {
      const update = await this.#picture('finishing');
      void this.onUpdate(update);
      await save(update);
    }
    const phase = outcome.state === 'cancelled' ? 'cancelled' : 'done';
    this.#phase = phase;
    // Rows and overview were just reported, and are megabytes in a long trace.
    void this.onUpdate({ info: experimentInfo(this.source), progress: this.#shown(phase) });
  }

  /** Reports that nothing could be read. */
  async fail(fault: Fault | undefined): Promise<void> {
    await this.#making;
    void this.onUpdate({ progress: this.#shown('failed'), fault });
  }

  /** Resolves when the picture is made, not when it is shown, as reading goes on meanwhile. */
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

/**
 * Whether a picture is worth making: before any state is certain, a kernel's would show only streams and delay a better
 * one.
 */
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
