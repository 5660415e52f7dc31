/** Composes the sentence of a change from its first objects and its numbers. Pure functions. */
import { INVERSE, KIND_NAMES } from '../../../../src/record/history/kind-names.ts'
import type { Change } from '../../api/contracts.ts'
import { formatCount, plural } from '../../ui/format.ts'
import { CHANGE_WORDS, formatValue, getLabel } from '../labels.ts'

type ChangeObject = Change['objects'][number]

/** A part of a sentence: a text, or the name of an object. */
export type Part = { readonly text: string; readonly isStrong?: boolean } | { readonly object: ChangeObject }

/** The names that a sentence of several objects has. */
export const NAMED = 2

type Values = ChangeObject['fields'][number]

/** @example formatField('device', { field: 'status', from: 'active', to: 'maintenance' }) // 'status active → maintenance' */
const formatField = ({ kind, names }: ChangeObject, { field, from, to }: Values): string => {
  const label = getLabel(kind, field)
  // An abbreviation keeps its capitals.
  const low = /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
  if (from === undefined || to === undefined) return `${low} changed`
  const known = new Map(Object.entries(names ?? {}))
  const toText = (value: unknown): string =>
    typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatValue(value, known) || 'none'
  return `${low} ${toText(from)} → ${toText(to)}`
}

/** Returns the changed fields with their values. */
export const formatFields = (object: ChangeObject): string =>
  object.fields.length === 0 ? 'changed' : object.fields.map((one) => formatField(object, one)).join(', ')

/** Returns the objects of the change that is undone. */
export const invert = ({
  counts,
  objects,
}: Pick<Change, 'counts' | 'objects'>): Pick<Change, 'counts' | 'objects'> => ({
  counts: {
    ...(counts.delete && { create: counts.delete }),
    ...(counts.update && { update: counts.update }),
    ...(counts.create && { delete: counts.create }),
  },
  objects: objects.map((object) => ({
    ...object,
    change: INVERSE[object.change],
    fields: object.fields.map(({ field, from, to }) => ({
      field,
      ...(from !== undefined && to !== undefined && { from: to, to: from }),
    })),
  })),
})

/** Returns the text for the objects of other kinds, and of other changes; '' without any. */
const formatOthers = (counts: Change['counts'], { kind, change }: ChangeObject): string => {
  const others = (['delete', 'update', 'create'] as const).flatMap((verb) =>
    Object.entries(counts[verb] ?? {})
      .filter(([noun]) => verb !== change || noun !== KIND_NAMES[kind].noun)
      .map(([noun, n]) => `${plural(n, noun)}${verb === change ? '' : ` ${CHANGE_WORDS[verb]}`}`),
  )
  const last = others.pop()
  if (last === undefined) return ''
  return `, with ${others.length === 0 ? last : `${others.join(', ')} and ${last}`}`
}

/** Returns the parts of the sentence in the past tense; with empty ones. @param fallback the sentence without an object */
export const compose = ({ counts, objects }: Pick<Change, 'counts' | 'objects'>, fallback: string): Part[] => {
  const [first] = objects
  if (!first) return [{ text: fallback }]
  const n = counts[first.change]?.[KIND_NAMES[first.kind].noun] ?? 1
  const others = { text: formatOthers(counts, first) }
  if (n === 1)
    return [
      { object: first },
      { text: ` ${first.change === 'update' ? formatFields(first) : CHANGE_WORDS[first.change]}` },
      others,
    ]
  const named = objects.filter(({ kind, change }) => kind === first.kind && change === first.change).slice(0, NAMED)
  const left = n - named.length
  return [
    { text: plural(n, KIND_NAMES[first.kind].noun), isStrong: true },
    { text: ` ${CHANGE_WORDS[first.change]}: ` },
    ...named.flatMap((object, i): Part[] => (i === 0 ? [{ object }] : [{ text: ', ' }, { object }])),
    { text: left > 0 ? ` and ${formatCount(left)} ${left === 1 ? 'other' : 'others'}` : '' },
    others,
  ]
}

/** Returns the parts of the sentence, in the past tense. */
export const composeSentence = (change: Pick<Change, 'counts' | 'objects' | 'undoes' | 'summary'>): readonly Part[] => {
  const parts =
    change.undoes === null
      ? compose(change, change.summary)
      : [{ text: 'Undid: ' }, ...compose(invert(change), change.summary)]
  return parts.filter((part) => 'object' in part || part.text !== '')
}

export const formatParts = (parts: readonly Part[]): string =>
  parts.map((part) => ('object' in part ? part.object.name : part.text)).join('')

/** Returns the sentence as text. */
export const formatSentence = (change: Parameters<typeof composeSentence>[0]): string =>
  formatParts(composeSentence(change))
