/** Names what a file is when it is no part of a CTF trace, by its first bytes, for messages. */

/** Bytes from the file's begin that `recognise` looks at. */
export const RECOGNISE_BYTES = 512;

interface Magic {
  readonly what: string;
  readonly bytes: readonly number[];
  /** Offset of the bytes; default 0. */
  readonly at?: number;
}

const text = (value: string): number[] => Array.from(value, (c) => c.charCodeAt(0));

const MAGICS: readonly Magic[] = [
  { what: 'a CTF data stream', bytes: [0xc1, 0x1f, 0xfc, 0xc1] },
  { what: 'a CTF data stream', bytes: [0xc1, 0xfc, 0x1f, 0xc1] },
  { what: 'an LTTng packet index', bytes: [0xc1, 0xf1, 0xdc, 0xc1] },
  { what: 'a perf.data file', bytes: text('PERFILE2') },
  { what: 'a trace-cmd trace.dat', bytes: [0x17, 0x08, 0x44, ...text('tracing')] },
  { what: 'a gzip archive', bytes: [0x1f, 0x8b] },
  { what: 'a zip archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { what: 'an xz archive', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { what: 'a zstd archive', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { what: 'a bzip2 archive', bytes: text('BZh') },
  { what: 'a tar archive', bytes: text('ustar'), at: 257 },
  { what: 'an SQLite database', bytes: text('SQLite format 3') },
  { what: 'an ELF file', bytes: [0x7f, ...text('ELF')] },
  { what: 'a PNG picture', bytes: [0x89, ...text('PNG')] },
  { what: 'a JPEG picture', bytes: [0xff, 0xd8, 0xff] },
  { what: 'a PDF document', bytes: text('%PDF-') },
  { what: 'a packet capture (pcapng)', bytes: [0x0a, 0x0d, 0x0d, 0x0a] },
  { what: 'a packet capture (pcap)', bytes: [0xd4, 0xc3, 0xb2, 0xa1] },
  { what: 'a packet capture (pcap)', bytes: [0xa1, 0xb2, 0xc3, 0xd4] },
];

/** Formats of JSON, by what stands near the begin of theirs. */
const JSON_FORMATS: readonly (readonly [sign: RegExp, what: string])[] = [
  [/"traceEvents"|"ph"\s*:\s*"/, 'a trace of Chrome (JSON)'],
  [/^\s*\{\s*"wakepath"\s*:\s*"notes"/, 'notes of a trace, which is to be opened first'],
  [/speedscope\.app/, 'a speedscope profile'],
  [/^\s*\{\s*"meta"\s*:\s*\{[^}]*"(?:interval|preprocessedProfileVersion)"/, 'a profile of Firefox (JSON)'],
];

/** "sh   396 [001]   113.593145: sched:sched_switch: …"; ftrace has a hyphen between thread and number. */
const PERF_SCRIPT =
  /^(?:#.*\n|[^\S\n]*\n)*\s{0,64}\S.{0,32}?\s+\d+(?:\/\d+)?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:\d+\s+)?[\w:/-]+: /;

/** Tables of `perf sched latency` and `perf lock contention`, without the events that they are made of. */
const PERF_TABLE = /^[^\S\n]*(?:Task +\| +Runtime ms|contended +total wait +max wait) /m;

/** CTF data stream or index: the trace's metadata are missing. */
export function isPartOfTrace(what: string): boolean {
  return what === MAGICS[0].what || what === MAGICS[2].what;
}

/**
 * @param name the file's name; some formats have no magic number
 * @param head its first bytes
 * @returns a noun with its article, or undefined when nothing is known about it
 */
export function recognise(name: string, head: Uint8Array): string | undefined {
  if (head.length === 0) return 'an empty file';
  const magic = MAGICS.find(({ bytes, at = 0 }) => bytes.every((byte, i) => head[at + i] === byte));
  if (magic !== undefined) return magic.what;
  if (/\.(perfetto-trace|pftrace|perfetto)$/.test(name) || looksLikePerfetto(head)) return 'a Perfetto trace';
  if (!isText(head)) return undefined;
  const begin = new TextDecoder().decode(head);
  if (PERF_SCRIPT.test(begin)) return 'text of `perf script`: drop the perf.data that it was made of';
  if (PERF_TABLE.test(begin)) return 'a table that perf printed: drop the perf.data that it was made of';
  if (!/^\s*[[{]/.test(begin)) return 'a text file';
  return JSON_FORMATS.find(([sign]) => sign.test(begin))?.[1] ?? 'JSON';
}

/** A Perfetto trace repeats field 1 (length-delimited) of TracePacket: the second packet is where the first ends. */
function looksLikePerfetto(head: Uint8Array): boolean {
  let at = 0;
  let packets = 0;
  while (packets < 3 && head[at] === 0x0a) {
    let length = 0;
    let shift = 0;
    let byte = 0x80;
    for (at++; byte >= 0x80 && shift < 28; shift += 7) {
      byte = head[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
    }
    if (length === 0) return false;
    at += length;
    packets++;
    if (at >= head.length) return packets > 1;
  }
  return packets === 3;
}

function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
