/** The rows that another client has just changed. Lists highlight them for a moment. */
import { createStore } from '../api/store.ts'

/** The duration of a row's animation (table.module.css). */
const SHOWN_MS = 2400

/** The ids of the rows. */
export const fresh = createStore<ReadonlySet<string>>(new Set())

export const markFresh = (ids: readonly string[]): void => {
  if (ids.length === 0) return
  fresh.set(new Set([...fresh.get(), ...ids]))
  setTimeout(() => {
    const gone = new Set(ids)
    fresh.set(new Set([...fresh.get()].filter((id) => !gone.has(id))))
  }, SHOWN_MS)
}
