/** Faults as text: what, where, expected and found, what was still read, what to do. */
import type { Fault, Place } from './fault.ts';
import { FAULT_MEANINGS } from './fault-meanings.ts';
import { cutText, escapedCharacters, INVISIBLE } from './visible-text.ts';

/** One paragraph, with the metadata line and a caret below it where there is one. Ends without a newline. */
export function faultText(fault: Fault): string {
  const { says, advice } = FAULT_MEANINGS[fault.code];
  const where = placeText(fault.place);
  const lines = [
    `${where === '' ? '' : `${where}: `}${says}${comparison(fault)} [${fault.code}]`,
    ...excerptLines(fault.place).map((line) => `    ${line}`),
    ...(fault.readSoFar === undefined ? [] : [`Read until then: ${visible(fault.readSoFar)}.`]),
    advice,
  ];
  return lines.join('\n');
}

/** `metadata, line 12, column 1` or `channel0_1, packet 3, byte 4096, event sched_switch, field prev_comm`. */
export function placeText({ file, packet, byte, line, column, event, field }: Place): string {
  const parts = [
    file,
    line === undefined ? undefined : `line ${line}`,
    column === undefined ? undefined : `column ${column}`,
    packet === undefined ? undefined : `packet ${packet + 1}`,
    byte === undefined ? undefined : `byte ${byte}`,
    event === undefined ? undefined : `event ${event}`,
    field === undefined ? undefined : `field ${field}`,
  ];
  return visible(parts.filter((part) => part !== undefined).join(', '));
}

function comparison({ expected, found }: Fault): string {
  if (expected === undefined) return found === undefined ? '.' : `: found ${visible(found)}.`;
  return found === undefined
    ? `: expected ${visible(expected)}.`
    : `: expected ${visible(expected)}, found ${visible(found)}.`;
}

const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 40;

/** The part of the metadata line around the column, and a caret; empty without line or column. */
export function excerptLines({ excerpt, column }: Place): string[] {
  if (excerpt === undefined || column === undefined || column > excerpt.length + 1) return [];
  const from = Math.max(0, column - 1 - EXCERPT_BEFORE);
  const shown = excerpt.slice(from, column - 1 + EXCERPT_AFTER).replace(/\t/g, ' ');
  return [shown.replace(INVISIBLE, '\ufffd'), `${' '.repeat(column - 1 - from)}^`];
}

const LONGEST = 500;

/** Text from the trace, with hidden characters made visible and its length limited. */
function visible(text: string): string {
  return escapedCharacters(cutText(text, LONGEST));
}
