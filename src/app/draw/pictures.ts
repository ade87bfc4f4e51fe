/** Pictures of the page that can be saved: what painters paint, which draw on any context. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';

export interface Picture {
  /** Title in a menu: "Timeline". */
  readonly title: string;
  /** CSS pixels. */
  size(): { readonly width: number; readonly height: number };
  /** Paints what is seen now, from the top left, on a ground of its own. */
  paint(context: CanvasRenderingContext2D): void;
}

/** Pictures that are on the page now. */
class Pictures {
  readonly #shown = signal<readonly Picture[]>([]);

  get shown(): ReadonlySignal<readonly Picture[]> {
    return this.#shown;
  }

  /** @returns takes it out again */
  add(picture: Picture): () => void {
    this.#shown.value = [...this.#shown.peek(), picture];
    return () => (this.#shown.value = this.#shown.peek().filter((one) => one !== picture));
  }
}

export const PicturesContext = createContext(new Pictures());
