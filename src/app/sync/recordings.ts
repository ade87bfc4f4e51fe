/** Several recordings of one machine: their times, and commands that lay them side by side. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { TimeRange } from '../../engine/protocol/range.ts';
import { commandsOf, type Command } from '../commands/command.ts';
import type { Experiment } from '../experiment/experiment.ts';

export interface Recording extends TimeRange {
  readonly name: string;
  /** Delay between its real time and where it is shown, compared with the first one, ns. */
  readonly shiftNs: number;
}

/** Recordings in order of time, if all are of one machine. */
export function recordingsIn(info: ExperimentInfo | undefined): readonly Recording[] {
  if (info?.sideBySide)
    return info.hosts.map(({ name, firstNs, lastNs, shiftNs }) => {
      return { name, from: firstNs, to: lastNs, shiftNs };
    });
  if (info?.hosts.length !== 1) return [];
  const [{ firstNs, lastNs, notRecorded, recordings }] = info.hosts;
  const begins = [firstNs, ...notRecorded.map(({ to }) => to)];
  const ends = [...notRecorded.map(({ from }) => from), lastNs];
  return begins.map((from, i) => {
    return { name: recordings?.[i] ?? `Recording ${i + 1}`, from, to: ends[i], shiftNs: 0 };
  });
}

const command = commandsOf('Rows');

/** Commands of the palette about recordings. */
export function recordingCommands(experiment: Experiment): readonly Command[] {
  const isSideBySide = () => experiment.info.value?.sideBySide === true;
  const canLayOut = () => recordingsIn(experiment.info.value).length > 1 && experiment.hasFiles.value;
  return [
    command(
      'side-by-side',
      'Show the recordings of the machine side by side, each from its beginning',
      '',
      () => void experiment.layOut(true),
      () => canLayOut() && !isSideBySide(),
    ),
    command(
      'as-recorded',
      'Show recordings at the times when they were made',
      '',
      () => void experiment.layOut(false),
      () => canLayOut() && isSideBySide(),
    ),
  ];
}

const PART = 'side-by-side';

export function writeSideBySide(parts: URLSearchParams, isSideBySide: boolean): void {
  if (isSideBySide) parts.set(PART, '1');
}

export function readSideBySide(parts: URLSearchParams): boolean {
  return parts.get(PART) === '1';
}
