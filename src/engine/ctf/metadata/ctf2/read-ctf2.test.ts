import { describe, expect, test } from 'vitest';
import type { FieldClass, TraceModel } from '../../model.ts';
import { readCtf2 } from './read-ctf2.ts';

const PREAMBLE = '{"type": "preamble", "version": 2}';
const STREAM = '{"type": "data-stream-class"}';

/** JSON texts, or objects. */
type Fragment = string | object;

function read(...fragments: readonly Fragment[]) {
  const texts = fragments.map((fragment) =>
    typeof fragment === 'string' ? fragment : JSON.stringify(fragment),
  );
  return readCtf2({ text: texts.map((text) => `\u001e${text}\n`).join(''), file: 'metadata' });
}

function modelOf(...fragments: readonly Fragment[]): TraceModel {
  const result = read(...fragments);
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value.model;
}

function faultOf(...fragments: readonly Fragment[]) {
  const result = read(...fragments);
  return result.ok ? undefined : result.fault;
}

function eventOf(members: readonly object[]): object {
  return {
    type: 'event-record-class',
    'payload-field-class': { type: 'structure', 'member-classes': members },
  };
}

function member(name: string, fieldClass: object | string): object {
  return { name, 'field-class': fieldClass };
}

/** The last member of a payload. */
function typeOf(...members: readonly object[]): FieldClass | undefined {
  const { payload } = modelOf(PREAMBLE, STREAM, eventOf(members)).streams[0].events[0];
  return payload?.members.at(-1)?.type;
}

function refusalOf(...members: readonly object[]) {
  return faultOf(PREAMBLE, STREAM, eventOf(members));
}

const fixed = { length: 8, 'byte-order': 'little-endian' };
const u8 = { type: 'fixed-length-unsigned-integer', ...fixed };
const s8 = { type: 'fixed-length-signed-integer', ...fixed };
const flag = { type: 'fixed-length-boolean', ...fixed };
const string = { type: 'null-terminated-string' };

function struct(...members: readonly object[]): object {
  return { type: 'structure', 'member-classes': members };
}

function listAt(path: readonly (string | null)[], origin?: string): object {
  return {
    type: 'dynamic-length-array',
    'length-field-location': { origin, path },
    'element-field-class': u8,
  };
}

describe('integers of 64 bits', () => {
  test('keep all their digits', () => {
    const text = `{"type": "event-record-class", "id": 18446744073709551615, "payload-field-class": {"type": "structure",
      "member-classes": [{"name": "a", "field-class": {"type": "variable-length-signed-integer", "mappings":
      {"least": [[-9223372036854775808, -9223372036854775807]]}}}]}}`;
    const [event] = modelOf(PREAMBLE, STREAM, text).streams[0].events;
    expect(event.id).toBe(18446744073709551615n);
    expect(event.payload?.members[0].type).toMatchObject({
      variable: true,
      signed: true,
      labels: [{ label: 'least', from: -9223372036854775808n, to: -9223372036854775807n }],
    });
  });

  test.each(['18446744073709551616', '-1', '1.0', '1e0', '"1"', 'null'])('an id of %s is none', (id) => {
    expect(faultOf(PREAMBLE, `{"type": "data-stream-class", "id": ${id}}`)).toMatchObject({
      code: 'metadata-semantic',
      place: { line: 1, column: 37, byte: 73 },
    });
  });
});

describe('field classes', () => {
  test('bit arrays, bit maps and booleans', () => {
    expect(typeOf(member('a', { type: 'fixed-length-bit-array', ...fixed, alignment: 4 }))).toEqual({
      kind: 'bits',
      size: 8,
      byteOrder: 'le',
      reversed: undefined,
      align: 4,
    });
    const map = {
      type: 'fixed-length-bit-map',
      ...fixed,
      flags: {
        on: [
          [0, 1],
          [7, 7],
        ],
      },
    };
    expect(refusalOf(member('a', { ...map, flags: { far: [[7, 8]] } }))).toMatchObject({
      code: 'metadata-semantic',
      found: '8',
    });
    expect(typeOf(member('a', map))).toMatchObject({
      kind: 'bits',
      labels: [
        { label: 'on', from: 0n, to: 1n },
        { label: 'on', from: 7n, to: 7n },
      ],
    });
    expect(typeOf(member('a', flag))).toMatchObject({ kind: 'integer', boolean: true, signed: false });
  });

  test('integers with mappings; without any they are plain', () => {
    const labels = [{ label: 'on', from: 1n, to: 2n }];
    expect(typeOf(member('a', { ...u8, mappings: { on: [[1, 2]] } }))).toMatchObject({ labels });
    expect(typeOf(member('a', { ...u8, mappings: {} }))).toMatchObject({ labels: undefined });
  });

  test.each([
    ['little-endian', 'first-to-last', undefined],
    ['little-endian', 'last-to-first', true],
    ['big-endian', 'first-to-last', true],
    ['big-endian', 'last-to-first', undefined],
  ])('%s, %s: reversed %s', (byteOrder, bitOrder, reversed) => {
    const type = typeOf(member('a', { ...u8, 'byte-order': byteOrder, 'bit-order': bitOrder }));
    expect(type).toHaveProperty('reversed', reversed);
  });

  test('bit arrays of more than 64 bits are not supported', () => {
    const bits = { type: 'fixed-length-bit-array', ...fixed };
    expect(refusalOf(member('a', { ...bits, length: 128 }))).toMatchObject({ code: 'unsupported' });
    expect(refusalOf(member('a', { ...bits, length: 0 }))).toMatchObject({ code: 'metadata-semantic' });
  });

  test('reals: 16, 32 and 64 bits; more are not supported', () => {
    const real = { type: 'fixed-length-floating-point-number', ...fixed };
    expect(typeOf(member('a', { ...real, length: 16 }))).toMatchObject({ kind: 'float', size: 16 });
    expect(refusalOf(member('a', { ...real, length: 128 }))).toMatchObject({ code: 'unsupported' });
    expect(refusalOf(member('a', { ...real, length: 80 }))).toMatchObject({ code: 'metadata-semantic' });
  });

  test('strings and BLOBs', () => {
    expect(typeOf(member('a', { ...string, encoding: 'utf-16be' }))).toEqual({
      kind: 'string',
      encoding: 'utf-16be',
      align: 8,
    });
    expect(typeOf(member('a', { type: 'static-length-string', length: 5 }))).toMatchObject({
      kind: 'text',
      length: 5,
    });
    const blob = {
      type: 'dynamic-length-blob',
      'length-field-location': { path: ['n'] },
      'media-type': 'image/png',
    };
    expect(typeOf(member('n', u8), member('a', blob))).toMatchObject({
      kind: 'blob',
      length: { scope: 'event-payload', steps: [0] },
      mediaType: 'image/png',
    });
  });

  test('minimum alignments', () => {
    const list = {
      type: 'static-length-array',
      length: 2,
      'element-field-class': u8,
      'minimum-alignment': 32,
    };
    expect(typeOf(member('a', list))).toMatchObject({ align: 32, element: { align: 1 } });
    expect(typeOf(member('a', { ...struct(member('b', list)), 'minimum-alignment': 16 }))).toMatchObject({
      align: 32,
    });
  });

  test('optionals: a boolean selector, or an integer with ranges', () => {
    const content = { 'selector-field-location': { path: ['s'] }, 'field-class': string };
    const optional = { type: 'optional', ...content };
    expect(typeOf(member('s', flag), member('a', optional))).toMatchObject({
      kind: 'optional',
      ranges: undefined,
    });
    const ranged = { ...optional, 'selector-field-ranges': [[-3, -1]] };
    expect(typeOf(member('s', s8), member('a', ranged))).toMatchObject({ ranges: [{ from: -3n, to: -1n }] });
    expect(refusalOf(member('s', u8), member('a', optional))).toMatchObject({ code: 'metadata-semantic' });
    expect(refusalOf(member('s', flag), member('a', ranged))).toMatchObject({ code: 'metadata-semantic' });
    expect(refusalOf(member('s', u8), member('a', ranged))).toMatchObject({
      expected: expect.stringContaining('signed'),
    });
  });

  test('aliases stand for what was declared before, for other aliases too', () => {
    const alias = (name: string, fieldClass: object | string) => ({
      type: 'field-class-alias',
      ...member(name, fieldClass),
    });
    const event = eventOf([member('a', 'second')]);
    const model = modelOf(PREAMBLE, alias('first', u8), alias('second', 'first'), STREAM, event);
    expect(model.streams[0].events[0].payload?.members[0].type).toMatchObject({ kind: 'integer', size: 8 });
    expect(faultOf(PREAMBLE, alias('self', 'self'))).toMatchObject({ found: '"self"' });
    expect(faultOf(PREAMBLE, alias('twice', u8), alias('twice', s8))).toMatchObject({ found: '"twice"' });
  });
});

describe('field locations', () => {
  test('from an origin, from the structure around, and from its parents', () => {
    expect(typeOf(member('n', u8), member('a', listAt(['n'], 'event-record-payload')))).toMatchObject({
      length: { scope: 'event-payload', steps: [0] },
    });
    const inner = struct(
      member('n', u8),
      member('here', listAt(['n'])),
      member('above', listAt([null, 'n'])),
    );
    expect(typeOf(member('n', u8), member('a', inner))).toMatchObject({
      members: [{}, { type: { length: { steps: [1, 0] } } }, { type: { length: { steps: [0] } } }],
    });
  });

  test('through the element at hand of the array around', () => {
    const element = struct(member('n', u8), member('list', listAt(['n'])));
    const outer = { type: 'static-length-array', length: 2, 'element-field-class': element };
    expect(typeOf(member('a', outer))).toMatchObject({
      element: { members: [{}, { type: { length: { steps: [0, -1, 0] } } }] },
    });
    expect(refusalOf(member('a', outer), member('b', listAt(['a', 'n'])))).toMatchObject({
      found: 'an array that is not around the field',
    });
  });

  test('to one field in each option of a variant', () => {
    const options = [struct(member('n', u8)), struct(member('x', u8), member('n', u8))].map(
      (option, index) => {
        return { 'field-class': option, 'selector-field-ranges': [[index, index]] };
      },
    );
    const variant = { type: 'variant', 'selector-field-location': { path: ['tag'] }, options };
    const members = [member('tag', u8), member('v', variant)];
    expect(typeOf(...members, member('a', listAt(['v', 'n'])))).toMatchObject({
      length: { steps: [1, 0, 0], alternatives: [[1, 1, 1]], text: 'v/n' },
    });
    expect(refusalOf(...members, member('a', listAt(['v', 'x'])))).toMatchObject({
      expected: 'a member `x` at v/x',
    });
  });

  test.each([
    ['of a field that comes later', [member('a', listAt(['n'])), member('n', u8)]],
    ['of the field itself', [member('a', listAt(['a']))]],
    ['of no field', [member('a', listAt(['n']))]],
    ['above the root', [member('n', u8), member('a', listAt([null, 'n']))]],
    ['into a scope that comes later', [member('a', listAt(['n'], 'event-record-header'))]],
    ['of a string', [member('n', string), member('a', listAt(['n']))]],
    ['of a signed length', [member('n', s8), member('a', listAt(['n']))]],
  ])('%s are refused', (_, members) => {
    expect(refusalOf(...members)).toMatchObject({ code: 'metadata-semantic', place: { line: 1 } });
  });
});

describe('fragments', () => {
  const packetHeader = struct(member('magic', { ...u8, length: 32, roles: ['packet-magic-number'] }));
  const clock = { type: 'clock-class', id: 'c', frequency: 1000 };

  test('of a whole trace', () => {
    const preamble = { type: 'preamble', version: 2, uuid: [...Array(16).keys()] };
    const trace = {
      type: 'trace-class',
      namespace: 'n',
      name: 'm',
      uid: 'u',
      environment: { hostname: 'h', tracer_major: 2 },
      'packet-header-field-class': packetHeader,
    };
    const time = { ...u8, length: 64, roles: ['default-clock-timestamp'] };
    const stream = {
      type: 'data-stream-class',
      id: 7,
      'default-clock-class-id': 'c',
      'packet-context-field-class': struct(member('t', time), member('cpu_id', u8)),
      'event-record-header-field-class': struct(member('t', time)),
    };
    const offset = { seconds: -1, cycles: 5 };
    const model = modelOf(
      preamble,
      { ...clock, 'offset-from-origin': offset, origin: 'unix-epoch' },
      trace,
      stream,
    );
    expect(model).toMatchObject({
      version: '2.0',
      uuid: '00010203-0405-0607-0809-0a0b0c0d0e0f',
      namespace: 'n',
      name: 'm',
      uid: 'u',
      environment: [
        { name: 'hostname', value: 'h' },
        { name: 'tracer_major', value: 2n },
      ],
      packetHeader: { members: [{ type: { roles: ['packet-magic'] } }] },
      clocks: [{ name: 'c', frequency: 1000n, offsetSeconds: -1n, offsetCycles: 5n, absolute: true }],
    });
    expect(model.streams).toMatchObject([
      {
        id: 7n,
        clock: 0,
        packetContext: { members: [{ type: { roles: ['packet-begin'] } }, { type: { roles: ['cpu-id'] } }] },
        eventHeader: { members: [{ type: { roles: ['timestamp'] } }] },
      },
    ]);
  });

  const u32 = { ...u8, length: 32 };
  const uuidBlob = { type: 'static-length-blob', length: 16, roles: ['metadata-stream-uuid'] };
  const withRole = (role: string, fieldClass: object = u8) => ({ ...fieldClass, roles: [role] });
  const traceClass = (...fields: object[]) => ({
    type: 'trace-class',
    'packet-header-field-class': struct(...fields.map((field, index) => member(`f${index}`, field))),
  });
  const header = (field: object) => ({
    type: 'data-stream-class',
    'event-record-header-field-class': struct(member('f', field)),
  });

  test('several times in a packet context are not supported, but in options of a variant', () => {
    const time = withRole('default-clock-timestamp');
    const clock = { type: 'clock-class', id: 'c', frequency: 1000, origin: 'unix-epoch' };
    const codeWith = (...fields: object[]) =>
      faultOf(PREAMBLE, clock, {
        type: 'data-stream-class',
        'default-clock-class-id': 'c',
        'packet-context-field-class': struct(...fields.map((field, index) => member(`f${index}`, field))),
      })?.code;
    const times = { type: 'static-length-array', length: 2, 'element-field-class': time };
    const options = [0, 1].map((n) => ({ 'field-class': time, 'selector-field-ranges': [[n, n]] }));
    const variant = { type: 'variant', 'selector-field-location': { path: ['f0'] }, options };
    expect(codeWith(time, time)).toBe('unsupported');
    expect(codeWith(times)).toBe('unsupported');
    expect(codeWith({ ...times, length: 1 })).toBeUndefined();
    expect(codeWith(u8, variant)).toBeUndefined();
    expect(codeWith(u8, variant, time)).toBe('unsupported');
  });

  test.each([
    ['a role that does not exist', header(withRole('importance')), 'importance'],
    ['a role of another scope', header(withRole('packet-sequence-number')), 'packet-sequence-number'],
    [
      'a time without a default clock',
      header(withRole('default-clock-timestamp')),
      'default-clock-timestamp',
    ],
    [
      'a role in a payload',
      eventOf([member('f', withRole('event-record-class-id'))]),
      'event-record-class-id',
    ],
    ['an integer as uuid', traceClass(withRole('metadata-stream-uuid', u32)), 'metadata-stream-uuid'],
    ['a uuid of a stream without one', traceClass(uuidBlob), 'metadata-stream-uuid'],
    [
      'a BLOB as magic number',
      traceClass({ ...uuidBlob, roles: ['packet-magic-number'] }),
      'packet-magic-number',
    ],
    ['a magic number of 8 bits', traceClass(withRole('packet-magic-number')), 'packet-magic-number'],
    [
      'a magic number of variable length',
      traceClass({ type: 'variable-length-unsigned-integer', roles: ['packet-magic-number'] }),
      'packet-magic-number',
    ],
    [
      'a magic number behind others',
      traceClass(u8, withRole('packet-magic-number', u32)),
      'packet-magic-number',
    ],
  ])('%s is refused at the role', (_, fragment, role) => {
    const streams = { 'trace-class': [fragment, STREAM], 'event-record-class': [STREAM, fragment] };
    const fragments = (streams as Record<string, Fragment[]>)[(fragment as { type: string }).type] ?? [
      fragment,
    ];
    const text = JSON.stringify(fragment);
    expect(faultOf(PREAMBLE, ...fragments)).toMatchObject({
      code: 'metadata-semantic',
      place: { line: 1, column: text.indexOf(`"${role}"`) + 1, excerpt: text },
    });
  });

  test('the uuid of the metadata stream has 16 bytes', () => {
    const preamble = { type: 'preamble', version: 2, uuid: Array<number>(16).fill(1) };
    expect(modelOf(preamble, traceClass(uuidBlob), STREAM).packetHeader).toMatchObject({
      members: [{ type: { kind: 'blob', roles: ['trace-uuid'] } }],
    });
    const short = traceClass({ ...uuidBlob, length: 8 });
    expect(faultOf(preamble, short, STREAM)).toMatchObject({ code: 'metadata-semantic' });
  });

  test.each([
    ['no preamble', [STREAM], 'metadata-semantic'],
    ['two preambles', [PREAMBLE, PREAMBLE], 'metadata-semantic'],
    ['version 3', ['{"type": "preamble", "version": 3}'], 'metadata-version'],
    ['no data stream class', [PREAMBLE], 'metadata-semantic'],
    [
      'two trace classes',
      [PREAMBLE, '{"type": "trace-class"}', '{"type": "trace-class"}'],
      'metadata-semantic',
    ],
    ['a trace class that comes late', [PREAMBLE, STREAM, '{"type": "trace-class"}'], 'metadata-semantic'],
    ['a clock class twice', [PREAMBLE, clock, clock], 'metadata-semantic'],
    ['a data stream class twice', [PREAMBLE, STREAM, STREAM], 'metadata-semantic'],
    [
      'an unknown clock class',
      [PREAMBLE, '{"type": "data-stream-class", "default-clock-class-id": "c"}'],
      'metadata-semantic',
    ],
    ['an event record class twice', [PREAMBLE, STREAM, eventOf([]), eventOf([])], 'metadata-semantic'],
    ['an event record class too early', [PREAMBLE, eventOf([])], 'metadata-semantic'],
    ['an unknown fragment', [PREAMBLE, '{"type": "data-stream"}'], 'metadata-semantic'],
    [
      'a property of a release candidate',
      [PREAMBLE, '{"type": "trace-class", "uuid": []}'],
      'metadata-version',
    ],
    ['a clock that stands', [PREAMBLE, { ...clock, frequency: 0 }], 'metadata-semantic'],
    [
      'an offset of a second in cycles',
      [PREAMBLE, { ...clock, 'offset-from-origin': { cycles: 1000 } }, STREAM],
      'metadata-semantic',
    ],
    ['no object', [PREAMBLE, '[]'], 'metadata-semantic'],
    ['no JSON', [PREAMBLE, '{"type": }'], 'metadata-syntax'],
    ['a comment', [PREAMBLE, '{} // no'], 'metadata-syntax'],
    ['a property twice', [PREAMBLE, '{"type": "trace-class", "type": "trace-class"}'], 'metadata-syntax'],
  ])('%s is refused', (_, fragments, code) => {
    expect(faultOf(...fragments)).toMatchObject({ code });
  });

  test.each([
    ['{"type": "trace-class",}', 'the name of a property', '`}`', 24],
    ['{"type" "trace-class"}', '`:`', '`"trace-class"`', 9],
    ['{"type": 02}', '`,`', '`2`', 11],
    ['{"type": NaN}', 'a token of JSON', '`NaN`', 10],
    ['{} {}', 'the end of the JSON text', '`{`', 4],
  ])('%s: JSON that is none is told by what there should be', (text, expected, found, column) => {
    const fault = { code: 'metadata-syntax', expected, found, place: { line: 1, column } };
    expect(faultOf(PREAMBLE, text)).toMatchObject(fault);
  });

  test('extensions are refused by name, attributes are the writers own', () => {
    const extensions = { 'example.org': { turbo: true } };
    expect(faultOf({ type: 'preamble', version: 2, extensions })).toMatchObject({
      code: 'unsupported',
      found: '`example.org/turbo`',
    });
    expect(
      modelOf({ type: 'preamble', version: 2, attributes: extensions, extensions: {} }, STREAM).streams,
    ).toHaveLength(1);
  });

  test('places count lines within their JSON text, and bytes in the file', () => {
    const fault = faultOf(PREAMBLE, '{\n  "typé": 1,\n  "type": "trace-class"\n}');
    expect(fault).toMatchObject({ place: { line: 2, column: 3, byte: 41, excerpt: '  "typé": 1,' } });
  });
});
