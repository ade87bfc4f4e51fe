/** All commands with their keys, by group, and how the pointer works. */
import { groupBy } from '../../engine/base/group-by.ts';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import { shownChord, type CommandList } from './command.ts';

interface HelpSheetProps {
  readonly commands: CommandList;
  readonly mac: boolean;
  onClose(): void;
}

const POINTER: readonly (readonly [string, string])[] = [
  ['Wheel', 'Scroll the rows'],
  ['Ctrl wheel, pinch', 'Zoom around the pointer'],
  ['Shift wheel, drag', 'Move in time'],
  ['Drag on the ruler', 'Select a range'],
  ['Click', 'Select an interval'],
  ['Double click', 'Fit an interval'],
  ['Right click', 'What can be done with a row'],
  ['Click on a flag', 'Open a note'],
];

export function HelpSheet({ commands, mac, onClose }: HelpSheetProps) {
  const withKeys = commands.all.value.filter(({ keys }) => keys !== undefined);
  const groups = groupBy(withKeys, ({ group }) => group);
  return (
    <Dialog label="Help" class="help-sheet" onClose={onClose}>
      <DialogHead title="Keys and pointer" onClose={onClose} />
      <div class="help-scroll" role="region" aria-label="Keys and pointer" tabIndex={0} autofocus>
        <div class="help-groups">
          {[...groups].map(([group, list]) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {list.map((command) => (
                  <div key={command.id}>
                    <dt>{command.title}</dt>
                    <dd>
                      {command.keys?.map((chord) => (
                        <kbd class="key" key={chord}>
                          {shownChord(chord, mac)}
                        </kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <section>
            <h3>Pointer on the timeline</h3>
            <dl>
              {POINTER.map(([gesture, effect]) => (
                <div key={gesture}>
                  <dt>{effect}</dt>
                  <dd class="faint">{gesture}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      </div>
    </Dialog>
  );
}
