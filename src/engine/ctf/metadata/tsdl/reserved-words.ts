/** The words of TSDL that name nothing else (CTF 1.8.3 appendix C.1.1). */

/** Words that cannot name an alias or a field. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['align', 'callsite', 'clock', 'const', 'enum', 'env', 'event', 'floating_point', 'integer', 'stream'],
  ...['string', 'struct', 'trace', 'typealias', 'typedef', 'variant'],
  ...['char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Words of C's types among the reserved ones, which may be joined: `unsigned long`. */
const TYPE_WORDS: ReadonlySet<string> = new Set([
  ...['const', 'char', 'double', 'float', 'int', 'long', 'short', 'signed', 'unsigned', 'void'],
  ...['_Bool', '_Complex', '_Imaginary'],
]);

/** Whether a word can be part of the name of a type. */
export function isTypeWord(word: string): boolean {
  return !RESERVED.has(word) || TYPE_WORDS.has(word);
}
