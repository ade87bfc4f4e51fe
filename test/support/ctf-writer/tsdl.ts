/** The TSDL text (CTF 1.8.3 section 7 and appendix C) of a model. Names that TSDL keeps for itself get an underscore. */
import type {
  ClockClass,
  EventClass,
  FieldClass,
  FieldRef,
  IntegerClass,
  LabelRange,
  Scope,
  StreamClass,
  StructClass,
  TraceModel,
} from '../../../src/engine/ctf/model.ts';

const KEYWORDS = new Set(
  (
    'align callsite clock const char double enum env event floating_point float integer int long short ' +
    'signed stream string struct trace typealias typedef unsigned variant void _Bool _Complex _Imaginary'
  ).split(' '),
);

const SCOPE_PATHS: Readonly<Record<Scope, string>> = {
  'packet-header': 'trace.packet.header',
  'packet-context': 'stream.packet.context',
  'event-header': 'stream.event.header',
  'event-common-context': 'stream.event.context',
  'event-context': 'event.context',
  'event-payload': 'event.fields',
};

/** Where a field is declared: what paths are relative to. */
interface Site {
  readonly model: TraceModel;
  readonly roots: Partial<Record<Scope, StructClass>>;
  readonly scope: Scope;
  readonly steps: readonly number[];
}

type Declared = Pick<Site, 'model' | 'roots'>;

/** Metadata text of the model, a complete CTF 1.8 document. */
export function tsdlOf(model: TraceModel): string {
  const declared: Declared = { model, roots: { 'packet-header': model.packetHeader } };
  return [
    '/* CTF 1.8 */\n',
    traceBlock(declared),
    environmentBlock(model),
    ...model.clocks.map(clockBlock),
    ...model.streams.flatMap((stream) => streamBlocks(declared, stream)),
  ].join('\n');
}

function traceBlock(declared: Declared): string {
  const { uuid, byteOrder } = declared.model;
  const lines = ['major = 1;', 'minor = 8;'];
  if (uuid !== undefined) lines.push(`uuid = "${uuid}";`);
  lines.push(`byte_order = ${byteOrder};`, ...scopeLines(declared, { 'packet.header': 'packet-header' }));
  return block('trace', lines);
}

function environmentBlock(model: TraceModel): string {
  if (model.environment.length === 0) return '';
  return block(
    'env',
    model.environment.map(
      ({ name, value }) => `${name} = ${typeof value === 'string' ? quote(value) : value};`,
    ),
  );
}

function clockBlock(clock: ClockClass): string {
  const lines = [`name = ${clock.name};`];
  if (clock.uuid !== undefined) lines.push(`uuid = "${clock.uuid}";`);
  if (clock.description !== undefined) lines.push(`description = ${quote(clock.description)};`);
  lines.push(`freq = ${clock.frequency};`);
  if (clock.precision !== undefined) lines.push(`precision = ${clock.precision};`);
  lines.push(`offset_s = ${clock.offsetSeconds};`, `offset = ${clock.offsetCycles};`);
  lines.push(`absolute = ${clock.absolute ? 'TRUE' : 'FALSE'};`);
  return block('clock', lines);
}

function streamBlocks({ model, roots }: Declared, stream: StreamClass): string[] {
  const declared: Declared = {
    model,
    roots: {
      ...roots,
      'packet-context': stream.packetContext,
      'event-header': stream.eventHeader,
      'event-common-context': stream.eventContext,
    },
  };
  const lines = scopeLines(declared, {
    'packet.context': 'packet-context',
    'event.header': 'event-header',
    'event.context': 'event-common-context',
  });
  if (hasStreamIds(model)) lines.unshift(`id = ${stream.id};`);
  return [block('stream', lines), ...stream.events.map((event) => eventBlock(declared, stream, event))];
}

function eventBlock({ model, roots }: Declared, stream: StreamClass, event: EventClass): string {
  const declared: Declared = {
    model,
    roots: { ...roots, 'event-context': event.context, 'event-payload': event.payload },
  };
  const lines = [`id = ${event.id};`];
  if (hasStreamIds(model)) lines.push(`stream_id = ${stream.id};`);
  if (event.name !== undefined) lines.unshift(`name = ${quote(event.name)};`);
  if (event.logLevel !== undefined) lines.push(`loglevel = ${event.logLevel};`);
  return block('event', [
    ...lines,
    ...scopeLines(declared, { context: 'event-context', fields: 'event-payload' }),
  ]);
}

/** Without them in the packet header there is one stream class, which has no id. */
function hasStreamIds({ packetHeader }: TraceModel): boolean {
  return packetHeader?.members.some(({ name }) => name === 'stream_id') ?? false;
}

/** `ATTRIBUTE := STRUCT;` for each scope that the model has. */
function scopeLines(declared: Declared, scopes: Readonly<Record<string, Scope>>): string[] {
  return Object.entries(scopes).flatMap(([attribute, scope]) => {
    const root = declared.roots[scope];
    return root ? [`${attribute} := ${structText({ ...declared, scope, steps: [] }, root)};`] : [];
  });
}

function block(keyword: string, lines: readonly string[]): string {
  return `${keyword} {\n${lines.map((line) => `\t${line}\n`).join('')}};\n`;
}

function structText(site: Site, type: StructClass): string {
  const members = type.members.map(
    ({ name, type: member }, index) => `${declaration(within(site, index), name, member)};`,
  );
  return `struct { ${members.join(' ')} }${type.align > 1 ? ` align(${type.align})` : ''}`;
}

function within(site: Site, step: number): Site {
  return { ...site, steps: [...site.steps, step] };
}

/** `TYPE NAME[LENGTH]…`: the lengths of nested arrays follow the name, outermost first. */
function declaration(site: Site, name: string, type: FieldClass): string {
  let element = type;
  let inside = site;
  let lengths = '';
  while (element.kind === 'array') {
    lengths += lengthText(site, element.length);
    element = element.element;
    inside = within(inside, -1);
  }
  if (element.kind !== 'text') return `${typeText(inside, element)} ${identifier(name)}${lengths}`;
  const character = `integer { size = 8; align = ${element.align}; signed = false; encoding = UTF8; }`;
  return `${character} ${identifier(name)}${lengths}${lengthText(site, element.length)}`;
}

function lengthText(site: Site, length: number | FieldRef): string {
  return `[${typeof length === 'number' ? length : pathText(site, length)}]`;
}

function typeText(site: Site, type: FieldClass): string {
  switch (type.kind) {
    case 'integer': {
      const integer = integerText(site.model, type);
      return type.labels ? `enum : ${integer} { ${type.labels.map(labelText).join(', ')} }` : integer;
    }
    case 'float': {
      const [exponent, mantissa] = type.size === 32 ? [8, 24] : [11, 53];
      return (
        `floating_point { exp_dig = ${exponent}; mant_dig = ${mantissa}; ` +
        `align = ${type.align}; byte_order = ${type.byteOrder}; }`
      );
    }
    case 'string':
      return 'string { encoding = UTF8; }';
    case 'struct':
      return structText(site, type);
    case 'variant': {
      const options = type.options.map(
        (option, index) => `${declaration(within(site, index), option.name ?? '', option.type)};`,
      );
      return `variant <${pathText(site, type.tag)}> { ${options.join(' ')} }`;
    }
    default:
      throw new Error(`CTF 1.8 has no ${type.kind}`);
  }
}

function integerText(model: TraceModel, type: IntegerClass): string {
  const map = type.clock === undefined ? '' : ` map = clock.${model.clocks[type.clock].name}.value;`;
  return (
    `integer { size = ${type.size}; align = ${type.align}; signed = ${type.signed}; ` +
    `byte_order = ${type.byteOrder}; base = ${type.base};${map} }`
  );
}

function labelText({ label, from, to }: LabelRange): string {
  return `${quote(label)} = ${from === to ? from : `${from} ... ${to}`}`;
}

/**
 * The path of a length or tag as written at `site`: relative to the innermost struct that encloses both when they have
 * one (an absolute path cannot name what lies in an array's element), absolute for another scope.
 */
function pathText(site: Site, ref: FieldRef): string {
  const names: string[] = [];
  let common = 0;
  if (site.scope === ref.scope)
    while (common < ref.steps.length - 1 && ref.steps[common] === site.steps[common]) common++;
  let type: FieldClass | undefined = site.roots[ref.scope];
  ref.steps.forEach((step, index) => {
    if (type?.kind === 'array') {
      type = type.element;
      return;
    }
    const member =
      type?.kind === 'struct'
        ? type.members[step]
        : type?.kind === 'variant'
          ? type.options[step]
          : undefined;
    if (member === undefined) throw new Error(`no such field: ${ref.text}`);
    if (index >= common) names.push(identifier(member.name ?? ''));
    type = member.type;
  });
  return (site.scope === ref.scope ? names : [SCOPE_PATHS[ref.scope], ...names]).join('.');
}

/** The reader drops one leading underscore: names that begin with one, and keywords, are written with one more. */
function identifier(name: string): string {
  return KEYWORDS.has(name) || name.startsWith('_') ? `_${name}` : name;
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
