/** The moment that the pages show the estate of. The URL sets it, as `as_of`; it is undefined for the present. */
import { createStore } from './store.ts'

export const asOf = createStore<string | undefined>(undefined)

export const isPast = (): boolean => asOf.get() !== undefined

/** The time that the server's last answer is as of. It understands durations and ids of changes too. */
export const answeredAsOf = createStore<string | null>(null)
asOf.subscribe(() => answeredAsOf.set(null))

/** Keeps the moment in a link that the router does not build. */
export const keepMoment = (href: string): string => {
  const at = asOf.get()
  return at === undefined ? href : `${href}${href.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(at)}`
}
