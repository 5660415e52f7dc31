/** Converts a row of each resource into a create, an update or nothing, by calling the rules of that resource. */

import { z } from 'zod'
import { invalidField } from '../../contract/errors.ts'
import { idOf } from '../../contract/fields/fields.ts'
import type { RowRules } from '../../contract/fields/row-rules.ts'
import { parse } from '../../contract/validate.ts'
import type { Tables } from '../../database/tables.ts'
import { CableDraft, CablePatch } from '../../inventory/cables/api.ts'
import * as cables from '../../inventory/cables/cables.ts'
import * as cableKeys from '../../inventory/cables/keys.ts'
import { listComputed } from '../../inventory/contracts.ts'
import { ReservationDraft, ReservationPatch } from '../../inventory/reservations/api.ts'
import * as reservations from '../../inventory/reservations/reservations.ts'
import { FACTS, INVENTORY, type Resource, type TableOf, toTableName } from '../../inventory/resources.ts'
import { isDefault } from '../../inventory/spaces/fields.ts'
import { resolveRefs } from '../../kernel/changes/resolve-refs.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { getOneStep } from '../../kernel/implement.ts'
import { toNameKey } from '../../net/name-order.ts'
import { listFields, type ResourceFacts } from '../../resource/facts.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { withoutDeviceNames } from '../apply/cable-ends.ts'
import { canAdd, mergeRow, removeEmpty } from '../apply/known-part.ts'
import { findStoredDocuments, normalizeSubnet } from '../apply/objects.ts'
import { getRules } from '../apply/resources.ts'
import { findUniqueKeys } from '../plan/unique-keys.ts'
import { importDevices } from './import-devices.ts'
import { importInPart } from './import-part.ts'
import { importRelationships } from './import-relationships.ts'
import { type Batching, checkFields, type Done, type Importer, type Outcome, type Row, tryRow } from './row.ts'

/** Like `Importer`, for rows of any caller. */
export type BatchImporter = (ctx: Ctx, rows: readonly Row[], batching: Batching) => Promise<Outcome[]>
export type Importers = Readonly<Record<Resource, BatchImporter>>

type Updated = { readonly updated_at: string }

/** How a row finds its object, and changes it. */
type Way = { readonly by: Ctx; readonly rules: RowRules }
type Upsert = (ctx: Ctx, value: Row['value'], way: Way) => Promise<Done>

type Target = { readonly resource: Resource; readonly id: string; readonly rules: RowRules }

/** Returns the fields of an update by a row. */
const toUpdate = async (ctx: Ctx, { resource, id, rules }: Target, value: Row['value']): Promise<Row['value']> => {
  const given = rules.empty === 'keep' ? removeEmpty(value) : value
  if (rules.lists === 'replace' || !canAdd(given)) return given
  const stored = (await findStoredDocuments(ctx, getRules(resource), [id])).get(id)
  return stored ? mergeRow(given, stored.document, rules).fields : given
}

const toOutcome = (ctx: Ctx, { updated_at }: Updated) => (updated_at === ctx.now ? 'updated' : 'unchanged')

const Named = z.object({ id: z.string().optional(), name: z.string().optional() })

/** The resources with rows that are found by name. */
type NamedResource = Exclude<Resource, keyof typeof OTHERS>
/** The same, if their tables have a name and its key. */
type NamedTable = {
  [R in NamedResource]: Tables[TableOf<R>] extends { id: string; name_key: string } ? R : never
}[NamedResource]

/** A row without a space means an object in the default one. */
const getSpaceId = ({ space_id }: Row['value']): unknown =>
  typeof space_id === 'string' && space_id !== '' && !isDefault(space_id) ? space_id : null

/** Finds an object by id if the row has one, otherwise by name. */
const findNamed = async (ctx: Ctx, table: NamedTable, value: Row['value']): Promise<string | undefined> => {
  const { id, name } = parse(Named, value)
  const query = selectFromTable(ctx.db, toTableName(table)).select('id')
  if (id !== undefined) return (await query.where('id', '=', id).executeTakeFirst())?.id
  if (name === undefined) return undefined
  let named = query.where('name_key', '=', toNameKey(name.trim()))
  const { within = [], apart = [] }: ResourceFacts = FACTS[table]
  for (const field of [...within, ...apart]) {
    const wanted = field === 'space_id' ? getSpaceId(value) : value[field]
    if (wanted === null) named = named.where(field, 'is', null)
    // The columns have the names of the fields.
    if (typeof wanted === 'string')
      named = named.where(field, '=', field === 'subnet' ? normalizeSubnet(wanted) : wanted)
  }
  const found = await named.limit(2).execute()
  if (found.length > 1) throw invalidField('name', `is the name of several ${table}; give the id`)
  return found[0]?.id
}

/** Finds the object with the identity of a row without id; undefined for a row with an id, and for a resource without an identity. */
const findByIdentity = (ctx: Ctx, resource: NamedResource, value: Row['value'], draft: z.ZodObject) => {
  const unique = findUniqueKeys(resource)
  if (!unique || parse(Named, value).id !== undefined) return undefined
  const key = unique.buildKey(parse(draft, value))
  return unique.findIdsByKeys(ctx, [key]).then((ids) => ids.get(key))
}

/** Creates or updates an object by the operations of its resource. */
const upsertNamed = (table: NamedTable, operations: Feature['operations']): Upsert => {
  const verb = (name: 'create' | 'update') => {
    const { op, run } = getOneStep(operations, `${table}.${name}`)
    // Both verbs return the object.
    return { schema: op.input, run: (ctx: Ctx, input: object) => run(ctx, parse(op.input, input)) as Promise<Updated> }
  }
  const [create, update] = [verb('create'), verb('update')]
  const computed = new Set([
    ...listFields(FACTS[table]).flatMap(([field, { isComputed }]) => (isComputed ? [field] : [])),
    ...listComputed(table),
  ])
  return async (ctx, row, { by, rules }) => {
    // Answers have computed fields, and inputs have not.
    const value = Object.fromEntries(Object.entries(row).filter(([field]) => !computed.has(field)))
    checkFields(create.schema, value)
    const id = await (findByIdentity(by, table, value, create.schema) ?? findNamed(by, table, value))
    if (id !== undefined) {
      const fields = await toUpdate(ctx, { resource: table, id, rules }, value)
      return toOutcome(ctx, await update.run(ctx, { ...fields, id }))
    }
    await create.run(ctx, value)
    return 'created'
  }
}

const upsertReservation: Upsert = async (ctx, value, { by, rules }) => {
  checkFields(ReservationDraft, value)
  const draft = parse(ReservationDraft, value)
  // The reservation has expired.
  if (draft.expires_at !== null && draft.expires_at <= ctx.now) return 'unchanged'
  const known = await reservations.findByAddress(by, draft.pool_id, draft.ip_address)
  if (known) {
    const fields = await toUpdate(ctx, { resource: 'reservations', id: known.id, rules }, value)
    return toOutcome(ctx, await reservations.update(ctx, parse(ReservationPatch, { ...fields, id: known.id })))
  }
  await reservations.create(ctx, draft, { isKept: true })
  return 'created'
}

/** Finds a cable by id if the row has one, otherwise by its two ends. */
const findCable = async (ctx: Ctx, value: Row['value']): Promise<string | undefined> => {
  const { id } = parse(Named, value)
  if (id !== undefined) return (await cables.findDocuments(ctx, [id])).has(id) ? id : undefined
  const key = cableKeys.buildNaturalKey(parse(CableDraft, value))
  return (await cableKeys.findIdsByKeys(ctx, [key])).get(key)
}

const upsertCable: Upsert = async (ctx, given, { by, rules }) => {
  const value = withoutDeviceNames(given)
  const { a: _a, b: _b, ...row } = value
  checkFields(CableDraft, value)
  const id = await findCable(by, value)
  // A row without id means the cable of its ends, whichever of them is `a`.
  if (id !== undefined) {
    const fields = await toUpdate(ctx, { resource: 'cables', id, rules }, 'id' in row ? value : row)
    return toOutcome(ctx, await cables.update(ctx, parse(CablePatch, { ...fields, id })))
  }
  await cables.create(ctx, parse(CableDraft, value))
  return 'created'
}

/** Runs each row in a separate savepoint. */
const toImporter =
  (upsert: Upsert): Importer =>
  async (ctx, rows, { breathe, rules }, lookup) => {
    const outcomes: Outcome[] = []
    for (const { value } of rows) {
      const by = await lookup()
      outcomes.push(await tryRow(ctx, () => upsert(ctx, value, { by, rules })))
      await breathe()
    }
    return outcomes
  }

/** The resources with rows that are not found by name, or not one by one. */
const OTHERS = {
  devices: importDevices,
  cables: toImporter(upsertCable),
  relationships: importRelationships,
  reservations: toImporter(upsertReservation),
} satisfies Partial<Record<Resource, Importer>>

/** Returns the rows of a resource, of which the ids are replaced. */
const buildRowsSchema = (resource: Resource, operations: Feature['operations']): z.ZodType => {
  const create = operations.find(({ op }) => op.name === `${resource}.create`)
  if (!create) throw new Error(`${resource} has no create`)
  // A row of a relationship names its parent so.
  const { input } = create.op
  return z.array(
    z.object({ value: resource === 'relationships' ? input.extend({ parent_id: idOf('devices') }) : input }),
  )
}

/** Replaces refs by ids in the rows of a batch, with one query for all of them. */
const withResolvedRefs = (resource: Resource, importer: Importer, rowsOfFile: () => z.ZodType): BatchImporter => {
  // Made on first use, as the schemas of the operations are.
  let schema: z.ZodType | undefined
  return async (ctx, given, batching) => {
    schema ??= rowsOfFile()
    const rows = await resolveRefs(ctx, schema, given)
    if (ctx.isScoped) return importInPart({ ctx, importer, batching, schema, resource, given }, rows)
    return importer(ctx, rows, batching, async () => ctx)
  }
}

const isNamed = (resource: Resource): resource is NamedResource => !Object.hasOwn(OTHERS, resource)

/** @param operations of all features */
export const createImporters = (operations: Feature['operations']): Importers => {
  const named = INVENTORY.filter(isNamed).map((table) => [table, toImporter(upsertNamed(table, operations))] as const)
  // The compiler does not know the keys of the result of `Object.fromEntries`.
  const all: Readonly<Record<Resource, Importer>> = {
    ...OTHERS,
    ...(Object.fromEntries(named) as Readonly<Record<NamedResource, Importer>>),
  }
  const resolved = INVENTORY.map(
    (resource) =>
      [resource, withResolvedRefs(resource, all[resource], () => buildRowsSchema(resource, operations))] as const,
  )
  return Object.fromEntries(resolved) as Importers
}
