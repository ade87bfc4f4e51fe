/**
 * Numbers and times (ns) as text: thin spaces between thousands and before units, and no more digits than are known.
 */
import type { Quantity, SentencePart } from '../protocol/summary.ts';

export const THIN = '\u2009';

/** Text with no line breaks within numbers. */
export function unbroken(text: string): string {
  return text.replaceAll(THIN, '\u202f');
}

/** 44365 → "44 365". */
export function formatCount(value: number): string {
  return group(String(Math.round(value)));
}

/** 3141592 → "3.1 M", for sums that change while they are shown. */
export function formatShort(value: number): string {
  return value < 10_000 ? formatCount(value) : withPrefix(value);
}

/** Bytes with decimal prefixes: "1.7 MB". */
export function formatBytes(bytes: number): string {
  return bytes < 999.5 ? `${Math.round(bytes)}${THIN}B` : `${withPrefix(bytes)}B`;
}

/** Number with a prefix that fits the rounded value: one that rounds to a thousand gets the next prefix. */
function withPrefix(value: number): string {
  let step = 0;
  let scaled = value;
  while (scaled >= 999.5 && step < 4) scaled = value / 1000 ** ++step;
  return `${scaled >= 99.95 ? scaled.toFixed(0) : scaled.toFixed(1)}${THIN}${['', 'k', 'M', 'G', 'T'][step]}`;
}

/** 0.184 → "18.4 %". */
export function formatShare(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)}${THIN}%` : '–';
}

/** A length in a unit that fits the rounded value: "5.850 s", "3.412 ms", "591.2 µs", "17 ns". */
export function formatDuration(exact: number): string {
  if (exact < 0) return `−${formatDuration(-exact)}`;
  if (exact === 0) return `0${THIN}s`;
  // Rounded, so that a mean has the same text whether it is whole or not.
  const ns = Math.round(exact);
  if (ns >= 999_999_500) return `${group((ns / 1e9).toFixed(3))}${THIN}s`;
  if (ns >= 999_950) return `${(ns / 1e6).toFixed(3)}${THIN}ms`;
  if (ns >= 999.5) return `${(ns / 1e3).toFixed(ns >= 99_995 ? 1 : 2)}${THIN}µs`;
  return `${ns}${THIN}ns`;
}

/** A number of a sentence. */
export function quantityText({ kind, value }: Quantity): string {
  return kind === 'ns' ? formatDuration(value) : kind === 'share' ? formatShare(value) : formatCount(value);
}

export function sentenceText(sentence: readonly SentencePart[]): string {
  return sentence.map((part) => (typeof part === 'string' ? part : quantityText(part))).join('');
}

/** A time or length to the nanosecond: "4.026 477 182 s", "3.412 345 ms". */
export function formatExact(ns: number): string {
  return formatToStep(ns, 1);
}

/** A range of time, with the digits that distinguish its ends: "261.820 ms to 267.839 ms". */
export function formatRange(from: number, to: number): string {
  const step = Math.max(1, (to - from) / 100);
  return `${formatToStep(from, step)} to ${formatToStep(to, step)}`;
}

/** A time with the digits that distinguish it from one `stepNs` (at least 1) later, but at least three. */
function formatToStep(ns: number, stepNs: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return formatDuration(Math.round(ns));
  const [unit, places] = size >= 1e9 ? ['s', 9] : size >= 1e6 ? ['ms', 6] : ['µs', 3];
  const left = Math.min(places - 3, Math.floor(Math.log10(stepNs)));
  return `${fixedDigits(ns / 10 ** left, places - left)}${THIN}${unit}`;
}

/** Integer ns as an exact decimal with `places` digits after the point, grouped by three on both sides. */
export function fixedDigits(ns: number, places: number): string {
  const sign = ns < 0 ? '−' : '';
  const text = String(Math.abs(Math.round(ns))).padStart(places + 1, '0');
  const head = group(text.slice(0, text.length - places));
  const tail = text.slice(text.length - places).replace(/(\d{3})(?=\d)/g, `$1${THIN}`);
  return `${sign}${head}.${tail}`;
}

/** ns as milliseconds with three decimals, for table columns that name the unit in their head. */
export function formatMs(ns: number): string {
  return group((ns / 1e6).toFixed(3));
}

function group(digitText: string): string {
  const [head, tail] = digitText.split('.');
  const grouped = head.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return tail === undefined ? grouped : `${grouped}.${tail}`;
}
