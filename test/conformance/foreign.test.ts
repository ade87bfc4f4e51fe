/**
 * More public traces of others (`foreign` of the shared folder, whose README has what babeltrace2 2.0.4 reads): as many
 * events, and the begin of the digest of all of them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { summarisePaths } from '../../src/cli/commands/canonical.ts';
import { openDecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { sharedDir, sharedPath } from '../support/shared.ts';

const folder = sharedPath('foreign');

/** Events, and the first digits of their digest. */
const TRACES = [
  // OTF2 converted to CTF.
  ['tc-mpi_pthread', 870, '49d3f008'],
  ['tc-papi_counters', 873, '5eb84ca4'],
  ['tc-context-switches-ust', 3934, '84920fa4'],
  // With `duration` of its 12 `flush` events, which babeltrace2 leaves out: a field that is mapped to a clock.
  ['ocaml-eventlog', 46_922, '1dead94f'],
] as const;

/** Folders of barectf's tests without any event. */
const EMPTY =
  /^(basic-extra-pc-ft-members_.*|counter-clock_dst-packet-features_(beg-end-ts|beg-ts|beg-ts-uint32|disc-er-counter-snapshot|disc-er-counter-snapshot-uint8|end-ts|end-ts-uint32|none|sizes-uint16)|counter-clock_trace-type-features_.*)$/;

/** Events in those that have more than one. */
const MORE_EVENTS: Readonly<Record<string, number>> = {
  'basic_byte-order_trace-byte-order-big-endian': 2,
  'basic_ds_no-dst-id': 2,
  'basic_ds_two-packets': 2,
  'counter-clock_dst-er-features_ts': 3,
  'counter-clock_dst-er-features_ts-uint32': 3,
  'counter-clock_dst-packet-features_beg-end-ts-multi': 4,
  'counter-clock_dst-packet-features_beg-ts-multi': 4,
  'counter-clock_dst-packet-features_end-ts-multi': 4,
  'counter-clock_dst-packet-features_seq-num': 4,
  'packet-set-buf_packet-set-buf_packet-set-buf': 2,
};

describe.skipIf(sharedDir() === undefined || !existsSync(folder))('traces of others', () => {
  test.each(TRACES)('%s', async (name, events, digest) => {
    const { summary } = await summarisePaths([join(folder, name)], openDecodeMemory('wasm'));
    expect([summary.events, summary.sha256.slice(0, digest.length)]).toEqual([events, digest]);
  });

  test.each(['wasm', 'ts'] as const)('of the tests of barectf, decoder %s', async (decoder) => {
    const memory = openDecodeMemory(decoder);
    const root = join(folder, 'barectf-tests');
    const names = readdirSync(root);
    expect(names).toHaveLength(79);
    expect(names.filter((name) => EMPTY.test(name))).toHaveLength(16);
    for (const name of names) {
      const { summary, faults } = await summarisePaths([join(root, name)], memory);
      const expected = { events: MORE_EVENTS[name] ?? (EMPTY.test(name) ? 0 : 1), faults: [] };
      expect({ events: summary.events, faults }, name).toEqual(expected);
    }
  });
});
