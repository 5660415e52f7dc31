/** Compares an estate document with the stored estate, and plans its creates, updates and deletes. Only reads. */
import type { Refs } from '../../contract/fields/external-fields.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import { findExcess } from '../../contract/validate.ts'
import { isManagedBy } from '../../database/managed-by.ts'
import { splitBatches } from '../../database/query/batches.ts'
import * as cables from '../../inventory/cables/keys.ts'
import { INVENTORY, type Resource, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document } from '../../record/history/kinds.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { findIdsOfFixedKeys, getFixedKey } from '../apply/fixed-keys.ts'
import { planMoves } from '../apply/moved-addresses.ts'
import { findIdsByNames, findIdsByRefs, findStoredDocuments, toEntry, toGivenKey } from '../apply/objects.ts'
import type { Given } from '../apply/parents-first.ts'
import { type Fields, resolveReferences } from '../apply/references.ts'
import { getRules, type NameKey, type ResourceRules } from '../apply/resources.ts'
import { checkUnknownFields, MAX_BAD_ROWS, type PlannedChange } from '../apply/row.ts'
import {
  findStored,
  formatRowName,
  type Plan,
  type PlanInput,
  Planning,
  type Row,
  Rows,
  type Stored,
} from './context.ts'
import { planLater } from './deferred.ts'
import { getKeyPart, matchByName } from './match.ts'
import { refuseCircles } from './needs.ts'
import { orderRows } from './order.ts'
import { findUniqueKeys, type Unique } from './unique-keys.ts'

/** The number of rows with objects that are read together. */
const ROWS_AT_ONCE = 400

/** A longer text is no name, id or ref of any object. */
const MAX_KEY_TEXT = 1024

/** Returns a text by which objects are found; '' for one that is too long, which the schema refuses later. */
const getKeyText = (value: unknown): string => {
  const text = toText(value)
  return text.length <= MAX_KEY_TEXT ? text : ''
}

const parseRefs = ({ refs }: Fields): Refs =>
  isRecord(refs)
    ? Object.fromEntries(
        Object.entries(refs).flatMap(([source, id]) =>
          typeof id === 'string' && id.length <= MAX_KEY_TEXT ? [[source, id.trim()]] : [],
        ),
      )
    : {}

/** Returns the rows that are no objects of an earlier plan, with ids in place of names. */
const readRows = async (rows: Rows, given: readonly Given[]): Promise<Row[]> => {
  const { planning, resource, rules } = rows
  const settled = planning.input.settled?.get(resource)
  const read: Row[] = []
  let bad = 0
  planning.scope.onNamed(resource)
  for (const [at, raw] of given) {
    await planning.breathe()
    // The plan ends with the errors of these rows.
    if (planning.input.onBadRow && bad > MAX_BAD_ROWS) break
    const known = settled?.get(at)
    if (known) {
      rows.settle(at, known)
      continue
    }
    if (!isRecord(raw)) {
      rows.fail({ at, raw, fields: {}, issues: [], hidden: [], refs: {} }, [
        { field: '', message: 'must be an object' },
      ])
      continue
    }
    const excess = findExcess(rules.draft, raw)
    if (excess.length > 0) {
      bad++
      read.push({ at, raw, fields: raw, issues: excess, hidden: [], refs: {} })
      continue
    }
    const { fields, issues, hidden, unresolved, later } = await resolveReferences(resource, raw, planning.scope)
    for (const name of unresolved) planning.unresolved.add(resource, at, name)
    if (later.length > 0) rows.later.set(at, later)
    const all = [...issues, ...checkUnknownFields(rules, fields, planning.isListed)]
    if (fields.id !== undefined && typeof fields.id !== 'string') all.push({ field: 'id', message: 'must be a string' })
    if (all.length > 0) bad++
    read.push({ at, raw, fields, issues: all, hidden, refs: parseRefs(fields) })
  }
  return read
}

/** Plans rows that give an id or a ref. Returns the remaining rows and the ids found. */
const planByIds = async (rows: Rows, given: readonly Row[]) => {
  const { planning, resource } = rows
  const others: Row[] = []
  const targets = new Map<Row, string>()
  const refs: [source: string, id: string][] = []
  for (const { fields, refs: own } of given) {
    if (!getKeyText(fields.id)) refs.push(...Object.entries(own))
    await planning.breathe()
  }
  const owners = await findIdsByRefs(planning.ctx, resource, refs)
  for (const row of given) {
    await planning.breathe()
    const id = getKeyText(row.fields.id)
    const ids = id
      ? [id]
      : [...new Set(Object.entries(row.refs).flatMap(([source, ref]) => owners.get(`${source} ${ref}`) ?? []))]
    const [target] = ids
    if (target === undefined) others.push(row)
    else if (ids.length > 1)
      rows.fail(row, [...row.issues, { field: 'refs', message: `are those of ${ids.length} ${resource}` }])
    else targets.set(row, target)
  }
  for (const batch of splitBatches([...targets], ROWS_AT_ONCE)) {
    const stored = await findStored(
      rows,
      batch.map(([, id]) => id),
    )
    const moved = resource === 'cables' ? await findMovedCables(rows, batch) : undefined
    for (const [row, id] of batch) {
      if (moved?.has(row))
        rows.fail(row, [...row.issues, { field: '', message: 'has other ends; a cable keeps its own' }])
      else rows.finish(row, stored.get(id))
      await planning.breathe()
    }
  }
  return { others, meant: new Set(targets.values()) }
}

/** Returns the text that rows and objects of one name have in common. */
const buildGroupKey = ({ within }: NameKey, fields: Document): string | undefined =>
  getKeyText(fields.name).trim() === ''
    ? undefined
    : JSON.stringify([toGivenKey(toText(fields.name)), ...within.map((field) => fields[field] ?? null)])

const getGroup = ({ key }: ResourceRules, fields: Document): string | undefined =>
  key.by === 'name' ? buildGroupKey(key, fields) : undefined

/** Returns the key of a row in the document. Rows with refs have none: they differ by them. */
const buildRowKey = ({ key }: ResourceRules, { fields, refs }: Row, stored: Stored | undefined): string | undefined => {
  if (key.by !== 'name' || Object.keys(refs).length > 0) return undefined
  const after = { ...stored?.document, ...fields }
  return JSON.stringify([buildGroupKey(key, after), ...key.apart.map((field) => getKeyPart(after, field) ?? null)])
}

const planByNames = async (rows: Rows, given: readonly Row[], meant: ReadonlySet<string>): Promise<void> => {
  const { planning, resource, rules } = rows
  const groups = new Map<string, Row[]>()
  for (const row of given) {
    const group = getGroup(rules, row.fields)
    const alike = group === undefined ? undefined : groups.get(group)
    if (group === undefined) rows.finish(row, undefined)
    else if (alike) alike.push(row)
    else groups.set(group, [row])
    await planning.breathe()
  }
  for (const batch of splitBatches([...groups], ROWS_AT_ONCE)) {
    const names = new Set(batch.map(([, [row]]) => toGivenKey(toText(row?.fields.name))))
    const ids = await findIdsByNames(planning.ctx, resource, [...names])
    const stored = await findStored(
      rows,
      ids.filter((id) => !meant.has(id) && !rows.objects.rowOf(id)),
    )
    const byGroup = Map.groupBy(stored.values(), ({ document }) => getGroup(rules, document))
    for (const [group, alike] of batch) {
      await planning.breathe()
      const matches = [...matchByName(rules, alike, byGroup.get(group) ?? [])]
      // A new object must differ from the objects that other rows mean, or the next apply could not tell them apart.
      for (const [row, match] of matches) {
        if (match !== 'new' && 'id' in match) rows.finish(row, match, buildRowKey(rules, row, match))
        await planning.breathe()
      }
      for (const [row, match] of matches) {
        if (match === 'new') rows.finish(row, undefined, buildRowKey(rules, row, undefined))
        else if (!('id' in match)) {
          const { ids, issue } = match
          if (ids.length > 1)
            planning.unresolved.add(resource, row.at, {
              at: 'name',
              to: resource,
              text: toText(row.fields.name).trim(),
              ids,
            })
          rows.fail(row, [...row.issues, issue])
        }
        await planning.breathe()
      }
    }
  }
}

const getUniqueOrThrow = (resource: Resource): Unique => {
  const unique = findUniqueKeys(resource)
  if (!unique) throw new Error(`the rows of ${resource} have no natural key of several fields`)
  return unique
}

/** Returns the natural key of a row; undefined for a bad row. */
const buildUniqueKey = (
  { draft, resource }: ResourceRules,
  { issues, fields: { id: _, ...fields } }: Row,
): string | undefined => {
  if (issues.length > 0) return undefined
  const parsed = draft.safeParse(fields)
  return parsed.success ? getUniqueOrThrow(resource).buildKey(parsed.data) : undefined
}

/** Returns the rows that mean stored cables by their ids or refs, and have other ends. */
const findMovedCables = async (
  { planning, rules }: Rows,
  targets: readonly (readonly [Row, string])[],
): Promise<ReadonlySet<Row>> => {
  const given = targets.flatMap(([row, id]) => {
    const key = buildUniqueKey(rules, row)
    return key === undefined ? [] : [{ row, id, key }]
  })
  const ids = await cables.findIdsByKeys(
    planning.ctx,
    given.map(({ key }) => key),
  )
  const stored = await findStoredDocuments(
    planning.ctx,
    rules,
    given.map(({ id }) => id),
  )
  // A new cable has the ends of its row.
  return new Set(given.filter(({ id, key }) => stored.has(id) && ids.get(key) !== id).map(({ row }) => row))
}

const planByUnique = async (rows: Rows, given: readonly Row[], meant: ReadonlySet<string>): Promise<void> => {
  const { planning, rules } = rows
  for (const batch of splitBatches(given, ROWS_AT_ONCE)) {
    const keys = batch.map((row) => buildUniqueKey(rules, row))
    const ids = await getUniqueOrThrow(rules.resource).findIdsByKeys(
      planning.ctx,
      keys.filter((key) => key !== undefined),
    )
    const free = [...ids.values()].filter((id) => !meant.has(id))
    const stored = await findStored(rows, free)
    for (const [i, row] of batch.entries()) {
      await planning.breathe()
      const key = keys[i]
      rows.finish(row, key === undefined ? undefined : stored.get(ids.get(key) ?? ''), key)
    }
  }
}

const isOver = ({ planning }: Rows, { fields }: Row): boolean => {
  const ends = Date.parse(toText(fields.expires_at))
  return ends <= Date.parse(planning.ctx.now)
}

const planByFixed = async (rows: Rows, given: readonly Row[]): Promise<void> => {
  const { planning, resource } = rows
  for (const batch of splitBatches(given, ROWS_AT_ONCE)) {
    const keys = batch.map(({ fields }) => getFixedKey(resource, fields))
    const known = keys.filter((key) => key !== undefined)
    const ids = await findIdsOfFixedKeys(planning, resource, known)
    const stored = await findStored(
      rows,
      known.flatMap(({ text }) => ids.get(text) ?? []),
    )
    for (const [i, row] of batch.entries()) {
      await planning.breathe()
      const key = keys[i]?.text
      const object = key === undefined ? undefined : stored.get(ids.get(key) ?? '')
      // A file keeps the reservations that have expired since.
      if (!object && row.issues.length === 0 && isOver(rows, row)) rows.settled.set(row.at, toEntry('', row.fields))
      else rows.finish(row, object, key)
    }
  }
}

const planRows = async (rows: Rows, given: readonly Given[]): Promise<void> => {
  const { others, meant } = await planByIds(rows, await readRows(rows, given))
  const { by } = rows.rules.key
  if (by === 'name') await planByNames(rows, others, meant)
  else if (by === 'unique') await planByUnique(rows, others, meant)
  else await planByFixed(rows, others)
}

const planResource = async (planning: Planning, resource: Resource, given: readonly unknown[]): Promise<void> => {
  const rows = new Rows(planning, resource)
  if (resource === 'devices') await planning.readAddressDefaults()
  for await (const step of orderRows(resource, [...given.entries()], planning.scope)) await planRows(rows, step)
}

/** Returns the ids of the objects of an owner. */
export const findIdsByOwner = async ({ db }: Ctx, resource: Resource, owner: string): Promise<string[]> => {
  if (resource === 'relationships') {
    const query = db.selectFrom('relationships').select(['parent_id', 'child_id', 'type']).where(isManagedBy(owner))
    return (await query.execute()).map(({ parent_id, child_id, type }) => `${parent_id} ${child_id} ${type}`).sort()
  }
  const query = selectFromTable(db, toTableName(resource)).select('id').where(isManagedBy(owner)).orderBy('id')
  return (await query.execute()).map(({ id }) => id)
}

/** Plans the deletion of the objects of the owner that no row means, or counts them. */
const planOthers = async (planning: Planning, resource: Resource): Promise<void> => {
  const { ctx, input, changes, extra } = planning
  const objects = planning.objectsOf(resource)
  const all = await findIdsByOwner(ctx, resource, input.owner)
  const ids = all.filter((id) => !objects.rowOf(id))
  if (ids.length === 0) return
  if (!input.prunes) {
    extra[resource] = ids.length
    return
  }
  planning.scope.onNamed(resource)
  const first = changes.length
  for (const batch of splitBatches(ids, ROWS_AT_ONCE)) {
    const stored = await findStoredDocuments(ctx, getRules(resource), batch)
    // Databases return the rows of a batch in any order.
    for (const id of batch) {
      const one = stored.get(id)
      if (!one) continue
      changes.push({
        change: 'delete',
        resource,
        id,
        name: formatRowName(resource, one.document),
        document: {},
        before: one.json,
      })
    }
    await planning.breathe()
  }
  if (resource === 'custom-fields') {
    // A definition goes before the one that its condition names.
    const isFirst = ({ before }: PlannedChange): boolean => before?.includes('"only_for"') === true
    const all = changes.splice(first)
    changes.push(...all.filter(isFirst), ...all.filter((one) => !isFirst(one)))
  }
}

/** @throws AppError FORBIDDEN of `onNamed` */
export const buildPlan = async (ctx: Ctx, input: PlanInput): Promise<Plan> => {
  const planning = new Planning(ctx, input)
  for (const resource of INVENTORY) {
    const given = input.rows[resource] ?? []
    if (given.length > 0) await planResource(planning, resource, given)
  }
  await planLater(planning)
  await refuseCircles(planning)
  planMoves(planning)
  if (input.owner !== '') for (const resource of INVENTORY) await planOthers(planning, resource)
  const { changes, errors, settled, extra, unresolved } = planning
  return { changes, errors, settled, extra, unresolved }
}
