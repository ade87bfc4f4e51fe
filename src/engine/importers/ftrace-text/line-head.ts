/**
 * Head of a line of ftrace, before its event: "   sh-391   (  391) [001] d..2.   113.593145: ". A column for the process
 * and one for interrupts may be there. Latency formats: "sh-391     1d..2.   113.593145: " of `trace-cmd report -l`, with
 * "5us+: " for the time of ftrace's own option latency-format.
 */

const [TAB, SPACE, OPEN, HYPHEN, POINT, COLON, ZERO, NINE, FIRST, LAST] = [...'\t (-.:09!~'].map((char) =>
  char.charCodeAt(0),
);
const MOST_NAME = 64;
/** Characters to which latency formats cut names. */
const CUT_NAME = 8;

export class LineHead {
  tid = 0;
  /** 0: not known. */
  process = 0;
  cpu = 0;
  /** '' there are none. */
  flags = '';
  /** Time as it is written: whole seconds, ns behind them, and how many digits these have. */
  seconds = 0;
  nanos = 0;
  digits = 0;
  /** Where the event begins. */
  at = 0;
  #text = '';
  #end = 0;
  /** Where the name of the thread is. */
  #name = 0;
  #nameEnd = 0;
  #isLatency = false;

  /** Name of the thread; "<...>": it may be cut. */
  get comm(): string {
    const isCut = this.#isLatency && this.#nameEnd - this.#name >= CUT_NAME;
    return isCut ? '<...>' : this.#text.slice(this.#name, this.#nameEnd);
  }

  /**
   * Reads the line in [from, end) of a text; false: it is not of this form. The name of the thread ends at the first hyphen
   * with which the rest fits.
   */
  read(text: string, from: number, end: number): boolean {
    this.#text = text;
    this.#end = end;
    this.at = from;
    this.#skipSpaces();
    const name = this.at;
    for (let hyphen = name; ;) {
      hyphen = text.indexOf('-', hyphen + 1);
      if (hyphen < 0 || hyphen >= end || hyphen - name > MOST_NAME) return false;
      this.at = hyphen + 1;
      this.tid = this.#number(9);
      if (this.tid < 0 || !this.#skipSpaces() || !this.#readRest()) continue;
      this.#name = name;
      this.#nameEnd = hyphen;
      return true;
    }
  }

  #readRest(): boolean {
    this.process = 0;
    const first = this.#char();
    this.#isLatency = first >= ZERO && first <= NINE;
    if (this.#isLatency) {
      this.cpu = this.#number(4);
      return this.cpu >= 0 && this.#readFlags() && this.flags !== '' && this.#readTime();
    }
    if (first === OPEN && !this.#readProcess()) return false;
    if (!this.#skip('[')) return false;
    this.cpu = this.#number(5);
    return this.cpu >= 0 && this.#skip(']') && this.#skipSpaces() && this.#readFlags() && this.#readTime();
  }

  /** Reads "(  391)" or "(-----)". */
  #readProcess(): boolean {
    this.at++;
    this.#skipSpaces();
    if (this.#char() === HYPHEN) while (this.#char() === HYPHEN) this.at++;
    else this.process = this.#number(9);
    this.#skipSpaces();
    return this.process >= 0 && this.#skip(')') && this.#skipSpaces();
  }

  /** Reads the word before the time, if there is one. */
  #readFlags(): boolean {
    const from = this.at;
    for (let char = this.#char(); char >= FIRST && char <= LAST && char !== COLON; char = this.#char())
      this.at++;
    const to = this.at;
    this.flags = '';
    if (this.#char() === COLON) this.at = from;
    else if (to - from < 4 || to - from > 8 || !this.#skipSpaces()) return false;
    else this.flags = this.#text.slice(from, to);
    return true;
  }

  #readTime(): boolean {
    this.seconds = this.#number(12);
    this.nanos = this.digits = 0;
    if (this.#char() === POINT) {
      const from = ++this.at;
      this.nanos = this.#number(9);
      this.digits = this.at - from;
      this.nanos *= 10 ** (9 - this.digits);
    } else if (this.#isLatency) {
      // Behind "us" is a mark of how much time went.
      if (!this.#skip('u') || !this.#skip('s')) return false;
      this.at++;
      this.nanos = (this.seconds % 1e6) * 1000;
      this.seconds = Math.floor(this.seconds / 1e6);
      this.digits = 6;
    }
    return this.seconds >= 0 && this.nanos >= 0 && this.#skip(':') && this.#skipSpaces();
  }

  /** NaN: the line ends. */
  #char(): number {
    return this.at < this.#end ? this.#text.charCodeAt(this.at) : NaN;
  }

  /** false: another sign is there. */
  #skip(sign: string): boolean {
    if (this.at >= this.#end || this.#text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  /** false: there are none. */
  #skipSpaces(): boolean {
    const from = this.at;
    for (let char = this.#char(); char === SPACE || char === TAB; char = this.#char()) this.at++;
    return this.at > from;
  }

  /** -1: there is none of so few digits. */
  #number(mostDigits: number): number {
    const from = this.at;
    let value = 0;
    for (let char = this.#char(); char >= ZERO && char <= NINE; char = this.#char()) {
      value = 10 * value + char - ZERO;
      this.at++;
    }
    return this.at === from || this.at - from > mostDigits ? -1 : value;
  }
}
