/** Durations summed up by group: `DurationSums` of `engine/kernel/duration-sums.ts`, in columns as it has them. */
import { capacityOf, columnOf, f64At, i32At, setF64, setI32 } from '../columns';

const LONGEST: i32 = 8;
const OCTAVE_BITS: i32 = 6;
const BINS_AN_OCTAVE: i32 = 1 << OCTAVE_BITS;
const PAGES: i32 = 53 - OCTAVE_BITS + 1;
/** Sums and bins end here. */
const MOST: f64 = 9007199254740992;

let counts: usize = 0;
let totals: usize = 0;
let least: usize = 0;
let greatest: usize = 0;
let kept: usize = 0;
let pageOf: usize = 0;
let longestBegin: usize = 0;
let longestNs: usize = 0;
let longestOwner: usize = 0;
let pages: usize = 0;
let mostPages: i32 = 0;

/** Page 0 is not used. */
let pageCount: i32 = 1;
export let pagesAreFull: bool = false;

/** Begins without any group. Directories of the tables by group, and by page of bins. */
export function openDurations(durations: usize, bins: usize): void {
  counts = columnOf(durations, 0);
  totals = columnOf(durations, 1);
  least = columnOf(durations, 2);
  greatest = columnOf(durations, 3);
  kept = columnOf(durations, 4);
  pageOf = columnOf(durations, 5);
  longestBegin = columnOf(durations, 6);
  longestNs = columnOf(durations, 7);
  longestOwner = columnOf(durations, 8);
  pages = columnOf(bins, 0);
  mostPages = capacityOf(bins, 1);
  pageCount = 1;
  pagesAreFull = false;
}

export function clearGroup(group: i32): void {
  setF64(counts, group, 0);
  setF64(totals, group, 0);
  setF64(least, group, Infinity);
  setF64(greatest, group, 0);
  setI32(kept, group, 0);
  memory.fill(pageOf + ((<usize>group * PAGES) << 2), 0, PAGES << 2);
}

/** A duration of `ns` from `begin` on; one that ends before it begins has no length. */
export function addDuration(group: i32, begin: f64, ns: f64, owner: i32): void {
  const length: f64 = ns > 0 ? ns : 0;
  setF64(counts, group, f64At(counts, group) + 1);
  setF64(totals, group, min(MOST, f64At(totals, group) + length));
  if (length < f64At(least, group)) setF64(least, group, length);
  if (length > f64At(greatest, group)) setF64(greatest, group, length);
  countBin(group, binOf(length));
  const full = i32At(kept, group) === LONGEST;
  if (!full || length >= f64At(longestNs, group * LONGEST + LONGEST - 1)) keep(group, begin, length, owner);
}

@inline
function binOf(ns: f64): i32 {
  if (ns >= MOST) return PAGES * BINS_AN_OCTAVE - 1;
  const whole = <i64>ns;
  if (whole < BINS_AN_OCTAVE) return <i32>whole;
  const octave = 63 - <i32>clz(whole) - OCTAVE_BITS;
  return octave * BINS_AN_OCTAVE + <i32>(whole >>> octave);
}

function countBin(group: i32, bin: i32): void {
  const at = group * PAGES + (bin >>> OCTAVE_BITS);
  let page = i32At(pageOf, at);
  if (page === 0) {
    if (pageCount === mostPages) {
      pagesAreFull = true;
      return;
    }
    page = pageCount++;
    setI32(pageOf, at, page);
    memory.fill(pages + ((<usize>page * BINS_AN_OCTAVE) << 3), 0, BINS_AN_OCTAVE << 3);
  }
  const place = page * BINS_AN_OCTAVE + (bin & (BINS_AN_OCTAVE - 1));
  setF64(pages, place, f64At(pages, place) + 1);
}

/** Puts a duration in its place among the longest; the shortest leaves when there are too many. */
function keep(group: i32, begin: f64, ns: f64, owner: i32): void {
  const first = group * LONGEST;
  let end = first + i32At(kept, group);
  if (end < first + LONGEST) setI32(kept, group, ++end - first);
  else if (!comesBefore(ns, begin, owner, end - 1)) return;
  let at = end - 1;
  for (; at > first && comesBefore(ns, begin, owner, at - 1); at--) {
    setF64(longestBegin, at, f64At(longestBegin, at - 1));
    setF64(longestNs, at, f64At(longestNs, at - 1));
    setI32(longestOwner, at, i32At(longestOwner, at - 1));
  }
  setF64(longestBegin, at, begin);
  setF64(longestNs, at, ns);
  setI32(longestOwner, at, owner);
}

@inline
function comesBefore(ns: f64, begin: f64, owner: i32, other: i32): bool {
  if (ns !== f64At(longestNs, other)) return ns > f64At(longestNs, other);
  const otherBegin = f64At(longestBegin, other);
  return begin !== otherBegin ? begin < otherBegin : owner < i32At(longestOwner, other);
}
