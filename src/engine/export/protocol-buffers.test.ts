/** Files of protocol buffers, read by the published schemas. */
import { gunzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { readPerfetto, readPprof } from '../../../test/support/published-schemas.ts';
import { PerfettoWriter } from './perfetto.ts';
import { pprofFile } from './pprof.ts';

/** Of 64 bits, as no double has. */
const ORIGIN = 18_446_744_073_709_551_613n;

it('a trace for Perfetto comes in pieces, keeps all digits of its clock, and shows what names hide', () => {
  const writer = new PerfettoWriter(ORIGIN, ['runs', 'waits']);
  const begin = writer.take();
  const thread = writer.track({ name: 'evil\u202ename', pid: 7, tid: 8 });
  writer.slice(thread, 0, 2 ** 40 + 1, 1);
  writer.slice(thread, 2 ** 40 + 1, 2 ** 40 + 2, '\u0007bell');
  expect(writer.length).toBeGreaterThan(0);
  const packets = readPerfetto(Buffer.concat([begin, writer.take()]));
  expect(writer.length).toBe(0);
  expect(packets).toEqual([
    expect.objectContaining({
      clock_snapshot: {
        clocks: [
          { clock_id: 6, timestamp: '0' },
          { clock_id: 1, timestamp: String(ORIGIN) },
        ],
      },
    }),
    expect.objectContaining({
      sequence_flags: 1,
      interned_data: {
        event_names: [
          { iid: '1', name: 'runs' },
          { iid: '2', name: 'waits' },
        ],
      },
    }),
    expect.objectContaining({
      track_descriptor: {
        uuid: '1',
        name: 'evil⟨202e⟩name',
        thread: { pid: 7, tid: 8, thread_name: 'evil⟨202e⟩name' },
      },
    }),
    expect.objectContaining({
      timestamp: '0',
      sequence_flags: 2,
      track_event: { type: 1, track_uuid: '1', name_iid: '2' },
    }),
    expect.objectContaining({ timestamp: '1099511627777', track_event: { type: 2, track_uuid: '1' } }),
    expect.objectContaining({
      timestamp: '1099511627777',
      track_event: { type: 1, track_uuid: '1', name: '⟨07⟩bell' },
    }),
    expect.objectContaining({ timestamp: '1099511627778', track_event: { type: 2, track_uuid: '1' } }),
  ]);
});

it('a profile for pprof has a stack for each node with time or samples, innermost frame first', () => {
  const tree = {
    frames: ['main', 'read\u202e'],
    parent: Int32Array.of(-1, 0, 1, 2),
    frame: Int32Array.of(-1, 0, 1, 0),
    ns: Float64Array.of(0, 0, 2 ** 45, 5),
    samples: Float64Array.of(0, 3, 0, 0),
  };
  const file = pprofFile(tree, 1_795_225_043_737_704_787n, 1000, (frame) => ['main.c'][frame]);
  const profile = readPprof(gunzipSync(file));
  expect(profile.sample).toEqual([
    { location_id: ['1'], value: ['3', '0'] },
    { location_id: ['2', '1'], value: ['0', String(2 ** 45)] },
    { location_id: ['1', '2', '1'], value: ['0', '5'] },
  ]);
  const textOf = (index = '0') => profile.string_table[Number(index)];
  expect(profile.function.map(({ name, filename }) => [textOf(name), textOf(filename)])).toEqual([
    ['main', 'main.c'],
    ['read⟨202e⟩', ''],
  ]);
  expect(profile.string_table[0]).toBe('');
  expect([profile.time_nanos, profile.duration_nanos]).toEqual(['1795225043737704787', '1000']);
});
