/**
 * Shape of an event's body, the text of all that decides its program: event classes with equal texts share one program.
 * The 1,263 classes of a kernel's trace have 148, and a page that opens has no time to compile each class.
 */
import type { EventClass, FieldClass, StructClass } from '../../model.ts';
import type { KindWant } from '../rows/rows.ts';

/** Properties of field classes that only printing reads, and `text`, which says again where a reference leads. */
const UNREAD: ReadonlySet<string> = new Set(['labels', 'base', 'boolean', 'mediaType', 'text']);

export class BodyShapes {
  readonly #names: ReadonlySet<string>;
  /** Classes are shared: a trace has few integers that differ. */
  readonly #known = new Map<FieldClass, string>();

  /** @param wants of the event classes; none: no field is wanted by its name */
  constructor(wants: readonly KindWant[]) {
    const names = wants.flatMap(({ fields }) => fields.flatMap((field) => field.names));
    this.#names = new Set(names.flatMap((name) => name.split('.')));
  }

  of({ context, payload }: EventClass): string {
    return `${this.#textOf(context)} ${this.#textOf(payload)}`;
  }

  #textOf(type: FieldClass | undefined): string {
    if (type === undefined) return '';
    if (type.kind === 'struct') return this.#textOfStruct(type);
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const text = this.#textOfObject(type);
    this.#known.set(type, text);
    return text;
  }

  #textOfStruct({ align, members }: StructClass): string {
    let text = `${align}{`;
    for (const { name, type } of members)
      text += this.#names.has(name) ? `${name}:${this.#textOf(type)},` : `${this.#textOf(type)},`;
    return `${text}}`;
  }

  /** Whatever it has that is not known to matter to nobody. */
  #textOfObject(object: object): string {
    let text = '{';
    for (const [key, value] of Object.entries(object)) {
      if (UNREAD.has(key) || (key === 'name' && !this.#names.has(value as string))) continue;
      text += `${key}:${this.#textOfValue(value)},`;
    }
    return `${text}}`;
  }

  #textOfValue(value: unknown): string {
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.#textOfValue(item)).join()}]`;
    return isClass(value) ? this.#textOf(value) : this.#textOfObject(value);
  }
}

function isClass(value: object): value is FieldClass {
  return 'kind' in value;
}
