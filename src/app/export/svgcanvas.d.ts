/**
 * Types of the part of svgcanvas that is used; it has none of its own. Names with underscores are what it draws texts
 * with.
 */
declare module 'svgcanvas/dist/svgcanvas.esm.js' {
  interface Tile {
    readonly nodeName: string;
    readonly width: number;
    readonly height: number;
    getAttribute(name: string): string;
  }
  export interface RecordingContext extends Omit<CanvasRenderingContext2D, 'createPattern'> {
    createPattern(tile: Tile | HTMLCanvasElement, repetition: string): CanvasPattern | null;
    __currentElement: Element;
    getSerializedSvg(fixNamedEntities?: boolean): string;
    __applyText(text: string, x: number, y: number, action: string): void;
    __createElement(
      name: string,
      attributes: Readonly<Record<string, unknown>>,
      resetsFill: boolean,
    ): Element;
    __applyTransformation(element: Element): void;
    __applyStyleToCurrentElement(action: string): void;
    __closestGroupOrSvg(): Element;
  }
  export const Context: new (width: number, height: number) => RecordingContext;
}
