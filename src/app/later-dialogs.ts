/** Dialogs that the start page does not begin with. Loaded by `load-workspace.ts`. */
export { HelpSheet } from './commands/help-sheet.tsx';
export { OfferDialog } from './start/offer-dialog.tsx';
export { LockEventsDialog } from './locks/lock-events-dialog.tsx';
export { OverlaysDialog } from './overlays/overlays-dialog.tsx';
export { PlotsDialog } from './plots/plots-dialog.tsx';
