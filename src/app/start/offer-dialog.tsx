/** Dialog for files given while a trace is open: asks whether to open them in addition or instead, or says what they are. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useApp } from '../context/app-context.ts';
import { Dialog } from '../widgets/dialog/dialog.tsx';
import { plural, visibleText } from '../format/text.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { ProgressState } from '../opening/progress-row.tsx';
import type { Progress } from '../../engine/protocol/session.ts';
import type { FoundOffer, Offer } from '../files/offers.ts';
import { TextButton } from '../controls/button.tsx';

export function OfferDialog({ offer }: { readonly offer: Offer }) {
  const { experiment, offers } = useApp();
  const open = visibleText(experiment.name.value);
  const title = `Open ${visibleText(offer.name)}`;
  const close = () => offers.dismiss(offer);
  return (
    <Dialog label={title} class={offer.state === 'looking' ? 'offer looking' : 'offer'} onClose={close}>
      <div class="dialog-head">
        <h2>{title}</h2>
      </div>
      {offer.state === 'looking' && (
        <OfferCard close={close} button="Cancel">
          <p>Looking at what is in it…</p>
          <Fetched progress={offer.progress} />
        </OfferCard>
      )}
      {offer.state === 'open' && (
        <OfferCard close={close} button="Close">
          <p>It is open already, as {open}.</p>
        </OfferCard>
      )}
      {offer.state === 'symbols' && (
        <OfferCard close={close} button="Close">
          <p>
            {plural(offer.files, 'file')} may name functions of {open}. Info says what is known of each
            program and library.
          </p>
        </OfferCard>
      )}
      {offer.state === 'refused' && (
        <OfferCard close={close} button="Close">
          <FaultCard fault={offer.fault} />
          <p>{open} stays open.</p>
        </OfferCard>
      )}
      {offer.state === 'found' && <Question offer={offer} close={close} />}
    </Dialog>
  );
}

interface OfferCardProps {
  readonly button: string;
  readonly children: ComponentChildren;
  close(): void;
}

function OfferCard({ button, close, children }: OfferCardProps) {
  return (
    <>
      {children}
      <div class="line">
        <TextButton class="button primary" onClick={close} autofocus text={button} />
      </div>
    </>
  );
}

/** Progress of fetching or unpacking; nothing for plain files. */
function Fetched({ progress }: { readonly progress: ReadonlySignal<Progress | undefined> }) {
  return progress.value === undefined ? null : (
    <div class="offer-progress">
      <ProgressState progress={progress.value} />
    </div>
  );
}

function Question({ offer, close }: { readonly offer: FoundOffer; close(): void }) {
  const { experiment, offers } = useApp();
  const open = visibleText(experiment.name.value);
  const canAdd = experiment.hasFiles.value;
  const fault = offer.found.faults.at(0);
  return (
    <>
      {fault !== undefined && (
        <>
          <FaultCard fault={fault} />
          <p>The part that is there can be opened.</p>
        </>
      )}
      <p>
        {canAdd
          ? `Add it to ${open} and see both on one timeline, or replace what is open?`
          : `It replaces ${open}, which was opened without its files and can take nothing in.`}
      </p>
      {canAdd && (
        <p class="faint">
          Together they are another trace: links and notes made so far stay with {open} alone.
        </p>
      )}
      <div class="line">
        {canAdd && (
          <button class="button primary" onClick={() => void offers.accept(offer, 'add')} autofocus>
            Add
          </button>
        )}
        <TextButton
          class={canAdd ? 'button outlined' : 'button primary'}
          onClick={() => void offers.accept(offer, 'replace')}
          text="Replace"
        />
        <TextButton onClick={close} text="Cancel" />
      </div>
    </>
  );
}
