/**
 * Rows → transitions, by the rules of `engine/linux/states/map/state-rules.ts`. Has no memory of its own: rows are read
 * where the decoder left them, and all else lies where `RuleRunner` of `state-map.ts` says.
 */
import {
  OP_CONSTANT,
  OP_END,
  OP_INT,
  OP_SUBJECT,
  OP_TEXT,
  OP_WIDE,
  OP_WORDS,
} from '../../engine/linux/states/map/state-rules';
import { ABSENT, TRANSITION_ARGUMENTS, TRANSITIONS } from '../../engine/linux/states/map/transitions';
import { CLASS_NUMBERS } from '../../engine/linux/states/map/state-map';
import { classOf, kindOf, openRows, timeOf, wordsOf } from '../rows';
import { openTexts, textAt, textCount, textEntries, textsAreFull } from '../texts';
import { addressesAreFull, packetOf } from './packets';

export { openPackets, packets } from './packets';
export { openRows, openTexts, textAt, textCount, textEntries };

/** Bytes of an operation: code, operand, presence bit. */
const OP_BYTES: usize = OP_WORDS << 2;

/** i32 by kind of event: bytes from `rules` to its kind of transition and operations, 0: none. */
let rules: usize = 0;
/**
 * Numbers of each event class: CLASS_NUMBERS; the kind is for kinds of events without, the text begins that far from
 * `rules` on.
 */
let classes: usize = 0;
const CLASS_KIND: usize = CLASS_NUMBERS.kind << 2;
const CLASS_TEXT: usize = CLASS_NUMBERS.text << 2;
const CLASS_LENGTH: usize = CLASS_NUMBERS.bytes << 2;
const CLASS_INDEX: usize = CLASS_NUMBERS.index << 2;
const CLASS_BYTES: usize = CLASS_NUMBERS.length << 2;

/** The merge key after the rows of the last `run`, and how many arguments there were then. */
export let now: f64 = 0;
export let used: i32 = 0;

export function openRules(rulesAt: usize, classesAt: usize): void {
  rules = rulesAt;
  classes = classesAt;
}

/** Directories of their table, and of their arguments'. */
export function openTransitions(table: TRANSITIONS, argumentTable: TRANSITION_ARGUMENTS): void {
  TRANSITIONS.bind(table);
  TRANSITION_ARGUMENTS.bind(argumentTable);
}

/**
 * Writes the transitions of rows [from, to), which happened on one CPU, from number `length` and argument `first` on.
 * @param textBase what turns offsets of texts into addresses
 * @returns how many transitions there are now, or -1: too many texts, or addresses
 */
export function run(
  from: i32,
  to: i32,
  onCpu: i32,
  textBase: usize,
  length: i32,
  first: i32,
  before: f64,
): i32 {
  let key = before;
  const args = TRANSITION_ARGUMENTS.args.at(0);
  let out = TRANSITION_ARGUMENTS.args.at(first);
  for (let row = from; row < to; row++) {
    let op: usize = load<i32>(rules + (<usize>kindOf(row) << 2));
    if (op === 0) continue;
    op += rules;
    let own = load<i32>(op);
    if (own < 0) own = load<i32>(classAt(row) + CLASS_KIND);
    // Only what changes something counts for the key, so that other analyses' rows do not.
    if (own < 0) continue;
    const at = timeOf(row);
    if (at > key) key = at;
    TRANSITIONS.time[length] = key;
    TRANSITIONS.kind[length] = own;
    TRANSITIONS.cpu[length] = onCpu;
    TRANSITIONS.place[length] = <u32>((out - args) >> 2);
    out = writeArguments(row, op + 4, out, textBase);
    length++;
  }
  now = key;
  used = <i32>((out - args) >> 2);
  return textsAreFull() || addressesAreFull ? -1 : length;
}

/** Gives where the arguments end. */
function writeArguments(row: i32, first: usize, out: usize, textBase: usize): usize {
  const words = wordsOf(row);
  const presence = load<u32>(words);
  for (let op = first; load<i32>(op) !== OP_END; op += OP_BYTES, out += 4) {
    const operand = load<i32>(op, 4);
    const isThere = ((presence >>> load<u32>(op, 8)) & 1) === 1;
    const field = words + (<usize>operand << 2);
    switch (load<i32>(op)) {
      case OP_CONSTANT:
        store<i32>(out, operand);
        break;
      case OP_INT:
        store<i32>(out, isThere ? load<i32>(field) : ABSENT);
        break;
      case OP_WIDE:
        store<u64>(out, load<u64>(field));
        out += 4;
        break;
      case OP_TEXT:
        store<i32>(out, isThere ? textAt(textBase + load<i32>(field), load<i32>(field, 4)) : ABSENT);
        break;
      case OP_SUBJECT:
        store<i32>(out, subjectOf(row));
        break;
      default:
        store<i32>(out, packetOf(row, words, textBase));
    }
  }
  return out;
}

@inline
function classAt(row: i32): usize {
  return classes + <usize>classOf(row) * CLASS_BYTES;
}

function subjectOf(row: i32): i32 {
  const own = classAt(row);
  let index = load<i32>(own, CLASS_INDEX);
  if (index < 0) {
    index = textAt(rules + load<i32>(own, CLASS_TEXT), load<i32>(own, CLASS_LENGTH));
    store<i32>(own, index, CLASS_INDEX);
  }
  return index;
}
