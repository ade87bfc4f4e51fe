/** Form fields for events that the user names. */
import type { Signal } from '@preact/signals';

interface TextFieldProps {
  readonly title: string;
  readonly text: Signal<string>;
  readonly placeholder: string;
  /** Id of a `datalist`. */
  readonly list?: string;
}

export function TextField({ title, text, placeholder, list }: TextFieldProps) {
  return (
    <label class="layer-field">
      <span>{title}</span>
      <span class="field">
        <input
          type="text"
          list={list}
          placeholder={placeholder}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </span>
    </label>
  );
}

/** Completions for text fields that have this id as their `list`. */
export function Names({ id, names }: { readonly id: string; readonly names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

interface SelectFieldProps<Id extends string> {
  readonly title: string;
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly chosen: Id;
  /** Signal that is set to the choice. */
  readonly into: { value: Id | undefined };
}

export function SelectField<Id extends string>({ title, options, chosen, into }: SelectFieldProps<Id>) {
  return (
    <label class="layer-field">
      <span>{title}</span>
      <select
        value={chosen}
        onChange={(event) => {
          const option = options.find(({ id }) => id === event.currentTarget.value);
          if (option) into.value = option.id;
        }}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChecksProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly chosen: Signal<readonly string[]>;
}

/** Checkboxes for names of event fields. */
export function Checks({ title, names, chosen }: ChecksProps) {
  if (names.length === 0) return null;
  const toggle = (name: string, isOn: boolean) => {
    const others = chosen.value.filter((other) => other !== name);
    chosen.value = isOn ? [...others, name] : others;
  };
  return (
    <fieldset class="layer-field">
      <legend>{title}</legend>
      <span class="layer-checks">
        {names.map((name) => (
          <label class="layer-check" key={name}>
            <input
              type="checkbox"
              checked={chosen.value.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            <span class="mono">{name}</span>
          </label>
        ))}
      </span>
    </fieldset>
  );
}

export function Check({ title, isOn }: { readonly title: string; readonly isOn: Signal<boolean> }) {
  return (
    <label class="layer-check">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={(event) => (isOn.value = event.currentTarget.checked)}
      />
      {title}
    </label>
  );
}

/** Message that says why the input of a form is wrong. */
export function Mistake({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="layer-mistake" role="alert">
      {text}
    </p>
  );
}
