/** The differences of an object of a source, as values of a plan table. Pure functions. */
import { isResource } from '../../../../src/inventory/resources.ts'
import { getFieldLabel } from '../../import/labels.ts'
import { formatValue, listChangedFields, listValues, type Value } from '../../table/plan/values.ts'
import { formatMoment } from '../../ui/format.ts'
import type { Tone } from '../../ui/primitives.tsx'
import { getResourceNoun } from '../labels.ts'
import type { SourceObject } from './queries.ts'

type Verdict = { readonly tone: Tone; readonly text: string }

const ACTIONS: Readonly<Record<SourceObject['action'], Verdict>> = {
  create: { tone: 'ok', text: 'new' },
  update: { tone: 'info', text: 'change' },
  delete: { tone: 'bad', text: 'delete' },
  decommission: { tone: 'warn', text: 'decommission' },
  none: { tone: 'idle', text: 'stays' },
}

/** The other states are called by the action of an apply. */
const STATES: Readonly<Partial<Record<SourceObject['state'], Verdict>>> = {
  synced: { tone: 'ok', text: 'in sync' },
  kept: { tone: 'idle', text: 'kept' },
  unclear: { tone: 'warn', text: 'unclear' },
  failed: { tone: 'bad', text: 'refused' },
}

export const getVerdict = ({ state, action }: Pick<SourceObject, 'state' | 'action'>): Verdict =>
  STATES[state] ?? ACTIONS[action]

/** True if an apply of the object does something; of a kept one with `overwrite`. */
export const isApplicable = ({ state, action, kept, why }: SourceObject): boolean => {
  if (state === 'kept') return why === 'deleted' || Object.values(kept).some((one) => one.why === 'edited')
  return state === 'changed' || state === 'failed' || (state === 'gone' && action !== 'none')
}

const KEPT_WHY = { edited: 'changed by a person', locked: 'locked' } as const

const listKept = (object: SourceObject): Value[] => {
  const { resource } = object
  if (!isResource(resource)) return []
  return Object.entries(object.kept).map(([field, { here, source, why }]) => ({
    label: getFieldLabel(resource, field),
    text: `${formatValue(field, here) || 'empty'} stays (${KEPT_WHY[why]}); the source says ${formatValue(field, source) || 'nothing'}`,
  }))
}

/** Fields that only Plat reads. */
const HIDDEN = new Set(['refs', 'managed_by'])

const listFields = ({ resource, action, fields }: SourceObject): Value[] => {
  if (!isResource(resource)) return []
  const shown = Object.entries(fields).filter(([field]) => !HIDDEN.has(field))
  return action === 'create'
    ? listValues(resource, Object.fromEntries(shown.map(([field, { to }]) => [field, to])))
    : listChangedFields(resource, Object.fromEntries(shown))
}

/** Returns the fields that differ, also the kept ones. */
export const listDifferences = (object: SourceObject): Value[] => [...listFields(object), ...listKept(object)]

/** Returns the differences behind the place there. */
export const listObjectValues = (object: SourceObject): Value[] => [
  ...(object.place === '' ? [] : [{ label: 'Place', text: object.place }]),
  ...listDifferences(object),
]

const WHY: Readonly<Record<string, string>> = {
  owner: 'Another owner manages it, so the source writes nothing.',
  deleted: 'What a person deletes stays deleted.',
}

const describeGone = ({ state, action, missing_since }: SourceObject): string[] =>
  state === 'gone' && missing_since !== null
    ? [`Missing since ${formatMoment(missing_since)}${action === 'none' ? '; nothing is done yet' : ''}.`]
    : []

/** Messages of the server begin in lower case. @example toNote('has its name') // 'Has its name.' */
export const toNote = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`

/** Returns the line below a name: the noun, and of a port its id, which has the device. */
export const getSubtitle = ({ resource, key }: SourceObject): string =>
  resource === 'ports' ? key : getResourceNoun(resource)

/** Returns the reasons of the state of an object. */
export const listNotes = (object: SourceObject): string[] => [
  ...describeGone(object),
  ...(object.message === '' ? [] : [toNote(object.message)]),
  ...(WHY[object.why] === undefined ? [] : [WHY[object.why] ?? '']),
]
