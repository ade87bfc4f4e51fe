/** Choices of the user within panels: short texts by name, which outlive their panels and are part of the link. */
import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Two words with a dot between, which no other parameter of a link has: "cpu-time.order". */
const NAME = /^[a-z0-9-]+\.[a-z]+$/;

export class Choices {
  readonly #texts = signal<ReadonlyMap<string, string>>(new Map());

  /** The choice of this name; undefined: the default. Reads a signal. */
  text(name: string): string | undefined {
    return this.#texts.value.get(name);
  }

  choose(name: string, text: string | undefined): void {
    const texts = new Map(this.#texts.peek());
    if (text === undefined) texts.delete(name);
    else texts.set(name, text);
    this.#texts.value = texts;
  }

  /** Adds all choices to the parameters of a link. Reads a signal. */
  write(parts: URLSearchParams): void {
    this.#texts.value.forEach((text, name) => parts.set(name, text));
  }

  /** Replaces all choices by those of a link. */
  show(parts: URLSearchParams): void {
    this.#texts.value = new Map([...parts].filter(([name]) => NAME.test(name)));
  }
}

export const ChoicesContext = createContext<Choices | undefined>(undefined);

export function useChoices(): Choices {
  const choices = useContext(ChoicesContext);
  if (choices === undefined) throw new Error('used outside of ChoicesContext');
  return choices;
}

/** One of a few options: the first, until another is chosen. */
export function useChoice<Id extends string>(name: string, options: readonly { readonly id: Id }[]) {
  const choices = useChoices();
  const [first] = options;
  return {
    /** Reads a signal. */
    get value(): Id {
      const text = choices.text(name);
      return (options.find(({ id }) => id === text) ?? first).id;
    },
    choose: (id: Id) => choices.choose(name, id === first.id ? undefined : id),
  };
}
