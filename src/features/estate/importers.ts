/** Converts a row of each resource into a create, an update or nothing, by calling the rules of that resource. */
import { z } from 'zod'
import { invalidField } from '../../platform/contract/errors.ts'
import { parse } from '../../platform/contract/validate.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import type { Breathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import { DatacenterDraft, DatacenterPatch } from '../datacenters/api.ts'
import * as datacenters from '../datacenters/datacenters.ts'
import { NetworkDraft, NetworkPatch } from '../networks/api.ts'
import * as networks from '../networks/networks.ts'
import { PoolDraft, PoolPatch } from '../pools/api.ts'
import * as pools from '../pools/pools.ts'
import { ReservationDraft, ReservationPatch } from '../reservations/api.ts'
import * as reservations from '../reservations/reservations.ts'
import type { Tables } from '../tables.ts'
import type { Resource } from './api.ts'
import { importDevices } from './import-devices.ts'
import { importRelationships } from './import-relationships.ts'
import { attempt, checkFields, type Done, type Outcome, type Row } from './row.ts'

export type Importer = {
  readonly permissions: readonly Permission[]
  /**
   * Returns one outcome per row, in order, and rolls back the effects of failed rows. Calls `breathe` regularly, so
   * that other requests run.
   */
  readonly run: (ctx: Ctx, rows: readonly Row[], breathe: Breathe) => Promise<Outcome[]>
}

type Upsert = (ctx: Ctx, value: Row['value']) => Promise<Done>

const changed = (ctx: Ctx, { updated_at }: { readonly updated_at: string }) =>
  updated_at === ctx.now ? 'updated' : 'unchanged'

type Rules<Draft extends z.ZodType, Patch extends z.ZodType> = {
  readonly draft: Draft
  readonly patch: Patch
  /** Returns the id of the object that the row names; undefined if it does not exist. */
  readonly find: (ctx: Ctx, value: Row['value']) => Promise<string | undefined>
  readonly create: (ctx: Ctx, draft: z.output<Draft>) => Promise<unknown>
  readonly update: (ctx: Ctx, patch: z.output<Patch>) => Promise<{ readonly updated_at: string }>
}

const upsertBy =
  <Draft extends z.ZodType, Patch extends z.ZodType>(rules: Rules<Draft, Patch>): Upsert =>
  async (ctx, value) => {
    checkFields(rules.draft, value)
    const id = await rules.find(ctx, value)
    if (id !== undefined) return changed(ctx, await rules.update(ctx, parse(rules.patch, { ...value, id })))
    await rules.create(ctx, parse(rules.draft, value))
    return 'created'
  }

const Named = z.object({ id: z.string().optional(), name: z.string().optional() })

/** The resources whose tables have a name and its key. */
type NamedTable = { [R in Resource]: Tables[R] extends { id: string; name_key: string } ? R : never }[Resource]

/** Finds an object by id if the row has one, otherwise by name, and by its parent where names repeat. */
const findNamed =
  (table: NamedTable, same: Readonly<Record<string, string>> = {}): Rules<z.ZodType, z.ZodType>['find'] =>
  async (ctx, value) => {
    const { id, name } = parse(Named, value)
    // Each of them has both columns; the type of all of them together is too wide for the builder.
    const query = ctx.db.selectFrom(table as 'datacenters').select('id')
    if (id !== undefined) return (await query.where('id', '=', id).executeTakeFirst())?.id
    if (name === undefined) return undefined
    let named = query.where('name_key', '=', name.trim().toLowerCase())
    for (const [field, column] of Object.entries(same)) {
      const wanted = value[field]
      // The columns are named in this file, beside their tables.
      if (typeof wanted === 'string') named = named.where(column as 'id', '=', wanted)
    }
    const found = await named.limit(2).execute()
    if (found.length > 1) throw invalidField('name', `is the name of several ${table}; give the id`)
    return found[0]?.id
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

/** Runs each row in a separate savepoint. */
const oneByOne =
  (upsert: Upsert): Importer['run'] =>
  async (ctx, rows, breathe) => {
    const outcomes: Outcome[] = []
    for (const { value } of rows) {
      outcomes.push(await attempt(ctx, () => upsert(ctx, value)))
      await breathe()
    }
    return outcomes
  }

/** Rows that are found by id or by name. `same` names the columns within which a name is looked up. */
const byName = <Draft extends z.ZodType, Patch extends z.ZodType>(
  table: NamedTable,
  rules: Omit<Rules<Draft, Patch>, 'find'>,
  same?: Readonly<Record<string, string>>,
): Importer => ({
  permissions: [`${table}:create`, `${table}:update`],
  run: oneByOne(upsertBy({ ...rules, find: findNamed(table, same) })),
})

export const IMPORTERS: Readonly<Record<Resource, Importer>> = {
  datacenters: byName('datacenters', {
    draft: DatacenterDraft,
    patch: DatacenterPatch,
    create: datacenters.create,
    update: datacenters.update,
  }),
  networks: byName(
    'networks',
    { draft: NetworkDraft, patch: NetworkPatch, create: networks.create, update: networks.update },
    { subnet: 'subnet', datacenter_id: 'datacenter_id' },
  ),
  pools: byName(
    'pools',
    { draft: PoolDraft, patch: PoolPatch, create: pools.create, update: pools.update },
    { network_id: 'network_id' },
  ),
  devices: { permissions: ['devices:create', 'devices:update'], run: importDevices },
  relationships: { permissions: ['relationships:create', 'relationships:update'], run: importRelationships },
  reservations: { permissions: ['reservations:create', 'reservations:update'], run: oneByOne(upsertReservation) },
}
