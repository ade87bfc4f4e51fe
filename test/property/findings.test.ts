/** A finding has the part of a trace that it is about: what is read of that is what was read of the whole. */
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLossy, STATE_UNKNOWN } from '../../src/engine/linux/events/values.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import { fingerprintOf } from '../../src/engine/trace/fingerprint-of-key.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';
import { type LocalOutcome, localSession } from '../support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../support/memory-files.ts';
import { projectDir } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { recordings } from './recordings.ts';
import { forAll } from '../support/for-all.ts';

const LINK = '#trace=t&name=n&tab=path';
const NOTES = [{ id: 'a', from: 5, to: 9, text: 'slow' }];

interface Opened {
  readonly api: SessionApi;
  readonly outcome: LocalOutcome;
}

async function openedOf(files: ReadonlyMap<string, Uint8Array>): Promise<Opened> {
  const session = localSession();
  return { api: session.api, outcome: await session.open(memoryRefs(files)) };
}

/** The file of a finding. */
async function foundIn({ api }: Opened, range: TimeRange, withoutTexts = false): Promise<Uint8Array> {
  const request = { what: 'finding', range, link: LINK, notes: NOTES, withoutTexts } as const;
  const answer = await api.ask('exported', request);
  expect(answer.fault).toBeUndefined();
  if (answer.file === undefined) throw new Error('nothing was written');
  return new Uint8Array(await answer.file.arrayBuffer());
}

interface Line {
  readonly tid?: number;
  readonly thread?: string;
}

/** Events of a range with all their fields, but for the thread, which is not always known in a part. */
async function eventsIn({ api }: Opened, range: TimeRange): Promise<readonly Line[]> {
  const events = { filter: '' };
  const { file } = await api.ask('exported', { what: 'events', format: 'json', range, events });
  const lines = JSON.parse((await file?.text()) ?? '[]') as Line[];
  return lines.map(({ tid: _, thread: __, ...line }) => line);
}

/** What threads did at some times of a range, as far as it is known and events that are missing cannot have changed it. */
async function statesIn({ api, outcome: { rows } }: Opened, { from, to }: TimeRange) {
  const states = new Map<string, number>();
  // Later lives of a number are counted from the begin of the trace.
  for (const { id } of rows.filter((row) => /^thread:\d+:\d+$/.test(row.id)))
    for (let part = 0; part <= 4; part++) {
      const timeNs = Math.floor(from + (part * (to - from)) / 4);
      const found = await api.ask('interval', { row: id, timeNs });
      if (found === undefined || found.state === STATE_UNKNOWN || isLossy(found.value)) continue;
      states.set(`${id} ${timeNs}`, found.state);
    }
  return states;
}

async function expectPart(whole: Opened, range: TimeRange): Promise<{ known: number; bytes: number }> {
  const file = await foundIn(whole, range);
  const part = await openedOf(new Map([['a finding.zip', file]]));
  const expected = await eventsIn(whole, range);
  expect(await eventsIn(part, range)).toEqual(expected);
  const [all, states] = [await statesIn(whole, range), await statesIn(part, range)];
  for (const [place, state] of states) expect({ place, state }).toEqual({ place, state: all.get(place) });
  expect(part.outcome.info.discardedPackets).toBe(whole.outcome.info.discardedPackets);
  const says = await part.api.ask('finding', {});
  expect(JSON.parse(says ?? '')).toMatchObject({
    ...{ wakepath: 'finding', ...range, link: LINK, notes: NOTES },
    trace: fingerprintOf(part.outcome.info.key),
  });
  return { known: states.size, bytes: file.length };
}

describe('a part of imbalance-4t', () => {
  let plain: TraceFiles;

  beforeAll(() => {
    const folder = join(projectDir(), 'public/examples/imbalance-4t/kernel');
    const files = filesOfFolder(folder);
    plain = new Map([...files].map(([path, bytes]) => [path.slice('kernel/'.length), bytes]));
  });

  it('has the events of the whole and no other states, whatever its packets and folders', async () => {
    const share = fc.double({ noNaN: true, min: 0, max: 0.9 });
    await forAll(
      2,
      [recordings, fc.nat(), share, fc.double({ noNaN: true, min: 0, max: 0.1 })],
      async (recording, seed, begin, length) => {
        const whole = await openedOf(inFolder(await recordedAs(plain, recording, seed)));
        const { lengthNs } = whole.outcome.info;
        const from = Math.floor(begin * lengthNs);
        await expectPart(whole, { from, to: from + Math.floor(length * lengthNs) });
      },
    );
  });

  it('is small where packets are, and knows most states', async () => {
    const files = await recordedAs(plain, { perPacket: 50, folders: 1, overlap: false }, 1);
    const whole = await openedOf(inFolder(files));
    const range = { from: 262_000_000, to: 267_000_000 };
    const { known, bytes } = await expectPart(whole, range);
    expect(known).toBeGreaterThan(10);
    const rest = await foundIn(whole, { from: 0, to: whole.outcome.info.lengthNs });
    expect(bytes).toBeLessThan(rest.length / 2);
    const size = await whole.api.ask('cutSize', { range });
    expect(size?.events).toBeLessThan(whole.outcome.info.events / 2);
  });
});

if (DEEP)
  it('all of two hosts has the times of both', async () => {
    const whole = await openedOf(filesOfFolder(join(projectDir(), 'public/examples/two-hosts-http')));
    await expectPart(whole, { from: 0, to: whole.outcome.info.lengthNs });
  });

describe.each([
  ['imbalance-4t', ['wk-imbalance', 'imb-80', 'guest-init', 'swapper']] as const,
  ...(DEEP
    ? ([
        ['two-hosts-http', ['wk-httpget', 'swapper', 'client', 'server']],
        ['lockfight-mutex', ['wk-lockfight', 'fight-0', 'liblttng']],
      ] as const)
    : []),
])('%s without texts', (name, secrets) => {
  it('has none of them, and is otherwise what it was', async () => {
    const whole = await openedOf(filesOfFolder(join(projectDir(), 'public/examples', name)));
    const range = { from: 0, to: whole.outcome.info.lengthNs };
    const file = await foundIn(whole, range, true);
    expect(secretsIn(await foundIn(whole, range), secrets)).toEqual(secrets);
    expect(secretsIn(file, secrets)).toEqual([]);
    const part = await openedOf(new Map([['a finding.zip', file]]));
    expect(part.outcome.info.events).toBe(whole.outcome.info.events);
    const [expected, events] = [await eventsIn(whole, range), await eventsIn(part, range)];
    expect(events.map(withoutTexts)).toEqual(expected.map(withoutTexts));
    const [all, states] = [await statesIn(whole, range), await statesIn(part, range)];
    expect(states).toEqual(all);
  });
});

/** Which of the texts the archive has in it. */
function secretsIn(file: Uint8Array, secrets: readonly string[]): string[] {
  const text = new TextDecoder('latin1');
  const all = Object.entries(unzipSync(file)).map(([path, bytes]) => `${path} ${text.decode(bytes)}`);
  return secrets.filter((secret) => all.some((member) => member.includes(secret)));
}

describe('a packet with what was in memory before', () => {
  const METADATA = `/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 8; align = 8; encoding = UTF8; } := letter;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
env { hostname = "secret-host"; domain = "kernel"; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 32; align = 8; map = clock.c.value; } := time;
stream {
  packet.context := struct { time timestamp_begin; time timestamp_end; u32 content_size; u32 packet_size; };
  event.header := struct { u8 id; time timestamp; };
};
event { id = 0; name = "e"; fields := struct { letter comm[8]; string path; u8 n; letter more[n]; }; };
`;
  const SECRETS = ['qz', 'leftover', 'hidden', 'dynamic', 'stale', 'padding', 'secret-host', 'secret-folder'];

  /** @param id of the event; 0 is the one that is declared */
  async function finding(id: number) {
    const event = [id, 5, 0, 0, 0, ...utf8('qz\0leftover'.slice(0, 8)), ...utf8('hidden\0')];
    const body = [...event, 13, ...utf8('dynamic\0stale')];
    const content = 20 + body.length;
    const rest = utf8('padding');
    const head = new Uint32Array([0xc1fc1fc1, 0, 9, 8 * content, 8 * (content + rest.length)]);
    const packet = Uint8Array.from([...new Uint8Array(head.buffer), ...body, ...rest]);
    const files = new Map([
      ['secret-folder/metadata', Uint8Array.from(utf8(METADATA))],
      ['secret-folder/stream', packet],
    ]);
    const whole = await openedOf(files);
    const range = { from: 0, to: 9 };
    const all = { what: 'finding', range, link: LINK, notes: NOTES } as const;
    return [
      await whole.api.ask('exported', all),
      await whole.api.ask('exported', { ...all, withoutTexts: true }),
    ] as const;
  }

  it('has none of it without texts', async () => {
    const [whole, masked] = await finding(0);
    const bytesOf = async ({ file }: typeof whole) => new Uint8Array((await file?.arrayBuffer()) ?? []);
    const known = SECRETS.filter((secret) => secret !== 'leftover');
    expect(secretsIn(await bytesOf(whole), known)).toEqual(known);
    expect(secretsIn(await bytesOf(masked), [...SECRETS, 'lefto'])).toEqual([]);
    const part = await openedOf(new Map([['a.zip', await bytesOf(masked)]]));
    expect(await eventsIn(part, { from: 0, to: 9 })).toMatchObject([
      { name: 'e', payload: { path: expect.stringMatching(/^[a-z]{6}$/) as string, n: 13 } },
    ]);
  });

  it('is refused where an event cannot be decoded', async () => {
    const [whole, masked] = await finding(7);
    expect(whole.file).toBeDefined();
    expect(masked.file).toBeUndefined();
    expect(masked.fault).toMatchObject({ code: 'unsupported', place: { packet: 0 } });
  });
});

const utf8 = (text: string) => [...new TextEncoder().encode(text)];

/** What is left of an event without texts of its fields and of its machine: their sizes. */
function withoutTexts({ name, ...event }: Line & { readonly name?: string }): unknown {
  const sizes = JSON.stringify(event, (key, value: unknown) => {
    if (key === 'host' || key === 'stream') return undefined;
    return typeof value === 'string' && !/^\d+$/.test(value) ? new TextEncoder().encode(value).length : value;
  });
  return { name, sizes };
}

it('the events of a trace are all there, whatever a finding says beside it', async () => {
  const { files } = simulate(settingsOf(7));
  const { outcome } = await openedOf(inFolder(files));
  const time = fc
    .oneof(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 10n ** 10n }))
    .map(String);
  const piece = fc.record({ from: time, to: time, packets: fc.integer() });
  const leftOut = fc.oneof(fc.jsonValue(), fc.array(fc.array(piece), { minLength: 1, maxLength: 1 }));
  await forAll(20, [leftOut], async (says) => {
    const text = JSON.stringify({ wakepath: 'finding', leftOut: says });
    const part = await openedOf(inFolder(files).set('finding.json', new TextEncoder().encode(text)));
    expect(part.outcome.phase).toBe('done');
    expect(part.outcome.info.events).toBe(outcome.info.events);
    expect(await part.api.ask('finding', {})).toBe(text);
  });
});

function inFolder(files: TraceFiles): Map<string, Uint8Array> {
  return new Map([...files].map(([path, bytes]) => [`t/${path}`, bytes]));
}
