/** Pictures of the page as files. */
import { pixelRatio } from '../draw/pixels.ts';
import type { Picture } from '../draw/pictures.ts';

/** Picture as PNG, as sharp as on the screen. @returns undefined: the browser cannot make a picture of that size */
export async function pngOf(picture: Picture): Promise<Blob | undefined> {
  const { width, height } = picture.size();
  const canvas = document.createElement('canvas');
  const ratio = pixelRatio();
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(ratio, ratio);
  picture.paint(context);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}

/** Texts stay texts. The library that writes it is loaded with the first one. */
export async function svgOf(picture: Picture): Promise<Blob> {
  const { SvgContext } = await import('./svg-context.ts');
  const { width, height } = picture.size();
  const context = new SvgContext(width, height);
  picture.paint(context);
  return new Blob([context.text()], { type: 'image/svg+xml' });
}
