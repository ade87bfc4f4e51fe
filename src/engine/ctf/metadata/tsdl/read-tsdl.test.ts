import { describe, expect, test } from 'vitest';
import type { FieldClass, StreamClass, StructClass, TraceModel } from '../../model.ts';
import { readTsdl } from './read-tsdl.ts';

const HEAD = `/* CTF 1.8 */
typealias integer { size = 8; } := u8;
typealias integer { size = 32; align = 32; } := u32;
trace { major = 1; minor = 8; byte_order = le; };
`;

function read(text: string) {
  return readTsdl({ text, file: 'metadata' });
}

function modelOf(text: string): TraceModel {
  const result = read(text);
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value.model;
}

function payloadOf(fields: string): StructClass {
  const { payload } = modelOf(`${HEAD}event { name = e; fields := struct { ${fields} }; };`).streams[0]
    .events[0];
  return payload ?? { kind: 'struct', members: [], align: 1 };
}

function typeOf(fields: string): FieldClass {
  return payloadOf(fields).members.slice(-1)[0].type;
}

function faultOf(fields: string) {
  const result = read(`${HEAD}event { name = e; fields := struct {\n${fields} }; };`);
  return result.ok ? undefined : result.fault;
}

describe('types', () => {
  test('integers with all attributes and their defaults', () => {
    expect(typeOf('integer { size = 12; } a;')).toMatchObject({
      size: 12,
      signed: false,
      byteOrder: 'le',
      align: 1,
      base: 10,
    });
    expect(typeOf('integer { size = 16; } a;')).toMatchObject({ align: 8 });
    expect(
      typeOf(
        'integer { size = 7; signed = TRUE; byte_order = network; align = 4; base = hex; encoding = none; } a;',
      ),
    ).toMatchObject({ size: 7, signed: true, byteOrder: 'be', align: 4, base: 16 });
  });

  test('floats and strings', () => {
    expect(typeOf('floating_point { exp_dig = 11; mant_dig = 53; } a;')).toMatchObject({
      kind: 'float',
      size: 64,
      align: 8,
    });
    expect(typeOf('string { encoding = ASCII; } a;')).toMatchObject({ kind: 'string', encoding: 'utf-8' });
    expect(faultOf('floating_point { exp_dig = 5; mant_dig = 11; } a;')).toMatchObject({
      code: 'metadata-semantic',
    });
  });

  test('arrays of several dimensions, outermost first', () => {
    expect(typeOf('u8 a[2][3];')).toMatchObject({
      length: 2,
      element: { length: 3, element: { kind: 'integer' } },
    });
    expect(typeOf('typedef u8 row[3]; row a[2];')).toMatchObject({ length: 2, element: { length: 3 } });
  });

  test('a length that no number holds is beyond a limit', () => {
    expect(faultOf('u8 a[1152921504606846976];')).toMatchObject({ code: 'over-limit' });
    expect(faultOf('u8 a[-1];')).toMatchObject({ code: 'metadata-semantic' });
  });

  test('arrays of bytes with a text encoding are text', () => {
    expect(typeOf('integer { size = 8; encoding = UTF8; signed = 1; } a[16];')).toEqual({
      kind: 'text',
      length: 16,
      encoding: 'utf-8',
      align: 8,
    });
    expect(typeOf('integer { size = 8; align = 16; encoding = UTF8; } a[16];')).toMatchObject({
      kind: 'array',
    });
    expect(typeOf('u8 n; integer { size = 8; encoding = ascii; } a[n];')).toMatchObject({
      kind: 'text',
      length: { steps: [0] },
    });
  });

  test('a structure is aligned as its members and at least as it says', () => {
    expect(typeOf('struct { u8 a; u32 b; } s;')).toMatchObject({ align: 32 });
    expect(typeOf('struct { u8 a; } align(64) s;')).toMatchObject({ align: 64 });
    expect(typeOf('struct { } s;')).toMatchObject({ align: 1, members: [] });
  });

  test('labels: implicit values go on, ranges, both signs', () => {
    expect(typeOf('enum : u8 { A, B = 4, C, D = 7 ... 9, "E e", } x;')).toMatchObject({
      labels: [
        { label: 'A', from: 0n, to: 0n },
        { label: 'B', from: 4n, to: 4n },
        { label: 'C', from: 5n, to: 5n },
        { label: 'D', from: 7n, to: 9n },
        { label: 'E e', from: 10n, to: 10n },
      ],
    });
    expect(typeOf('enum : integer { size = 8; signed = 1; } { A = -3, B, C = -9 ... -5 } x;')).toMatchObject({
      labels: [{ from: -3n }, { from: -2n }, { from: -9n, to: -5n }],
    });
  });

  test('names of several words, pointers, and the implicit `int` of enumerations', () => {
    expect(typeOf('typealias integer { size = 64; } := unsigned long; unsigned long a;')).toMatchObject({
      size: 64,
    });
    expect(typeOf('typealias integer { size = 64; } := void *; void *a;')).toMatchObject({
      size: 64,
      base: 16,
    });
    expect(typeOf('typealias integer { size = 16; } := int; enum { A } a;')).toMatchObject({
      size: 16,
      labels: [{ label: 'A' }],
    });
  });

  test('one declaration of several fields, and the three ways to write a typedef', () => {
    expect(payloadOf('u8 a, b[2];').members.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(payloadOf('struct s { u8 x; } a, b;').members).toHaveLength(2);
    expect(typeOf('typedef u8 t; t a;')).toMatchObject({ size: 8 });
    expect(typeOf('integer { size = 3; } typedef t; t a;')).toMatchObject({ size: 3 });
  });

  test('inner names shadow outer ones, and only those declared before count', () => {
    const shadowed = 'typealias integer { size = 5; } := u8; u8 b;';
    expect(typeOf(`struct { ${shadowed} } s;`)).toMatchObject({ members: [{ type: { size: 5 } }] });
    expect(typeOf(`struct { ${shadowed} } s; u8 c;`)).toMatchObject({ size: 8 });
    expect(faultOf('later a; typealias u8 := later;')).toMatchObject({
      place: { line: 6, column: 1 },
      found: '`later`',
    });
    expect(faultOf('typealias u8 := x; typealias u8 := x;')).toMatchObject({ code: 'metadata-semantic' });
  });

  test('one leading underscore is dropped', () => {
    expect(payloadOf('u8 _a; u8 __b; u8 _; u8 c;').members.map(({ name }) => name)).toEqual([
      'a',
      '_b',
      '',
      'c',
    ]);
  });

  test('lengths from the environment', () => {
    const model = modelOf(`${HEAD}env { n = 5; }; event { name = e; fields := struct { u8 a[env.n]; }; };`);
    expect(model.streams[0].events[0].payload?.members[0].type).toMatchObject({ length: 5 });
  });
});

describe('references', () => {
  const variant = 'variant <tag> { u8 A; string B; } v;';

  test('a length before it, found from the inside out', () => {
    expect(typeOf('u8 n; struct { u8 m; u8 a[n]; } s;')).toMatchObject({
      members: [{}, { type: { length: { steps: [0] } } }],
    });
    expect(typeOf('u8 n; struct { u8 n; u8 a[n]; } s;')).toMatchObject({
      members: [{}, { type: { length: { steps: [1, 0] } } }],
    });
    expect(typeOf('struct { u8 n; } s; u8 a[s.n];')).toMatchObject({
      length: { steps: [0, 0], text: 's.n' },
    });
  });

  test('steps through arrays and variants', () => {
    expect(typeOf('struct { u8 n; u8 a[n]; } s[4];')).toMatchObject({
      element: { members: [{}, { type: { length: { steps: [0, -1, 0] } } }] },
    });
    expect(
      typeOf(`enum : u8 { A, B } tag; variant <tag> { u8 A; struct { u8 n; u8 a[n]; } B; } v;`),
    ).toMatchObject({
      options: [{}, { type: { members: [{}, { type: { length: { steps: [1, 1, 0] } } }] } }],
    });
  });

  test('absolute paths and the scopes read before', () => {
    const text = (path: string) => `${HEAD}
stream {
  packet.context := struct { u8 n; };
  event.header := struct { u8 n; };
  event.context := struct { u8 a[${path}]; };
};`;
    const lengthOf = (path: string) =>
      (modelOf(text(path)).streams[0].eventContext?.members[0].type as { length: unknown }).length;
    expect(lengthOf('stream.packet.context.n')).toMatchObject({ scope: 'packet-context', steps: [0] });
    expect(lengthOf('n')).toMatchObject({ scope: 'event-header', steps: [0] });
    expect(read(text('event.fields.n'))).toMatchObject({ ok: false, fault: { code: 'metadata-semantic' } });
  });

  test('options have the values of the labels of their name', () => {
    expect(typeOf(`enum : u8 { A = 1, B = 2 ... 3, A = 9 } tag; ${variant}`)).toMatchObject({
      tag: { scope: 'event-payload', steps: [0], text: 'tag' },
      options: [
        {
          name: 'A',
          ranges: [
            { from: 1n, to: 1n },
            { from: 9n, to: 9n },
          ],
        },
        { name: 'B', ranges: [{ from: 2n, to: 3n }] },
      ],
    });
  });

  test('a named variant gets its tag where it is used', () => {
    const fields = 'enum : u8 { A, B } t; struct { variant w { u8 A; u8 B; } x; } s;';
    expect(faultOf(fields)).toMatchObject({ expected: 'a tag for the variant' });
    const text = `${HEAD}variant w { u8 A; u8 B; };
event { name = e; fields := struct { enum : u8 { A, B } t; variant w <t> v; }; };`;
    expect(modelOf(text).streams[0].events[0].payload?.members[1].type).toMatchObject({
      kind: 'variant',
      tag: { steps: [0] },
    });
  });

  test.each([
    ['u8 a[n]; u8 n;', 'read before'],
    ['u8 a[a];', 'read before'],
    ['string n; u8 a[n];', 'unsigned integer'],
    ['integer { size = 8; signed = 1; } n; u8 a[n];', 'unsigned integer'],
    [`u8 tag; ${variant}`, 'enumeration'],
    [`struct { enum : u8 { A, B } t; } s[2]; variant <s.t> { u8 A; u8 B; } v;`, 'outside of arrays'],
    ['struct { u8 n; u8 a[s]; } s;', 'read before'],
  ])('%s is refused', (fields, expected) => {
    expect(faultOf(fields)?.expected).toContain(expected);
  });
});

describe('streams, events and roles', () => {
  const clock = 'clock { name = mono; freq = 1000; offset_s = -3; offset = 7; absolute = TRUE; };';
  const mapped = 'typealias integer { size = 64; map = clock.mono.value; } := ts_t;';

  function streamOf(text: string): StreamClass {
    return modelOf(text).streams[0];
  }

  test('roles by name and place', () => {
    const model = modelOf(`${clock} ${mapped}
typealias integer { size = 32; } := u32; typealias integer { size = 8; } := u8;
trace { major = 1; minor = 8; byte_order = be; uuid = "C95F145D-a416-c544-8a97-719a24f05c77";
  packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; u32 stream_instance_id; }; };
stream { id = 3; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; u32 packet_size;
  u32 content_size; u32 events_discarded; u32 packet_seq_num; u32 cpu_id; u32 other; };
  event.header := struct { enum : u8 { small = 0 ... 30, large = 31 } id;
    variant <id> { struct { ts_t timestamp; } small; struct { u32 id; ts_t timestamp; } large; } v; }; };`);
    const roles = (struct?: StructClass) =>
      struct?.members.map(({ type }) => ('roles' in type ? type.roles : undefined)?.join());
    expect(model).toMatchObject({ byteOrder: 'be', uuid: 'c95f145d-a416-c544-8a97-719a24f05c77' });
    expect(roles(model.packetHeader)).toEqual(['packet-magic', 'trace-uuid', 'stream-class-id', 'stream-id']);
    const [stream] = model.streams;
    expect(stream).toMatchObject({ id: 3n, clock: 0 });
    expect(roles(stream.packetContext)).toEqual([
      ...['packet-begin', 'packet-end', 'packet-total-size', 'packet-content-size', 'discarded-events'],
      ...['packet-sequence', 'cpu-id', undefined],
    ]);
    expect(stream.eventHeader).toMatchObject({
      members: [
        { type: { roles: ['event-class-id'] } },
        {
          type: {
            options: [
              { type: { members: [{ type: { roles: ['timestamp'], clock: 0 } }] } },
              {
                type: {
                  members: [{ type: { roles: ['event-class-id'] } }, { type: { roles: ['timestamp'] } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  test('the id of an option counts whatever the name of its variant', () => {
    const header = 'enum : u8 { a, b } id; variant <id> { struct { u8 x; } a; struct { u32 id; } b; } any;';
    expect(streamOf(`${HEAD}stream { event.header := struct { ${header} }; };`).eventHeader).toMatchObject({
      members: [
        {},
        { type: { options: [{}, { type: { members: [{ type: { roles: ['event-class-id'] } }] } }] } },
      ],
    });
  });

  test('a name of the language of our own tables is a name like others', () => {
    const text = `${HEAD}stream { packet.context := struct { u8 constructor; u8 __proto__; }; };`;
    const members = streamOf(text).packetContext?.members ?? [];
    expect(members.map(({ name, type }) => [name, 'roles' in type])).toEqual([
      ['constructor', false],
      ['_proto__', false],
    ]);
    expect(faultOf('integer { size = 8; base = constructor; } a;')).toMatchObject({
      code: 'metadata-semantic',
    });
  });

  test('clocks, and LTTng’s that forgot to say that it is absolute', () => {
    expect(modelOf(`${clock}${HEAD}`).clocks).toMatchObject([
      { name: 'mono', frequency: 1000n, offsetSeconds: -3n, offsetCycles: 7n, absolute: true },
    ]);
    const lttng = `${HEAD}env { tracer_name = "lttng-modules"; }; clock { name = "monotonic"; };`;
    expect(modelOf(lttng).clocks).toMatchObject([{ frequency: 1_000_000_000n, absolute: true }]);
  });

  test('unmapped timestamps take the only clock, or one of 1 GHz where there is none', () => {
    const stream = 'stream { event.header := struct { u32 timestamp; }; };';
    expect(modelOf(`${clock}${HEAD}${stream}`)).toMatchObject({
      clocks: [{ name: 'mono' }],
      streams: [{ clock: 0 }],
    });
    expect(modelOf(`${HEAD}${stream}`)).toMatchObject({
      clocks: [{ frequency: 1_000_000_000n }],
      streams: [{ clock: 0 }],
    });
    const two = modelOf(`${clock}clock { name = b; };${HEAD}${stream}`);
    expect(two.streams[0].clock).toBeUndefined();
  });

  test('a stream whose packets and events have times of two clocks is refused', () => {
    const text = `${HEAD}${clock} ${mapped} clock { name = b; };
      typealias integer { size = 64; map = clock.b.value; } := b_t;
      stream { packet.context := struct { b_t timestamp_begin; }; event.header := struct { ts_t t; }; };`;
    expect(read(text)).toMatchObject({ ok: false, fault: { code: 'unsupported', found: '`mono`, `b`' } });
    expect(modelOf(text.replace('b_t timestamp', 'ts_t timestamp')).streams).toMatchObject([{ clock: 0 }]);
  });

  test('ids default to 0, events are in order of id, streams may be left out', () => {
    const event = (id: string) => `event { name = "a:b"; ${id} fields := struct { u8 x; }; };`;
    expect(modelOf(HEAD + event(''))).toMatchObject({
      streams: [{ id: 0n, events: [{ id: 0n, name: 'a:b' }] }],
    });
    const header = 'stream { event.header := struct { u8 id; }; };';
    const ids = streamOf(HEAD + event('id = 9;') + event('id = 2;') + header).events.map(({ id }) => id);
    expect(ids).toEqual([2n, 9n]);
    expect(read(HEAD + header + event('id = 2;') + event('id = 2;'))).toMatchObject({ ok: false });
  });

  test.each(['u8 id[2]', 'integer { size = 8; signed = 1; } id', 'struct { u8 id; } h', 'string id'])(
    '`%s` does not tell several events apart',
    (header) => {
      const stream = `${HEAD}stream { event.header := struct { ${header}; }; }; event { name = a; id = 0; };`;
      expect(streamOf(stream).events).toHaveLength(1);
      const expected = 'an unsigned integer `id` in the event header';
      expect(read(`${stream} event { name = b; id = 1; };`)).toMatchObject({ fault: { expected } });
    },
  );

  test('unknown attributes are warnings, callsites are passed', () => {
    const result = read(`${HEAD}callsite { name = x; func = "f"; }; env { string = "s"; n = -2; };
event { name = e; colour = red; other := struct { u8 a; }; };`);
    expect(result).toMatchObject({
      ok: true,
      value: {
        model: {
          environment: [
            { name: 'string', value: 's' },
            { name: 'n', value: -2n },
          ],
        },
        warnings: [
          { code: 'metadata-unknown-attribute', found: '`other`', place: { line: 6 } },
          { code: 'metadata-unknown-attribute', found: '`colour`', place: { line: 6, column: 19 } },
        ],
      },
    });
  });
});

describe('faults', () => {
  test('say where, what was expected and what was found', () => {
    expect(read('trace {\n\tmajor = 1\n\tminor = 8;\n};')).toEqual({
      ok: false,
      fault: {
        code: 'metadata-syntax',
        place: { file: 'metadata', line: 3, column: 2, excerpt: '\tminor = 8;' },
        expected: '`;`',
        found: '`minor`',
      },
    });
    expect(read('trace { major = 1;')).toMatchObject({ fault: { found: 'the end of the metadata' } });
    expect(read('stream { };')).toMatchObject({ fault: { expected: 'a trace block' } });
    expect(read('trace { major = 2; minor = 8; byte_order = le; };')).toMatchObject({
      fault: { code: 'metadata-version' },
    });
  });

  test('of paths are where they end in an option of a variant, and of tags where the array is', () => {
    const variant = 'enum : u8 { x, y } tag;\nvariant <tag> {\n struct { u8 n; } x;\n string y;\n} v;';
    expect(faultOf(`${variant}\nu8 a[v.n];`)).toMatchObject({ place: { line: 9 }, found: 'the option `y`' });
    expect(faultOf(`${variant}\nu8 a[w.n];`)).toMatchObject({ place: { line: 11 }, found: '`w.n`' });
    expect(faultOf('enum : u8 { x } tag[2];\nvariant <tag> { u8 x; } v;')).toMatchObject({
      place: { line: 6 },
      found: '`tag` (array)',
    });
  });
});
