/** Times that people type: "4.2", "4.2 s", "350ms", "12 us", "17 ns"; seconds where no unit is given. */
const UNITS: Record<string, number> = { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, μs: 1e3, ns: 1 };

/** ns, or undefined when it is none. Spaces between digits, thin ones too, are passed over. */
export function parseTime(text: string): number | undefined {
  // Our own times have a minus sign, which no keyboard has.
  const plain = text.replace(/\s/g, '').replace('−', '-');
  const match = /^([+-]?\d+(?:\.\d*)?|\.\d+)(s|ms|us|µs|μs|ns)?$/.exec(plain);
  if (match === null) return undefined;
  const [whole, part = ''] = match[1].split('.');
  const unit = UNITS[match[2] ?? ''];
  // Whole part and fraction by themselves, so that nanoseconds stay exact.
  const sign = whole.startsWith('-') ? -1 : 1;
  return Number(whole) * unit + sign * Math.round(Number(`0.${part || '0'}`) * unit);
}
