/** The words of proposals. Pure functions. */
import { toSingular } from '../../../src/contract/command-name.ts'
import { withCapital } from '../history/labels.ts'
import type { Tone } from '../ui/primitives.tsx'
import type { TimelineEntry } from './entry-words.ts'
import type { ListedProposal, Operation } from './queries.ts'

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

/** The verbs of operations on one object. */
const OF_ONE = new Set(['create', 'update', 'delete'])

type Called = Pick<Operation, 'operation' | 'input'>

/** Returns the name of a new object; of a reservation its address. */
const findName = (input: Called['input']): unknown =>
  [input?.name, input?.ip_address].find((text) => typeof text === 'string' && text !== '')

/**
 * Returns the title of an operation. A new object has its name in it; the input of an update names the object only by its id.
 * @example formatOperation({ operation: 'networks.create', input: { name: 'lan' } }) // 'New network lan'
 */
export const formatOperation = ({ operation, input }: Called): string => {
  const [nouns = '', verb = ''] = operation.split('.')
  const noun = (OF_ONE.has(verb) ? toSingular(nouns) : nouns).replaceAll('-', ' ')
  const name = verb === 'create' ? findName(input) : undefined
  return withCapital(`${VERBS[verb] ?? verb.replaceAll('-', ' ')} ${noun}${name === undefined ? '' : ` ${name}`}`)
}

/** @example formatValue(['a', 'b']) // '["a","b"]' */
export const formatInput = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Reads a field of an input back: a text that was a text stays one, everything else is JSON. @throws SyntaxError */
export const parseInput = (text: string, before: unknown): unknown =>
  typeof before === 'string' ? text : (JSON.parse(text) as unknown)

/** The comments on each item, by its kind and id. */
export const groupComments = (entries: readonly TimelineEntry[]): ReadonlyMap<string, readonly TimelineEntry[]> =>
  Map.groupBy(
    entries.filter(({ object_id }) => object_id !== ''),
    ({ kind, object_id }) => `${kind} ${object_id}`,
  )
