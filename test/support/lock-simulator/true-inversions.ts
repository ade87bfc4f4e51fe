/** Orders in which simulated threads took locks and could close a cycle: every list of locks is tried. */
import { EXCLUSIVE } from '../../../src/engine/layers/locks/lock-log.ts';
import type { TrueWay } from './true-locks.ts';

const LONGEST = 4;

/** Cycles as rows of locks, each of which begins with its smallest row. */
export function trueInversions(ways: readonly TrueWay[], locks: number): number[][] {
  const rows = Array.from({ length: locks }, (_, row) => row);
  const longer = (list: readonly number[]): number[][] =>
    rows.filter((row) => row > list[0] && !list.includes(row)).map((row) => [...list, row]);
  let lists = rows.map((row) => [row]);
  const found: number[][] = [];
  for (let length = 2; length <= LONGEST; length++) {
    // What nobody asked for in this order can be no part of a cycle.
    lists = lists.flatMap(longer).filter((list) => waysOf(ways, list.at(-2), list.at(-1)).length > 0);
    found.push(...lists.filter((list) => isPossible(ways, list)));
  }
  return found;
}

export function waysOf(ways: readonly TrueWay[], first?: number, second?: number): TrueWay[] {
  return ways.filter((way) => way.first === first && way.second === second);
}

/** Whether different threads, which no further lock keeps apart, can do all of it at once, each in the way of one before it. */
function isPossible(ways: readonly TrueWay[], cycle: readonly number[]): boolean {
  let choices: TrueWay[][] = [[]];
  cycle.forEach((first, i) => {
    const next = waysOf(ways, first, cycle[(i + 1) % cycle.length]);
    choices = choices.flatMap((chosen) =>
      next.filter((way) => chosen.every((other) => areCompatible(way, other))).map((way) => [...chosen, way]),
    );
  });
  return choices.some((chosen) =>
    chosen.every(({ asked }, i) => isInTheWay(asked, chosen[(i + 1) % chosen.length].held)),
  );
}

function areCompatible(a: TrueWay, b: TrueWay): boolean {
  const isGate = ({ lock, mode }: TrueWay['others'][number]) =>
    b.others.some((other) => other.lock === lock && isInTheWay(mode, other.mode));
  return a.thread !== b.thread && !a.others.some(isGate);
}

function isInTheWay(mode: number, other: number): boolean {
  return mode === EXCLUSIVE || other === EXCLUSIVE;
}
