/**
 * Gaps of a trace of which a part was made (`answers/export/cut.ts`): packets left out between those that say how it
 * began and those of the part. They were not lost while recording, and no state that was known before holds behind
 * them.
 */
import type { HostNs } from '../base/units.ts';
import type { Experiment, Host } from './types.ts';

/** Whether an interval without events is one that was left out, of a stream of the host. */
export function isLeftOut({ leftOut = [] }: Host, from: HostNs, to: HostNs): boolean {
  return leftOut.some((piece) => piece.from <= from && to <= piece.to);
}

/** Gaps of each host, in the form of a finding: times are ns of the host's clock, decimal. */
type LeftOutTexts = readonly (readonly LeftOutText[])[];

interface LeftOutText {
  readonly from: string;
  readonly to: string;
  readonly packets: number;
}

export function leftOutTexts(hosts: readonly Host[]): LeftOutTexts {
  return hosts.map(({ baseNs, leftOut = [] }) => {
    const textOf = (time: HostNs) => String(baseNs + BigInt(Math.round(time)));
    return leftOut.map(({ from, to, packets }) => ({ from: textOf(from), to: textOf(to), packets }));
  });
}

/** Pieces that a host may have: each part of a part has one more. */
const MOST_PIECES = 100;

/** The experiment as a part of another one. @param says what a finding says, which anybody may have written */
export function withLeftOut(experiment: Experiment, says: unknown): Experiment {
  if (!Array.isArray(says) || says.length !== experiment.hosts.length) return experiment;
  const hosts = experiment.hosts.map((host, i): Host => {
    const pieces: unknown = says[i];
    if (!Array.isArray(pieces) || pieces.length > MOST_PIECES) return host;
    const leftOut = pieces.filter(isText).map(({ from, to, packets }) => {
      return { from: Number(BigInt(from) - host.baseNs), to: Number(BigInt(to) - host.baseNs), packets };
    });
    return leftOut.length === 0 ? host : { ...host, leftOut };
  });
  return { ...experiment, hosts };
}

function isText(value: unknown): value is LeftOutText {
  const { from, to, packets } = (value ?? {}) as Partial<Record<string, unknown>>;
  return (
    isTime(from) && isTime(to) && typeof packets === 'number' && Number.isSafeInteger(packets) && packets > 0
  );
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d{1,25}$/.test(value);
}
