/** The rows that somebody else has just changed: lists show them so for a moment. */
import { createStore } from '../api/store.ts'

/** As long as the animation of a row (table.module.css). */
const SHOWN_MS = 2400

/** Ids. */
export const fresh = createStore<ReadonlySet<string>>(new Set())

export const markFresh = (ids: readonly string[]): void => {
  if (ids.length === 0) return
  fresh.set(new Set([...fresh.get(), ...ids]))
  setTimeout(() => {
    const gone = new Set(ids)
    fresh.set(new Set([...fresh.get()].filter((id) => !gone.has(id))))
  }, SHOWN_MS)
}
