/** Describes row changes of objects, and compares two such descriptions. */

import type { Counts, Verb } from '../../contract/change-summary.ts'
import type { FieldIssue } from '../../contract/errors.ts'
import type { JournalRules, Row, RowChange } from '../../database/journal.ts'
import type { Permission } from '../../kernel/operation.ts'
import { PLAN_TABLES, type PlanTable, SHOWN_KINDS } from './plan-tables.ts'

/** The tables of which a plan records the changed rows. */
export const WATCHED_TABLES: JournalRules = PLAN_TABLES

/** The largest number of objects that one plan may change. */
export const MOST_OBJECTS = 10_000

/** The change of one object. */
export type Change = {
  readonly change: Verb
  readonly kind: string
  readonly id: string
  readonly name: string
  /** The changed fields of an update; of kinds that show their values, the fields of all changes. */
  readonly fields?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
}

/** The stored form of a change: enough to recognize and to name it. */
export type Fingerprint = {
  readonly change: Verb
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly hash: string
}

const getPlanTable = (table: string): PlanTable => {
  const kind = PLAN_TABLES[table] ?? SHOWN_KINDS[table]
  if (!kind) throw new Error(`plan-tables.ts does not declare the table ${table}`)
  return kind
}

const getVerb = ({ before, after }: RowChange): Verb => (!before ? 'create' : after ? 'update' : 'delete')

/** Returns the key, its columns separated by spaces. */
const buildId = (kind: PlanTable, row: Row): string => kind.key.map((column) => String(row[column])).join(' ')

/** Returns the newest row of a change; at least one of the two exists. */
const getNewestRow = ({ before, after }: RowChange): Row => after ?? before ?? {}

const compareFields = (before: Row, after: Row): NonNullable<Change['fields']> => {
  const names = Object.keys({ ...before, ...after }).filter((name) => !Bun.deepEquals(before[name], after[name]))
  return Object.fromEntries(names.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]))
}

const buildView = (kind: PlanTable, row: Row | undefined): Row => (row && kind.view ? kind.view(row) : {})

/** The names of devices by id. */
export type DeviceNames = ReadonlyMap<string, string>

const buildChange = (one: RowChange, names: DeviceNames): Change => {
  const kind = getPlanTable(one.table)
  const change = getVerb(one)
  const described = {
    change,
    kind: kind.noun,
    id: buildId(kind, getNewestRow(one)),
    name: kind.name?.(getNewestRow(one), names) ?? '',
  }
  if (change !== 'update' && !kind.showsValues) return described
  return { ...described, fields: compareFields(buildView(kind, one.before), buildView(kind, one.after)) }
}

/** Returns the noun, the id and the permission of the object of a row. */
export const describeRow = (change: RowChange): Pick<PlanTable, 'noun' | 'permission'> & { readonly id: string } => {
  const kind = getPlanTable(change.table)
  return { ...kind, id: buildId(kind, getNewestRow(change)) }
}

const getResource = (permission: string): string => permission.slice(0, permission.indexOf(':'))

type Counting = {
  readonly permissions: ReadonlySet<string>
  /** The permissions that the operation needs. The caller knows that it changes objects of their resources. */
  readonly needed: readonly Permission[]
}

/**
 * Counts the changed objects, except objects that the caller may not know. Kinds without a permission, such as deliveries, belong to
 * others.
 */
export const countChanges = (changes: readonly RowChange[], { permissions, needed }: Counting): Counts => {
  const own = needed.map(getResource)
  const canCount = (permission: Permission): boolean => {
    const resource = getResource(permission)
    return permissions.has(permission) || permissions.has(`${resource}:list`) || own.includes(resource)
  }
  const counts: Counts = {}
  for (const one of changes) {
    const { noun, permission } = getPlanTable(one.table)
    if (permission !== undefined && !canCount(permission)) continue
    counts[getVerb(one)] ??= {}
    const ofVerb = counts[getVerb(one)] ?? {}
    ofVerb[noun] = (ofVerb[noun] ?? 0) + 1
  }
  return counts
}

const PERMISSIONS: ReadonlyMap<string, Permission | undefined> = new Map(
  [...Object.values(PLAN_TABLES), ...Object.values(SHOWN_KINDS)].map(({ noun, permission }) => [noun, permission]),
)

/** The caller does not see the objects without this permission. */
const canRead = (noun: string, permissions: ReadonlySet<string>): boolean => {
  const permission = PERMISSIONS.get(noun)
  return permission !== undefined && permissions.has(permission)
}

type Shown = { readonly permissions: ReadonlySet<string>; readonly names: DeviceNames; readonly most: number }

/** Returns the changes that the caller may see: the first `most` of each kind and type of change. */
export const selectShown = (changes: readonly RowChange[], { permissions, names, most }: Shown): Change[] => {
  const shown = new Map<string, number>()
  return changes.flatMap((one) => {
    const { noun } = getPlanTable(one.table)
    const group = `${getVerb(one)} ${noun}`
    const before = shown.get(group) ?? 0
    if (!canRead(noun, permissions) || before >= most) return []
    shown.set(group, before + 1)
    return [buildChange(one, names)]
  })
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Replaces the parts that differ at each run of the same change: new ids and the time of the call. */
const normalize = (text: string, made: ReadonlyMap<string, string>, now: string): string =>
  text.replaceAll(now, 'now').replace(UUID, (id) => made.get(id) ?? id)

const hashText = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)

/** Hashes each change: the whole row before it, and the visible fields after it. */
export const buildFingerprints = (changes: readonly RowChange[], now: string, names: DeviceNames): Fingerprint[] => {
  const made = new Map<string, string>()
  for (const one of changes) {
    const { noun, key } = getPlanTable(one.table)
    const id = one.after?.[key[0] ?? '']
    if (!one.before && key.length === 1 && typeof id === 'string') made.set(id, `new ${noun} ${made.size + 1}`)
  }
  return changes.map((one) => {
    const kind = getPlanTable(one.table)
    const { change, id, name } = buildChange(one, names)
    const after = normalize(JSON.stringify(buildView(kind, one.after)), made, now)
    const hash = hashText(JSON.stringify([one.before ?? null, after]))
    return { change, kind: kind.noun, id: normalize(id, made, now), name: normalize(name, made, now), hash }
  })
}

const buildKey = ({ kind, id }: Fingerprint): string => `${kind} ${id}`

/** The differences between a plan and the current state. */
export type Drift = {
  readonly hasMoved: boolean
  /** One issue for each moved object that the caller may read. */
  readonly issues: readonly FieldIssue[]
}

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
