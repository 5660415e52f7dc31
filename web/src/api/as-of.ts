/**
 * The state of the estate that the pages show: a moment of the past, or a proposal. The URL sets it, as `as_of`; it is undefined for the
 * present.
 */
import { createStore } from './store.ts'

export const asOf = createStore<string | undefined>(undefined)

/** True where the pages show another state than the present one. */
export const isPast = (): boolean => asOf.get() !== undefined

const OF_PROPOSAL = 'proposal:'

/** @param text of `as_of` */
export const isOfProposal = (text: string | undefined): boolean => text?.startsWith(OF_PROPOSAL) === true

/** Returns the id or number of the proposal that `as_of` names. */
export const readProposal = (text: string): string => text.slice(OF_PROPOSAL.length)

export const toAsOf = (number: number): string => `${OF_PROPOSAL}${number}`

/** The proposal that the pages show the estate with. */
export type OpenProposal = {
  readonly number: number
  /** The user may change its operations: each write goes into it. */
  readonly canEdit: boolean
}

export const openProposal = createStore<OpenProposal | undefined>(undefined)

/** Returns the number of the proposal that takes the writes of the pages. */
export const findEdited = (): number | undefined => {
  const shown = openProposal.get()
  return shown?.canEdit && asOf.get() === toAsOf(shown.number) ? shown.number : undefined
}

/** True where nothing can be changed. */
export const isReadOnly = (): boolean => isPast() && findEdited() === undefined

/** The time that the server's last answer is as of. It understands durations and ids of changes too. */
export const answeredAsOf = createStore<string | null>(null)
asOf.subscribe(() => answeredAsOf.set(null))

/** Keeps the moment in a link that the router does not build. */
export const keepMoment = (href: string): string => {
  const at = asOf.get()
  return at === undefined ? href : `${href}${href.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(at)}`
}
