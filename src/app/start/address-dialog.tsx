/** Dialog that opens an archive by its address, after the user has confirmed the server. */
import { useSignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import { visibleText } from '../format/text.ts';
import { readAddress } from '../../engine/io/web-address.ts';
import './address-dialog.css';
import { TextButton } from '../controls/button.tsx';

interface AddressDialogProps {
  /** Address from a link; '' to be typed. */
  readonly address: string;
  onClose(): void;
}

export function AddressDialog({ address, onClose }: AddressDialogProps) {
  const { offers } = useApp();
  const text = useSignal(address);
  const url = readAddress(text.value);
  const open = (event: Event) => {
    event.preventDefault();
    if (url === undefined) return;
    onClose();
    void offers.takeAddress(url);
  };
  return (
    <Dialog label="Open by address" class="address-dialog" onClose={onClose}>
      <form onSubmit={open}>
        <DialogHead title="Open by address" onClose={onClose} />
        <label>
          <span>Address of a .zip, .tar or .tar.gz with a trace</span>
          <span class="field">
            <input
              type="text"
              inputMode="url"
              spellcheck={false}
              autocomplete="off"
              placeholder="https://"
              value={text.value}
              onInput={(event) => (text.value = event.currentTarget.value)}
              autofocus
            />
          </span>
        </label>
        <p role="status">
          {url === undefined ? (
            text.value.trim() === '' ? (
              'Nothing is asked for before you confirm.'
            ) : (
              'This is no address that begins with https:// or http://, or it holds a password.'
            )
          ) : (
            <>
              This page asks <strong>{visibleText(url.host)}</strong> for the file, and no other server. That
              server learns your network address and which file you read; nothing of your traces is sent.
            </>
          )}
        </p>
        <div class="line">
          <button type="submit" class="button primary" disabled={url === undefined}>
            {url === undefined ? 'Fetch' : `Fetch from ${visibleText(url.host)}`}
          </button>
          <TextButton type="button" onClick={onClose} text="Cancel" />
        </div>
      </form>
    </Dialog>
  );
}
