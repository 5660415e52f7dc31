/** The words of proposals. Pure functions. */
import { withCapital } from '../history/labels.ts'
import type { Tone } from '../ui/primitives.tsx'
import type { TimelineEntry } from './entry-words.ts'
import type { ListedProposal } from './queries.ts'

type Closed = Pick<ListedProposal, 'state' | 'close_reason'>

/** @example formatState({ state: 'closed', close_reason: 'rejected' }) // 'rejected' */
export const formatState = ({ state, close_reason }: Closed): string =>
  state === 'closed' && close_reason !== '' ? close_reason : state

export const getStateTone = ({ state, close_reason }: Closed): Tone => {
  if (state === 'merged') return 'ok'
  if (state === 'open') return 'info'
  return close_reason === 'rejected' ? 'bad' : 'idle'
}

export const formatSummary = ({ summary, errors }: Pick<ListedProposal, 'summary' | 'errors'>): string => {
  const conflicts =
    errors === 0 ? '' : ` ${errors === 1 ? 'One operation is' : `${errors} operations are`} refused now.`
  return `${withCapital(summary)}.${conflicts}`
}

/** Verbs of operations in the words of a page; all others are words already. */
const VERBS: Readonly<Record<string, string>> = {
  update: 'change',
  bulk: 'change many',
  create: 'new',
  resolve: 'resolve',
}

/** @example formatOperation('devices.update') // 'Change devices' */
export const formatOperation = (name: string): string => {
  const [noun = '', verb = ''] = name.split('.')
  return withCapital(`${VERBS[verb] ?? verb.replaceAll('-', ' ')} ${noun.replaceAll('-', ' ')}`)
}

/** @example formatValue(['a', 'b']) // '["a","b"]' */
export const formatInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Reads a field of an input back: a text that was a text stays one, everything else is JSON. @throws SyntaxError */
export const parseInput = (text: string, before: unknown): unknown =>
  typeof before === 'string' ? text : (JSON.parse(text) as unknown)

export type Link = { readonly kind: string; readonly id: string }

/** The comments on each item, by its kind and id. */
export const groupComments = (entries: readonly TimelineEntry[]): ReadonlyMap<string, readonly TimelineEntry[]> =>
  Map.groupBy(
    entries.filter(({ object_id }) => object_id !== ''),
    ({ kind, object_id }) => `${kind} ${object_id}`,
  )
