/** Records what is drawn as SVG. */
import { Context } from 'svgcanvas/dist/svgcanvas.esm.js';

/** "600 11px Inter, sans-serif": weight, size and family, as painters set them. */
const FONT = /^(?:(\d+) )?(\S+) (.+)$/;

/**
 * A canvas context that records SVG. The library reads the parts of a font from a style of the page, and adds tiles of
 * patterns to the page; the content security policy forbids both, so they are replaced here.
 */
export class SvgContext extends Context {
  /** Tiles of patterns as data addresses, by placeholder. */
  readonly #tiles = new Map<string, string>();

  override createPattern(tile: HTMLCanvasElement, repetition: string): CanvasPattern | null {
    const name = `#tile-${this.#tiles.size}`;
    this.#tiles.set(name, tile.toDataURL());
    const { width, height } = tile;
    return super.createPattern({ nodeName: 'IMG', width, height, getAttribute: () => name }, repetition);
  }

  /** The document as text. */
  text(): string {
    let text = this.getSerializedSvg(true);
    for (const [name, data] of this.#tiles) text = text.replaceAll(`"${name}"`, `"${data}"`);
    return text;
  }

  override __applyText(text: string, x: number, y: number, action: string): void {
    const parent = this.__closestGroupOrSvg();
    const [, weight = '400', size, family] = FONT.exec(this.font) ?? [];
    const element = this.__createElement(
      'text',
      {
        ...{ 'font-family': family, 'font-size': size, 'font-weight': weight },
        ...{ x, y, 'dominant-baseline': 'central' },
      },
      true,
    );
    element.textContent = text;
    this.__currentElement = element;
    this.__applyTransformation(element);
    this.__applyStyleToCurrentElement(action);
    parent.appendChild(element);
  }
}
