/** Looks for views that this browser has stored. */

/** The key of the views that this browser stored before the server did. */
const STORED = 'plat.views'

/** Sends the views that are stored in this browser to the server, once. */
export const moveStoredViews = (): void => {
  try {
    if (localStorage.getItem(STORED) === null) return
  } catch {
    // A browser without storage has none.
    return
  }
  // They are sent with the next page if this fails.
  void import('./move-stored.ts').then(({ moveStored }) => moveStored(STORED)).catch(() => {})
}
