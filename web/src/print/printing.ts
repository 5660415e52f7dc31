/** The store that is true while the page is printed. Tables draw all their rows then, not only the visible ones. */
import { flushSync } from 'react-dom'
import { createStore } from '../api/store.ts'

export const printing = createStore(false)

/** A table prints so many rows. */
export const MOST_PRINTED = 2000
/** How long rows from the server are awaited. */
const PATIENCE_MS = 5000
const STEP_MS = 50

const isLoading = (): boolean => document.querySelector('main [aria-busy=true]') !== null

const printWhenLoaded = (endMs: number): void => {
  if (isLoading() && Date.now() < endMs) setTimeout(() => printWhenLoaded(endMs), STEP_MS)
  else window.print()
}

/** Follows the browser. Its own key waits for rows that are loaded from the server; its menu prints the rows that are here. */
export const followPrinting = (): void => {
  window.addEventListener('beforeprint', () => flushSync(() => printing.set(true)))
  window.addEventListener('afterprint', () => printing.set(false))
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    flushSync(() => printing.set(true))
    setTimeout(() => printWhenLoaded(Date.now() + PATIENCE_MS), STEP_MS)
  })
}
