/** One cell of a CSV file (RFC 4180). */

/** Cell text. A text that a spreadsheet would run as a formula gets an apostrophe, as names come out of traces. */
export function csvCell(value: number | bigint | string): string {
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
