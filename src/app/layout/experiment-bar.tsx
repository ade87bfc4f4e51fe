/** The part of the top bar that concerns the open experiment: name, facts, search, visible range, open, share. */
import { placesOf } from '../address/link-places.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { MenuButton } from '../controls/menu.tsx';
import { formatBytes, formatCount, formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { isMuchLost, lossesOf } from '../opening/losses.ts';
import type { OpenPage } from '../features/feature.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { RangeButton } from './range-button.tsx';
import { SearchBox } from './search-box.tsx';

interface ExperimentBarProps {
  /** Undefined: nothing can be shown yet. */
  readonly page: OpenPage | undefined;
  /** The address of the current view. */
  readonly address: () => string;
}

export function ExperimentBar({ page, address }: ExperimentBarProps) {
  const { experiment, dialog, chooseFolder, chooseFiles } = useApp();
  const info = experiment.info.value;
  const linkOf = (withoutTexts: boolean) => {
    const { hash } = new URL(address());
    return withoutTexts ? placesOf(hash) : hash;
  };
  return (
    <>
      <span class="top-separator" />
      <h1 class="experiment-name ellipsis">{visibleText(experiment.name.value)}</h1>
      <span class="experiment-facts faint ellipsis">{info !== undefined && <Facts info={info} />}</span>
      <span class="grow" />
      {page !== undefined && <SearchBox page={page} />}
      <span class="grow" />
      {page !== undefined && <RangeButton view={page.view} />}
      <MenuButton
        label="Open"
        items={[
          { title: 'Choose a folder…', run: chooseFolder },
          { title: 'Choose files…', run: chooseFiles },
          { title: 'Open by address…', run: () => (dialog.value = { kind: 'address' }) },
          { title: 'Examples and recent traces', run: () => void experiment.close() },
        ]}
      >
        <Icon name="folder" />
        <span class="top-word">Open</span>
      </MenuButton>
      {page !== undefined && <ExportMenu {...page} link={linkOf} />}
      <CopyButton title="Copy link" done="Link copied" icon="share" text={address} />
    </>
  );
}

function Facts({ info }: { readonly info: ExperimentInfo }) {
  const { hosts, sideBySide, events, discardedEvents, bytes, lengthNs } = info;
  const isMuch = discardedEvents > 0 && isMuchLost(lossesOf(info));
  return (
    <>
      <span class="fact">{plural(hosts.length, sideBySide ? 'recording' : 'host')}, </span>
      <span class={isMuch ? 'bad' : 'fact'}>
        {events > 0 || discardedEvents > 0 ? eventsText(events, discardedEvents) : formatBytes(bytes)}
      </span>
      <span class="fact">, {formatDuration(lengthNs)}</span>
    </>
  );
}

/** "7 981 of 49 735 events": recorded events, and all with the lost ones. */
function eventsText(events: number, lost: number): string {
  return lost === 0 ? plural(events, 'event') : `${formatCount(events)} of ${plural(events + lost, 'event')}`;
}
