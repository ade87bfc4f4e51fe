/** Dialogs that are not part of the start page's first load. Loaded by `load-workspace.ts`. */
export { HelpSheet } from './commands/help-sheet.tsx';
export { OfferDialog } from './start/offer-dialog.tsx';
export { LockEventsDialog } from './locks/lock-events-dialog.tsx';
export { OverlaysDialog } from './overlays/overlays-dialog.tsx';
export { PlotsDialog } from './plots/plots-dialog.tsx';
