import { describe, expect, it } from 'vitest';
import type { SourceRef } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { openExperiment } from './open-experiment.ts';
import { recognise } from './recognise.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Three packets of Perfetto's `Trace`: field 1, length, bytes. */
const PERFETTO = Uint8Array.of(0x0a, 3, 8, 1, 0, 0x0a, 0x02, 1, 2, 0x0a, 1, 7, 0x0a);

describe('files that are no trace', () => {
  it.each([
    ['trace.dat', Uint8Array.of(0x17, 0x08, 0x44, ...text('tracing')), 'a trace-cmd trace.dat'],
    ['perf.data', text('PERFILE2....'), 'a perf.data file'],
    ['trace.tar.gz', Uint8Array.of(0x1f, 0x8b, 8), 'a gzip archive'],
    ['trace.zip', Uint8Array.of(0x50, 0x4b, 3, 4), 'a zip archive'],
    ['x', PERFETTO, 'a Perfetto trace'],
    ['x.pftrace', Uint8Array.of(1, 2, 3), 'a Perfetto trace'],
    ['shot.png', Uint8Array.of(0x89, ...text('PNG'), 0x0d, 0x0a), 'a PNG picture'],
    ['net.pcap', Uint8Array.of(0xd4, 0xc3, 0xb2, 0xa1, 2, 0), 'a packet capture (pcap)'],
    ['trace.json', text('  {"traceEvents": []}'), 'a trace of Chrome (JSON)'],
    ['trace.json', text('[{"name": "a", "ph": "B", "ts": 1}]'), 'a trace of Chrome (JSON)'],
    ['profile.json', text('{"meta": {"version": 29, "interval": 1}}'), 'a profile of Firefox (JSON)'],
    [
      'x.json',
      text('{"$schema": "https://www.speedscope.app/file-format-schema.json"}'),
      'a speedscope profile',
    ],
    ['x.json', text('{"a": "ph"}'), 'JSON'],
    ['notes.md', text('# Notes\n'), 'a text file'],
    [
      'latency.txt',
      text('\n -----\n  Task                  |   Runtime ms  | Switches | Avg delay ms    |\n -----\n'),
      'a table that perf printed: drop the perf.data that it was made of',
    ],
    [
      'contention.txt',
      text(' contended   total wait     max wait     avg wait         type   caller\n'),
      'a table that perf printed: drop the perf.data that it was made of',
    ],
    ['x', new Uint8Array(0), 'an empty file'],
    ['x', Uint8Array.of(0, 1, 2, 3), undefined],
  ])('%s is told by its bytes', (name, bytes, what) => {
    expect(recognise(name, bytes)).toBe(what);
  });
});

it.each([
  [
    'another format, by its name rather than by a text beside it',
    { 'a/README': text('hello'), 'a/trace': PERFETTO },
    { code: 'not-a-trace', place: { file: 'a/trace' }, found: 'a Perfetto trace' },
  ],
  [
    'streams without metadata',
    { 'kernel/channel_0': Uint8Array.of(0xc1, 0x1f, 0xfc, 0xc1, 0) },
    { code: 'metadata-missing', place: { file: 'kernel/channel_0' } },
  ],
  [
    'indexes without metadata',
    { 'index/channel_0.idx': Uint8Array.of(0xc1, 0xf1, 0xdc, 0xc1, 0) },
    { found: 'an LTTng packet index without a metadata file' },
  ],
  [
    'metadata that cannot be read',
    { 'x/metadata': new Uint8Array(0) },
    { code: 'metadata-empty', place: { file: 'x/metadata' } },
  ],
])('opening what is no trace says why: %s', async (_, files: Readonly<Record<string, Uint8Array>>, fault) => {
  const refs = Object.entries(files).map(([path, bytes]): SourceRef => {
    return { kind: 'memory', path, size: bytes.length, bytes };
  });
  const { faults, traces } = await openExperiment(refs, openSource);
  expect(traces).toEqual([]);
  expect(faults).toMatchObject([fault]);
});
