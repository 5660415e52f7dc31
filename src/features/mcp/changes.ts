/** Changes of rows as what they mean: which objects, how many, from what to what; and how to tell two such lists apart. */

import type { FieldIssue } from '../../platform/contract/errors.ts'
import type { Row, RowChange } from '../../platform/db/journal.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import { KINDS, type Kind } from './plan-tables.ts'

export type Verb = 'create' | 'update' | 'delete'

/** What happens to one object. */
export type Change = {
  readonly change: Verb
  readonly kind: string
  readonly id: string
  readonly name: string
  /** Of an update: the fields that change. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
}

/** How many objects of each kind, by what happens to them. */
export type Counts = Partial<Record<Verb, Record<string, number>>>

/** A change as it is kept: enough to recognise it, and to say which it is. */
export type Mark = {
  readonly change: Verb
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly hash: string
}

const kindOf = (table: string): Kind => {
  const kind = KINDS[table]
  if (!kind) throw new Error(`nobody watches the table ${table}`)
  return kind
}

const verbOf = ({ before, after }: RowChange): Verb => (!before ? 'create' : after ? 'update' : 'delete')

/** `id` where there is one, or else the parts of the key. */
const idOf = (kind: Kind, row: Row): string => kind.key.map((column) => String(row[column])).join(' ')

/** The newest row of a change: one of the two is always there. */
const rowOf = ({ before, after }: RowChange): Row => after ?? before ?? {}

const fieldsOf = (before: Row, after: Row): NonNullable<Change['fields']> => {
  const names = Object.keys(after).filter((name) => !Bun.deepEquals(before[name], after[name]))
  return Object.fromEntries(names.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]))
}

const viewed = (kind: Kind, row: Row | undefined): Row => (row && kind.view ? kind.view(row) : {})

const changeOf = (one: RowChange): Change => {
  const kind = kindOf(one.table)
  const change = verbOf(one)
  const told = { change, kind: kind.noun, id: idOf(kind, rowOf(one)), name: kind.name?.(rowOf(one)) ?? '' }
  if (change !== 'update') return told
  return { ...told, fields: fieldsOf(viewed(kind, one.before), viewed(kind, one.after)) }
}

export const countsOf = (changes: readonly RowChange[]): Counts => {
  const counts: Counts = {}
  for (const one of changes) {
    counts[verbOf(one)] ??= {}
    const ofVerb = counts[verbOf(one)] ?? {}
    const { noun } = kindOf(one.table)
    ofVerb[noun] = (ofVerb[noun] ?? 0) + 1
  }
  return counts
}

const PERMISSIONS: ReadonlyMap<string, Permission | undefined> = new Map(
  Object.values(KINDS).map(({ noun, permission }) => [noun, permission]),
)

/** Whether more of a kind of object may be told than how many there are. */
const mayRead = (noun: string, permissions: ReadonlySet<string>): boolean => {
  const permission = PERMISSIONS.get(noun)
  return permission !== undefined && permissions.has(permission)
}

/** The changes that the caller may see: the first `most` of each kind to which the same happens. */
export const shownOf = (changes: readonly RowChange[], permissions: ReadonlySet<string>, most: number): Change[] => {
  const shown = new Map<string, number>()
  return changes.flatMap((one) => {
    const { noun } = kindOf(one.table)
    const group = `${verbOf(one)} ${noun}`
    const before = shown.get(group) ?? 0
    if (!mayRead(noun, permissions) || before >= most) return []
    shown.set(group, before + 1)
    return [changeOf(one)]
  })
}

const PHRASES: readonly (readonly [Verb, string])[] = [
  ['delete', 'deletes'],
  ['update', 'changes'],
  ['create', 'creates'],
]

const plural = (noun: string): string =>
  noun.endsWith('y') && !/[aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`

const counted = (noun: string, n: number): string => `${n} ${n === 1 ? noun : plural(noun)}`

/** @example summaryOf({ delete: { device: 1, relationship: 2 } }) // 'deletes 1 device and 2 relationships' */
export const summaryOf = (counts: Counts): string => {
  const phrases = PHRASES.flatMap(([verb, word]) => {
    const kinds = Object.entries(counts[verb] ?? {}).map(([noun, n]) => counted(noun, n))
    const last = kinds.pop()
    return last === undefined ? [] : [`${word} ${kinds.length === 0 ? last : `${kinds.join(', ')} and ${last}`}`]
  })
  return phrases.join('; ') || 'changes nothing'
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Without what is another at each run, although the same is done: new ids, and the moment of the call. */
const steady = (text: string, made: ReadonlyMap<string, string>, now: string): string =>
  text.replaceAll(now, 'now').replace(UUID, (id) => made.get(id) ?? id)

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)

/**
 * What tells a change from another: all that was there before, hidden columns and the time of the last change included,
 * and what is to be seen of it afterwards.
 */
export const marksOf = (changes: readonly RowChange[], now: string): Mark[] => {
  const made = new Map<string, string>()
  for (const one of changes) {
    const { noun, key } = kindOf(one.table)
    const id = one.after?.[key[0] ?? '']
    if (!one.before && key.length === 1 && typeof id === 'string') made.set(id, `new ${noun} ${made.size + 1}`)
  }
  return changes.map((one) => {
    const kind = kindOf(one.table)
    const { change, id, name } = changeOf(one)
    const after = steady(JSON.stringify(viewed(kind, one.after)), made, now)
    const hash = hashOf(JSON.stringify([one.before ?? null, after]))
    return { change, kind: kind.noun, id: made.get(id) ?? id, name: steady(name, made, now), hash }
  })
}

const placeOf = ({ kind, id }: Mark): string => `${kind} ${id}`

/** What has moved since a plan was made. */
export type Drift = {
  readonly hasMoved: boolean
  /** The objects that the caller may read, by name. */
  readonly issues: readonly FieldIssue[]
}

/** Compares what would change now with what was planned. Objects that the caller may not read are neither named nor counted. */
export const driftOf = (planned: readonly Mark[], now: readonly Mark[], permissions: ReadonlySet<string>): Drift => {
  const left = new Map(planned.map((mark) => [placeOf(mark), mark]))
  const issues: FieldIssue[] = []
  let hasMoved = false
  const tell = (mark: Mark, message: string) => {
    hasMoved = true
    if (mayRead(mark.kind, permissions)) issues.push({ field: `${mark.kind} ${mark.name || mark.id}`, message })
  }
  for (const mark of now) {
    const before = left.get(placeOf(mark))
    left.delete(placeOf(mark))
    if (!before) tell(mark, 'would be affected now, and was not when it was planned')
    else if (before.change !== mark.change || before.hash !== mark.hash) tell(mark, 'was changed since it was planned')
  }
  for (const mark of left.values()) tell(mark, 'would not be affected any more')
  return { hasMoved, issues }
}
