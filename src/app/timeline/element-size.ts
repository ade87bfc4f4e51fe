/** The inner size of an element in CSS pixels, as it was laid out last: to read it in a frame lays nothing out. */
export class ElementSize {
  width: number;
  height: number;
  readonly #observer: ResizeObserver;

  constructor(element: Element, onChange: () => void) {
    this.width = element.clientWidth;
    this.height = element.clientHeight;
    this.#observer = new ResizeObserver(() => {
      this.width = element.clientWidth;
      this.height = element.clientHeight;
      onChange();
    });
    this.#observer.observe(element);
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
