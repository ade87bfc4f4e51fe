import { describe, expect, it } from 'vitest';
import { integer, lttngModel, struct } from '../../../test/support/ctf-writer/model-builder.ts';
import type { StructClass, TraceModel } from '../ctf/model.ts';
import { uniteModels } from './read-trace.ts';

const value = struct({ value: integer(32) });

function modelOf(events: Readonly<Record<string, StructClass>>, offsetCycles = 0n): TraceModel {
  return lttngModel({
    uuid: '00000000-0000-4000-8000-000000000000',
    clock: { name: 'monotonic', frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles, absolute: true },
    environment: { hostname: 'wake' },
    header: 'compact',
    events,
  });
}

/** With only some of its event classes, as metadata that know no more. */
function withEvents(model: TraceModel, ids: readonly bigint[]): TraceModel {
  const [stream] = model.streams;
  return { ...model, streams: [{ ...stream, events: stream.events.filter(({ id }) => ids.includes(id)) }] };
}

describe('the models of chunks', () => {
  const whole = modelOf({ a: value, b: value, c: value });

  it('that grow are the last one', () => {
    expect(uniteModels(whole, withEvents(whole, [0n, 1n]))).toBe(whole);
    expect(uniteModels(withEvents(whole, [0n]), whole)).toEqual(whole);
  });

  it('that each know what the other does not are their union, in order of id', () => {
    expect(uniteModels(withEvents(whole, [2n, 0n]), withEvents(whole, [1n, 2n]))).toEqual(whole);
  });

  it('may have stream classes of their own', () => {
    const other = { ...whole.streams[0], id: 1n };
    const both = { ...whole, streams: [whole.streams[0], other] };
    expect(uniteModels({ ...whole, streams: [other] }, whole)).toEqual(both);
  });

  it('may have other offsets of their clocks', () => {
    expect(uniteModels(whole, modelOf({ a: value, b: value, c: value }, 77n))).toBe(whole);
  });

  it.each([
    ['an event', modelOf({ a: value, b: struct({ value: integer(64) }), c: value })],
    ['the name of an event', modelOf({ a: value, other: value, c: value })],
    ['the event header', { ...whole, streams: [{ ...whole.streams[0], eventHeader: value }] }],
    ['the packet header', { ...whole, packetHeader: value }],
    ['the byte order', { ...whole, byteOrder: 'be' as const }],
    ['a clock', { ...whole, clocks: [{ ...whole.clocks[0], frequency: 1000n }] }],
  ])('that differ in %s are not of one trace', (_, other) => {
    expect(uniteModels(whole, other)).toBeUndefined();
  });
});
