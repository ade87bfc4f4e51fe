/** Durations summed up by group: `DurationSums` of `engine/linux/sums/duration-sums.ts`, in columns as it has them. */
import { LONGEST_SUM } from '../../engine/base/units';
import { BINS_AN_OCTAVE, OCTAVE_BITS, DURATIONS, LONGEST, PAGE, PAGES } from '../../engine/linux/sums/duration-sums';

let mostPages: i32 = 0;

/** Page 0 is not used. */
let pageCount: i32 = 1;
export let pagesAreFull: bool = false;

/** Begins without any group. Directories of the tables by group, and by page of bins. */
export function openDurations(durations: DURATIONS, bins: PAGE): void {
  DURATIONS.bind(durations);
  PAGE.bind(bins);
  mostPages = bins.capacity;
  pageCount = 1;
  pagesAreFull = false;
}

export function clearGroup(group: i32): void {
  DURATIONS.count[group] = 0;
  DURATIONS.total[group] = 0;
  DURATIONS.min[group] = Infinity;
  DURATIONS.max[group] = 0;
  DURATIONS.kept[group] = 0;
  memory.fill(DURATIONS.pageOf.at(group * PAGES), 0, PAGES << 2);
}

/** A duration of `ns` from `begin` on; one that ends before it begins has no length. */
export function addDuration(group: i32, begin: f64, ns: f64, owner: i32): void {
  const length: f64 = ns > 0 ? ns : 0;
  DURATIONS.count[group] = DURATIONS.count[group] + 1;
  DURATIONS.total[group] = min<f64>(LONGEST_SUM, DURATIONS.total[group] + length);
  if (length < DURATIONS.min[group]) DURATIONS.min[group] = length;
  if (length > DURATIONS.max[group]) DURATIONS.max[group] = length;
  countBin(group, binOf(length));
  const full = DURATIONS.kept[group] === LONGEST;
  if (!full || length >= DURATIONS.longestNs[group * LONGEST + LONGEST - 1]) keep(group, begin, length, owner);
}

@inline
function binOf(ns: f64): i32 {
  if (ns >= LONGEST_SUM) return PAGES * BINS_AN_OCTAVE - 1;
  const whole = <i64>ns;
  if (whole < BINS_AN_OCTAVE) return <i32>whole;
  const octave = 63 - <i32>clz(whole) - OCTAVE_BITS;
  return octave * BINS_AN_OCTAVE + <i32>(whole >>> octave);
}

function countBin(group: i32, bin: i32): void {
  const at = group * PAGES + (bin >>> OCTAVE_BITS);
  let page = DURATIONS.pageOf[at];
  if (page === 0) {
    if (pageCount === mostPages) {
      pagesAreFull = true;
      return;
    }
    page = pageCount++;
    DURATIONS.pageOf[at] = page;
    memory.fill(PAGE.pages.at(page * BINS_AN_OCTAVE), 0, BINS_AN_OCTAVE << 2);
  }
  const place = page * BINS_AN_OCTAVE + (bin & (BINS_AN_OCTAVE - 1));
  PAGE.pages[place] = PAGE.pages[place] + 1;
}

/** Puts a duration in its place among the longest; the shortest leaves when there are too many. */
function keep(group: i32, begin: f64, ns: f64, owner: i32): void {
  const first = group * LONGEST;
  let end = first + DURATIONS.kept[group];
  if (end < first + LONGEST) DURATIONS.kept[group] = ++end - first;
  else if (!comesBefore(ns, begin, owner, end - 1)) return;
  let at = end - 1;
  for (; at > first && comesBefore(ns, begin, owner, at - 1); at--) {
    DURATIONS.longestBegin[at] = DURATIONS.longestBegin[at - 1];
    DURATIONS.longestNs[at] = DURATIONS.longestNs[at - 1];
    DURATIONS.longestOwner[at] = DURATIONS.longestOwner[at - 1];
  }
  DURATIONS.longestBegin[at] = begin;
  DURATIONS.longestNs[at] = ns;
  DURATIONS.longestOwner[at] = owner;
}

@inline
function comesBefore(ns: f64, begin: f64, owner: i32, other: i32): bool {
  if (ns !== DURATIONS.longestNs[other]) return ns > DURATIONS.longestNs[other];
  const otherBegin = DURATIONS.longestBegin[other];
  return begin !== otherBegin ? begin < otherBegin : owner < DURATIONS.longestOwner[other];
}
