/** Describes the objects that a transaction changes, as plans show them, and compares two such descriptions. */

import { type Counts, countChanges, type Verb } from '../../contract/change-summary.ts'
import type { FieldIssue } from '../../contract/errors.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { Permission } from '../../kernel/operation.ts'
import { compareFields, omitImplied } from './items.ts'
import { type Document, parseDocument } from './kinds.ts'
import { type DeviceNames, getPlanKind, PLAN_KINDS, type PlanKind } from './plan-kinds.ts'

/** The largest number of objects that a plan or a proposal may change. */
export const MOST_OBJECTS = 10_000

/** The change of one object. */
export type Effect = {
  readonly change: Verb
  /** The noun of its kind. */
  readonly kind: string
  readonly id: string
  readonly name: string
  /** The changed fields of an update; of kinds that show their values, the fields of all changes. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
}

/** The stored form of an effect: enough to recognize and to name it. */
export type Fingerprint = Omit<Effect, 'fields'> & { readonly hash: string }

export const toDocument = (text: string | undefined): Document | undefined =>
  text === undefined ? undefined : parseDocument(text)

export const pickFields = (
  document: Document | undefined,
  fields: readonly string[] | undefined,
): Document | undefined =>
  document && fields ? Object.fromEntries(fields.map((field) => [field, document[field] ?? null])) : document

/** Returns the counters of a deleted object that are not zero. */
const selectCounters = (document: Document | undefined, { counters = [] }: PlanKind): readonly string[] =>
  counters.filter((counter) => document?.[counter] !== undefined && document[counter] !== 0)

/** Returns the name of a changed object. */
export const nameItem = ({ kind, id, before, after }: PlannedItem, devices: DeviceNames): string =>
  getPlanKind(kind).name({ id, document: toDocument(after ?? before) ?? {}, devices })

const buildEffect = (item: PlannedItem, devices: DeviceNames): Effect => {
  const kind = getPlanKind(item.kind)
  const { change, id } = item
  const [before, after] = [toDocument(item.before), toDocument(item.after)]
  const name = kind.name({ id, document: after ?? before ?? {}, devices })
  const described = { change, kind: kind.noun, id, name }
  if (change === 'update' || kind.showsValues)
    return { ...described, fields: compareFields(pickFields(before, kind.fields), pickFields(after, kind.fields)) }
  const counters = change === 'delete' ? selectCounters(before, kind) : []
  return counters.length === 0
    ? described
    : { ...described, fields: compareFields(pickFields(before, counters), undefined) }
}

const getResource = (permission: string): string => permission.slice(0, permission.indexOf(':'))

type Counting = {
  readonly permissions: ReadonlySet<string>
  /** The permissions that the operation needs. The caller knows that it changes objects of their resources. */
  readonly needed: readonly Permission[]
}

/** Counts the changed objects, except objects that the caller may not know. */
export const countEffects = (items: readonly PlannedItem[], { permissions, needed }: Counting): Counts => {
  const own = needed.map(getResource)
  const canCount = (permission: Permission): boolean => {
    const resource = getResource(permission)
    return permissions.has(permission) || permissions.has(`${resource}:list`) || own.includes(resource)
  }
  return countChanges(
    items.flatMap(({ kind, change }) => {
      const { noun, permission } = getPlanKind(kind)
      return permission !== undefined && !canCount(permission) ? [] : [{ change, kind: noun }]
    }),
  )
}

const PERMISSIONS: ReadonlyMap<string, Permission | undefined> = new Map(
  Object.values(PLAN_KINDS).map(({ noun, permission }) => [noun, permission]),
)

/** The caller does not see the objects without this permission. */
const canRead = (noun: string, permissions: ReadonlySet<string>): boolean => {
  const permission = PERMISSIONS.get(noun)
  return permission !== undefined && permissions.has(permission)
}

type Shown = { readonly permissions: ReadonlySet<string>; readonly names: DeviceNames; readonly most: number }

/** Returns the effects that the caller may see: the first `most` of each kind and type of change. */
export const selectShown = (items: readonly PlannedItem[], { permissions, names, most }: Shown): Effect[] => {
  const shown = new Map<string, number>()
  return items.flatMap((item) => {
    const { noun } = getPlanKind(item.kind)
    const group = `${item.change} ${noun}`
    const before = shown.get(group) ?? 0
    if (!canRead(noun, permissions) || before >= most) return []
    shown.set(group, before + 1)
    return [buildEffect(item, names)]
  })
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Replaces the parts that differ at each run of the same change: new ids and the time of the call. */
const normalize = (text: string, made: ReadonlyMap<string, string>, now: string): string =>
  text.replaceAll(now, 'now').replace(UUID, (id) => made.get(id) ?? id)

/** The length of a fingerprint: more than 128 bits. */
const CHARACTERS = 22

export const hashText = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, CHARACTERS)

/** Hashes the whole document before a change, and the shown fields after it. @param normalizeText replaces parts that differ at each run */
export const hashStrictly = ({ kind, before, after }: PlannedItem, normalizeText: (text: string) => string): string => {
  const { fields } = getPlanKind(kind)
  const document = toDocument(after)
  const shown = JSON.stringify(fields ? pickFields(document, fields) : document && omitImplied(document)) ?? ''
  return hashText(JSON.stringify([before ?? null, normalizeText(shown)]))
}

/** Describes each change with its hash. */
export const buildFingerprints = (items: readonly PlannedItem[], now: string, names: DeviceNames): Fingerprint[] => {
  const made = new Map<string, string>()
  for (const { kind, id, change } of items)
    if (change === 'create') made.set(id, `new ${getPlanKind(kind).noun} ${made.size + 1}`)
  return items.map((item) => {
    const { change, kind, id, name } = buildEffect(item, names)
    const hash = hashStrictly(item, (text) => normalize(text, made, now))
    return { change, kind, id: normalize(id, made, now), name: normalize(name, made, now), hash }
  })
}

const buildKey = ({ kind, id }: Fingerprint): string => `${kind} ${id}`

/** The number of moved objects that an error names; the others are counted. */
const MOST_NAMED = 20

/** Returns the details of an error about moved objects, and its words: '' without any. */
export const describeMoved = (
  issues: readonly FieldIssue[],
): { readonly details: FieldIssue[]; readonly words: string } => {
  const details = issues.slice(0, MOST_NAMED)
  const others = issues.length - details.length
  const words = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  return { details, words: others > 0 ? `${words}; and ${others} more` : words }
}

/** The differences between a plan and the current state. */
export type Drift = {
  readonly hasMoved: boolean
  /** One issue for each moved object that the caller may read. */
  readonly issues: readonly FieldIssue[]
}

/** Returns the form that `detectDrift` compares. */
export const toFingerprint = ({ change, kind, id, name, hash }: Fingerprint): Fingerprint => ({
  ...{ change, kind: getPlanKind(kind).noun, id, name, hash },
})

/** Compares the current changes with the planned ones. Unreadable objects are neither named nor counted. */
export const detectDrift = (
  planned: readonly Fingerprint[],
  now: readonly Fingerprint[],
  permissions: ReadonlySet<string>,
): Drift => {
  const left = new Map(planned.map((fingerprint) => [buildKey(fingerprint), fingerprint]))
  const issues: FieldIssue[] = []
  let hasMoved = false
  const report = (fingerprint: Fingerprint, message: string) => {
    hasMoved = true
    if (canRead(fingerprint.kind, permissions))
      issues.push({ field: `${fingerprint.kind} ${fingerprint.name || fingerprint.id}`, message })
  }
  for (const fingerprint of now) {
    const before = left.get(buildKey(fingerprint))
    left.delete(buildKey(fingerprint))
    if (!before) report(fingerprint, 'would be affected now, and was not when it was planned')
    else if (before.change !== fingerprint.change || before.hash !== fingerprint.hash)
      report(fingerprint, 'was changed since it was planned')
  }
  for (const fingerprint of left.values()) report(fingerprint, 'would no longer be affected')
  return { hasMoved, issues }
}
