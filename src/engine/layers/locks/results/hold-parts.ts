/** Parts of the holds of a lock, and whether they are idleness. */
import { HOLD_PARTS, type HoldPart, type LockModel } from '../model/lock-model.ts';

/** ns of the holds of a lock by what the holders did. */
export type HoldParts = Readonly<Record<HoldPart, number>>;

/** Holders that wait for work for more than this share of their holds have nothing to do: who waits for them is idle. */
const IDLE_SHARE = 0.5;

/** @returns undefined: unknown, without a kernel's trace */
export function holdPartsOf({ holdParts }: LockModel, lock: number): HoldParts | undefined {
  if (holdParts === undefined) return undefined;
  const ns = HOLD_PARTS.map((part, i) => [part, holdParts[lock * HOLD_PARTS.length + i]]);
  return Object.fromEntries(ns) as HoldParts;
}

/** Tells whether holders wait for connections or for events of files most of the time: an accept mutex. */
export function isIdle(parts: HoldParts): boolean {
  const total = Object.values(parts).reduce((sum, ns) => sum + ns, 0);
  return parts.accept > IDLE_SHARE * total;
}
