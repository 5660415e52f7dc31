/** Converts a row of each resource into a create, an update or nothing, by calling the rules of that resource. */
import { z } from 'zod'
import { invalidField } from '../../platform/contract/errors.ts'
import { idOf } from '../../platform/contract/fields.ts'
import { parse } from '../../platform/contract/validate.ts'
import { oneStep } from '../../platform/operation/implement.ts'
import { resolveRefs } from '../../platform/operation/resolve-refs.ts'
import type { Breathe } from '../../platform/runtime/pause.ts'
import type { Ctx, Feature } from '../ctx.ts'
import { INVENTORY, type Resource } from '../inventory.ts'
import { ReservationDraft, ReservationPatch } from '../reservations/api.ts'
import * as reservations from '../reservations/reservations.ts'
import { isDefault } from '../spaces/fields.ts'
import type { Tables } from '../tables.ts'
import { VlanDraft, VlanPatch } from '../vlans/api.ts'
import * as vlans from '../vlans/vlans.ts'
import { canonicalSubnet } from './apply/objects.ts'
import { importDevices } from './import-devices.ts'
import { importRelationships } from './import-relationships.ts'
import { attempt, checkFields, type Done, type Outcome, type Row } from './row.ts'

/**
 * Returns one outcome per row, in order, and rolls back the effects of failed rows. Calls `breathe` regularly, so that
 * other requests run.
 */
export type Importer = (ctx: Ctx, rows: readonly Row[], breathe: Breathe) => Promise<Outcome[]>
export type Importers = Readonly<Record<Resource, Importer>>

type Updated = { readonly updated_at: string }
type Upsert = (ctx: Ctx, value: Row['value']) => Promise<Done>

const changed = (ctx: Ctx, { updated_at }: Updated) => (updated_at === ctx.now ? 'updated' : 'unchanged')

const Named = z.object({ id: z.string().optional(), name: z.string().optional() })

/** The resources whose rows are found by name. */
type NamedResource = Exclude<Resource, keyof typeof OTHERS>
/** The same, if their tables have a name and its key. */
type NamedTable = {
  [R in NamedResource]: Tables[R] extends { id: string; name_key: string } ? R : never
}[NamedResource]

/** The fields within which a name is looked up, where names repeat. */
const SAME: Readonly<Partial<Record<NamedTable, readonly string[]>>> = {
  networks: ['subnet', 'datacenter_id', 'space_id'],
  pools: ['network_id'],
}

/** A row without a space means an object in the default one. */
const spaceIn = ({ space_id }: Row['value']): unknown =>
  typeof space_id === 'string' && space_id !== '' && !isDefault(space_id) ? space_id : null

/** Finds an object by id if the row has one, otherwise by name. */
const findNamed = async (ctx: Ctx, table: NamedTable, value: Row['value']): Promise<string | undefined> => {
  const { id, name } = parse(Named, value)
  // Each of them has both columns; the type of all of them together is too wide for the builder.
  const query = ctx.db.selectFrom(table as 'datacenters').select('id')
  if (id !== undefined) return (await query.where('id', '=', id).executeTakeFirst())?.id
  if (name === undefined) return undefined
  let named = query.where('name_key', '=', name.trim().toLowerCase())
  for (const field of SAME[table] ?? []) {
    const wanted = field === 'space_id' ? spaceIn(value) : value[field]
    if (wanted === null) named = named.where(field as 'id', 'is', null)
    // The columns have the names of the fields.
    if (typeof wanted === 'string')
      named = named.where(field as 'id', '=', field === 'subnet' ? canonicalSubnet(wanted) : wanted)
  }
  const found = await named.limit(2).execute()
  if (found.length > 1) throw invalidField('name', `is the name of several ${table}; give the id`)
  return found[0]?.id
}

/** Creates or updates an object by the operations of its resource. */
const upsertNamed = (table: NamedTable, operations: Feature['operations']): Upsert => {
  const verb = (name: 'create' | 'update') => {
    const { op, run } = oneStep(operations, `${table}.${name}`)
    // Both verbs return the object.
    return { schema: op.input, run: (ctx: Ctx, input: object) => run(ctx, parse(op.input, input)) as Promise<Updated> }
  }
  const [create, update] = [verb('create'), verb('update')]
  return async (ctx, value) => {
    checkFields(create.schema, value)
    const id = await findNamed(ctx, table, value)
    if (id !== undefined) return changed(ctx, await update.run(ctx, { ...value, id }))
    await create.run(ctx, value)
    return 'created'
  }
}

const upsertReservation: Upsert = async (ctx, value) => {
  checkFields(ReservationDraft, value)
  const draft = parse(ReservationDraft, value)
  // The reservation has expired.
  if (draft.expires_at !== null && draft.expires_at <= ctx.now) return 'unchanged'
  const known = await reservations.findByAddress(ctx, draft.pool_id, draft.ip_address)
  if (known) return changed(ctx, await reservations.update(ctx, parse(ReservationPatch, { ...value, id: known.id })))
  await reservations.create(ctx, draft)
  return 'created'
}

/** Finds a VLAN by id if the row has one, otherwise by number, datacenter and group. */
const findVlan = async (ctx: Ctx, value: Row['value']): Promise<string | undefined> => {
  const { id } = parse(Named, value)
  if (id !== undefined) return (await vlans.documents(ctx, [id])).has(id) ? id : undefined
  const key = vlans.naturalKey(parse(VlanDraft, value))
  return (await vlans.idsOfKeys(ctx, [key])).get(key)
}

const upsertVlan: Upsert = async (ctx, value) => {
  checkFields(VlanDraft, value)
  const id = await findVlan(ctx, value)
  if (id !== undefined) return changed(ctx, await vlans.update(ctx, parse(VlanPatch, { ...value, id })))
  await vlans.create(ctx, parse(VlanDraft, value))
  return 'created'
}

/** Runs each row in a separate savepoint. */
const oneByOne =
  (upsert: Upsert): Importer =>
  async (ctx, rows, breathe) => {
    const outcomes: Outcome[] = []
    for (const { value } of rows) {
      outcomes.push(await attempt(ctx, () => upsert(ctx, value)))
      await breathe()
    }
    return outcomes
  }

/** The resources whose rows are not found by name, or not one by one. */
const OTHERS = {
  vlans: oneByOne(upsertVlan),
  devices: importDevices,
  relationships: importRelationships,
  reservations: oneByOne(upsertReservation),
} satisfies Partial<Importers>

/** The rows of a resource, of which the ids are replaced. */
const rowsOf = (resource: Resource, operations: Feature['operations']): z.ZodType => {
  const create = operations.find(({ op }) => op.name === `${resource}.create`)
  if (!create) throw new Error(`${resource} has no create`)
  // A row of a relationship names its parent so, and no other row has the field.
  return z.array(z.object({ value: create.op.input.extend({ parent_id: idOf('devices') }) }))
}

/** Replaces refs by ids in the rows of a batch, with one query for all of them. */
const resolving = (importer: Importer, rowsOfFile: () => z.ZodType): Importer => {
  // Made on first use, as the schemas of the operations are.
  let schema: z.ZodType | undefined
  return async (ctx, rows, breathe) => {
    schema ??= rowsOfFile()
    return importer(ctx, await resolveRefs(ctx, schema, rows), breathe)
  }
}

const isNamed = (resource: Resource): resource is NamedResource => !Object.hasOwn(OTHERS, resource)

/** @param operations of all features */
export const importersOf = (operations: Feature['operations']): Importers => {
  const named = INVENTORY.filter(isNamed).map((table) => [table, oneByOne(upsertNamed(table, operations))] as const)
  // Of `Object.fromEntries` the compiler does not know the keys.
  const all: Importers = { ...OTHERS, ...(Object.fromEntries(named) as Readonly<Record<NamedResource, Importer>>) }
  const resolved = INVENTORY.map(
    (resource) => [resource, resolving(all[resource], () => rowsOf(resource, operations))] as const,
  )
  return Object.fromEntries(resolved) as Importers
}
