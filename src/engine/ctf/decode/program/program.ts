/**
 * Programs: what decodes one packet header, one event header or the body of one event class. Flat words, so that
 * they cross to workers unchanged, are compared as text (equal programs are kept once), and feed both executors: the
 * interpreter (`interpreter.ts`) and generated code.
 *
 * The machine has a position `pos` (bits from the packet's begin), the end of the packet's content `end`, registers
 * (64-bit values: lengths, tags, roles), an output `words` with a cursor `out`, and a stack of loops. Jumps are
 * relative to the operation that holds them. Code units (`unit`) are 1, 2 or 4 bytes. `{}` marks operands; a spec is `size | SPEC_*` flags of an integer.
 *
 * | operation | does |
 * |---|---|
 * | END | the program is done |
 * | NEED {bits} | faults unless `bits` remain; base := pos; pos += bits. The reads below are relative to base |
 * | I8 U8 I16 U16 I32 {bit, to} | words[out + to] := little-endian integer; base + bit is at a byte |
 * | I64 {bit, to} | the same, two words |
 * | BITS {bit, to, spec} | any integer: one word, or two with SPEC_WIDE |
 * | REGISTER {bit, register, spec} | any integer, extended to 64 bits, into a register |
 * | TIME {bit, spec} | any integer up to 64 bits: updates the clock |
 * | TEXT_AT {bit, bytes, to, unit} | offset and length of a text that ends before its first null code unit |
 * | CONSTANT {to, value} | words[out + to] := value |
 * | ALIGN {bits} | pos := next multiple, a power of two |
 * | STRING {to, unit} | null-terminated text at pos; offset and length to words[out + to]; to < 0: skipped |
 * | TEXT {register, to, unit} | text of that many bytes; to < 0: skipped; unit 0: all bytes, nulls included |
 * | SKIP {register, bits} | that many elements of constant size |
 * | SPAN {register, bytes, to} | offset and length in bytes of that many elements of so many bytes at pos to words[out + to]; pos stays, what follows passes over them |
 * | COPY {from, to} | words[out + to] := words[out + from] |
 * | LEB {to, spec, n, n x register} | variable-length integer of at most 64 bits: two words at `to` (< 0: none) and the registers |
 * | LOOP {register, count, least, jump} | a loop of register (< 0: count) rounds; faults unless rounds x least bits remain; none: jump |
 * | NEXT {jump} | the loop's next round jumps back |
 * | SWITCH {register, flip, otherwise, n, n x (fromHigh, fromLow, toHigh, toLow, jump)} | first range that holds the register, else otherwise; 0 faults. High words are xor `flip`, low words xor 2^31, so that signed comparison orders them |
 * | JUMP {jump} | |
 * | RESERVE {n} | room for n words at out |
 * | ADVANCE {n} | out += n |
 * | PUSH {value} | words[out++] := value, with room made |
 * | PUSH_REGISTER {register} | words[out++] := low word of the register, with room made |
 * | ORDER | faults unless pos is at a byte: the byte order changes here |
 * | PLACE {register} | register := byte offset of pos in the buffer |
 * | SEEN {bits} | sets bits of the register REGISTER_SEEN |
 * | UNSUPPORTED | faults: what follows cannot be decoded by any reader |
 */
export const OP_END = 0;
export const OP_NEED = 1;
export const OP_I8 = 2;
export const OP_U8 = 3;
export const OP_I16 = 4;
export const OP_U16 = 5;
export const OP_I32 = 6;
export const OP_I64 = 7;
export const OP_BITS = 8;
export const OP_REGISTER = 9;
export const OP_TIME = 10;
export const OP_TEXT_AT = 11;
export const OP_CONSTANT = 12;
export const OP_ALIGN = 13;
export const OP_STRING = 14;
export const OP_TEXT = 15;
export const OP_SKIP = 16;
export const OP_LEB = 17;
export const OP_LOOP = 18;
export const OP_NEXT = 19;
export const OP_SWITCH = 20;
export const OP_JUMP = 21;
export const OP_RESERVE = 22;
export const OP_ADVANCE = 23;
export const OP_PUSH = 24;
export const OP_PUSH_REGISTER = 25;
export const OP_ORDER = 26;
export const OP_PLACE = 27;
export const OP_SEEN = 28;
export const OP_UNSUPPORTED = 29;
export const OP_SPAN = 30;
export const OP_COPY = 31;

/** Bits. Positions are 31-bit numbers below it, so that a NEED of this many always faults; it stands for any larger number. */
export const POSITION_LIMIT = 2 ** 31 - 1;

/** A spec's low 7 bits are the size in bits, 1-64. */
export const SPEC_SIZE = 0x7f;
export const SPEC_SIGNED = 0x80;
export const SPEC_BIG_ENDIAN = 0x100;
export const SPEC_WIDE = 0x200;
/** LEB only: the value updates the clock. */
export const SPEC_TIME = 0x400;
/** The bits in the other order (`IntegerClass.reversed`). */
export const SPEC_REVERSED = 0x800;

/** Faults: negative results of a program in place of a position. */
export const FAULT_BEYOND = -1;
export const FAULT_ARRAY = -2;
export const FAULT_STRING = -3;
export const FAULT_OPTION = -4;
export const FAULT_ORDER = -5;
export const FAULT_PROGRESS = -6;
export const FAULT_UNSUPPORTED = -7;
export const FAULT_LIMIT = -8;
/** Only the packet loop gives it: no event class has the id. */
export const FAULT_UNKNOWN_CLASS = -9;
/** A variable-length integer has more than 64 bits. */
export const FAULT_OVERSIZED = -10;
/** Only the packet loop gives it: a time is too far from the base. */
export const FAULT_TIME = -11;

/** Roles have registers of their own, in this order; then `REGISTER_SEEN`, then those of lengths and tags. */
export const ROLE_REGISTERS = [
  'packet-magic',
  'trace-uuid',
  'stream-class-id',
  'stream-id',
  'packet-total-size',
  'packet-content-size',
  'packet-begin',
  'packet-end',
  'discarded-events',
  'packet-sequence',
  'cpu-id',
  'event-class-id',
] as const;

export type RegisterRole = (typeof ROLE_REGISTERS)[number];

/** Bit i: the role of register i was read. */
export const REGISTER_SEEN = ROLE_REGISTERS.length;
export const FIRST_FREE_REGISTER = REGISTER_SEEN + 1;

export function registerOfRole(role: RegisterRole): number {
  return ROLE_REGISTERS.indexOf(role);
}
