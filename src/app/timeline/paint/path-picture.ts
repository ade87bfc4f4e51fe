/** Picture of an active path: what painting it needs. */
import type { SceneFrame } from '../tiles/draw-list.ts';
import type { Palette } from '../../draw/palette.ts';
import type { ShownPath } from '../view/shown-path.ts';

export interface PathPicture {
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly path: ShownPath;
  /** The segment stepped to; -1: none. */
  readonly step: number;
}
