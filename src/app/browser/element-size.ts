/** The inner size of an element in CSS pixels, from an observer: reading it in a frame causes no layout. */
export class ElementSize {
  width: number;
  height: number;
  readonly #observer: ResizeObserver;

  constructor(element: Element, onChange: () => void) {
    this.width = element.clientWidth;
    this.height = element.clientHeight;
    this.#observer = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = element;
      // It begins with the size that is known.
      if (clientWidth === this.width && clientHeight === this.height) return;
      this.width = clientWidth;
      this.height = clientHeight;
      onChange();
    });
    this.#observer.observe(element);
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
