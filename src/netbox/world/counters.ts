/**
 * The numbers of objects that refer to another one, which NetBox shows in nested forms. A read counts all of a kind at once and remembers the
 * result until a commit; a transaction counts only for the objects of its answer.
 */
import { type RawBuilder, sql } from 'kysely'
import { memoized } from '../../database/cache/revision-cache.ts'
import type { Tables } from '../../database/tables.ts'
import { findAllSpaces } from '../../inventory/spaces/keys.ts'
import { getExpiringRevision } from '../../inventory/used-addresses/expiry.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { loadFields } from '../../resource/custom/definitions.ts'
import { toCustomTable } from '../../resource/named-tables.ts'
import { buildNameKey } from '../numbers/keys.ts'
import { buildTypeKey, UNASSIGNED } from './keys.ts'
import { matchMachines } from './machines.ts'

type CountRows = ReadonlyMap<string, number>

export type Counter = {
  readonly name: string
  readonly tables: readonly (keyof Tables & string)[]
  /** Counts what answers show only: to count for all objects would take long. */
  readonly isByKeys?: true
  /** Reservations count, which expire without a write. */
  readonly expires?: true
  /** Counts by the key of the object that is referred to. @param keys counts only these */
  readonly count: (ctx: Ctx, keys?: readonly string[]) => Promise<CountRows>
}

export type Row = { readonly key: string | null; readonly n: number | string }

const toCounts = (rows: readonly Row[], toKey: (text: string) => string = (text) => text): CountRows => {
  const counts = new Map<string, number>()
  for (const { key, n } of rows) {
    const own = toKey(key ?? '')
    counts.set(own, (counts.get(own) ?? 0) + Number(n))
  }
  return counts
}

export const DEVICE_TABLES = ['devices', 'device_tags'] as const

type OfDevices = {
  readonly name: string
  readonly column: 'role_key' | 'os' | 'rack_id' | 'device_type_id'
  /** Counts virtual machines, else the other devices; all of both if absent. */
  readonly machines?: boolean
  readonly toKey?: (text: string) => string
  /** The key of devices without a value. */
  readonly none?: string
}

const countDevices = ({ name, column, machines, toKey, none }: OfDevices): Counter => ({
  name,
  tables: ['devices', 'device_tags'],
  count: async (ctx, keys) => {
    let query = ctx.db.selectFrom('devices').select([`${column} as key`, sql<number | string>`count(*)`.as('n')])
    if (none === undefined) query = query.where(column, 'is not', null)
    if (machines !== undefined) query = query.where(matchMachines(machines))
    // The text of a column without a key differs in case.
    if (keys && !toKey && (none === undefined || !keys.includes(none))) query = query.where(column, 'in', keys)
    const rows = await query.groupBy(column).execute()
    return toCounts(none === undefined ? rows : rows.map(({ key, n }) => ({ key: key ?? none, n })), toKey)
  },
})

/** The column has name keys; devices without a role have the role `Unassigned`. */
const BY_ROLE = { column: 'role_key', none: buildNameKey(UNASSIGNED.name) } as const
export const ROLE_DEVICES = countDevices({ ...BY_ROLE, name: 'role devices', machines: false })
export const ROLE_MACHINES = countDevices({ ...BY_ROLE, name: 'role machines', machines: true })
export const PLATFORM_DEVICES = countDevices({
  name: 'platform devices',
  column: 'os',
  machines: false,
  toKey: buildNameKey,
})
export const PLATFORM_MACHINES = countDevices({
  name: 'platform machines',
  column: 'os',
  machines: true,
  toKey: buildNameKey,
})
export const RACK_DEVICES = countDevices({ name: 'rack devices', column: 'rack_id' })

const TYPED_DEVICES = countDevices({ name: 'type devices', column: 'device_type_id', machines: false })

export const TYPE_DEVICES: Counter = {
  name: 'type devices',
  tables: ['devices', 'device_tags'],
  count: async (ctx, keys) => {
    const typed = await TYPED_DEVICES.count(ctx, keys)
    if (keys?.every((key) => typed.has(key))) return typed
    const texts = ctx.db
      .selectFrom('devices')
      .select(['make_model as key', sql<number | string>`count(*)`.as('n')])
      .where('device_type_id', 'is', null)
      .where(matchMachines(false))
      .groupBy('make_model')
    return new Map([...typed, ...toCounts(await texts.execute(), buildTypeKey)])
  },
}

export const countBy = (
  name: string,
  tables: Counter['tables'],
  build: (keys: readonly string[] | undefined) => RawBuilder<Row>,
): Counter => ({
  name,
  tables,
  count: async (ctx, keys) => toCounts((await build(keys).execute(ctx.db)).rows),
})

export const isOneOf = (column: string, keys: readonly string[] | undefined) =>
  keys ? sql`AND ${sql.ref(column)} IN (${sql.join([...keys])})` : sql``

export const SPACE_PREFIXES = countBy(
  'space prefixes',
  ['networks'],
  (keys) =>
    sql<Row>`SELECT space_id AS key, count(*) AS n FROM networks WHERE space_id IS NOT NULL ${isOneOf('space_id', keys)} GROUP BY space_id`,
)

/** The length of the key of a space. @example 's0001' */
const SPACE_KEY_LENGTH = 5

/** The addresses of devices and the live reservations of spaces. Storage keys begin with the key of their space. */
export const SPACE_ADDRESSES: Counter = {
  name: 'space addresses',
  tables: ['addresses', 'reservations', 'spaces'],
  expires: true,
  count: async (ctx) => {
    const spaces = new Map((await findAllSpaces(ctx)).map(({ key, id }) => [key as string, id]))
    if (spaces.size === 0) return new Map()
    const key = sql`substr(held.ip_key, 1, ${sql.lit(SPACE_KEY_LENGTH)})`
    const { rows } = await sql<Row>`SELECT ${key} AS key, count(*) AS n FROM (
        SELECT DISTINCT device_id, ip_key FROM addresses WHERE ip_key >= 's'
        UNION ALL SELECT id, ip_key FROM reservations WHERE ip_key >= 's' AND (expires_at IS NULL OR expires_at > ${ctx.now})
      ) AS held GROUP BY ${key}`.execute(ctx.db)
    return toCounts(rows, (one) => spaces.get(one) ?? '')
  },
}

type ByCustom = {
  readonly name: string
  readonly resource: string
  readonly field: string
  /** Counts virtual machines, else the other devices. */
  readonly machines?: boolean
}

/** Counts the objects of a resource by the values of a custom field. */
export const countByCustom = ({ name, resource, field, machines }: ByCustom): Counter => ({
  name,
  tables: ['custom_fields', 'custom_values', toCustomTable(resource), ...(machines === undefined ? [] : DEVICE_TABLES)],
  count: async (ctx, keys) => {
    const definition = (await loadFields(ctx, resource)).get(field)
    if (!definition) return new Map()
    const isOfKind = machines === undefined ? sql`` : sql`AND ${matchMachines(machines, 'holder.id')}`
    const { rows } = await sql<Row>`SELECT held.value AS key, count(*) AS n FROM custom_values AS held
      JOIN ${sql.table(toCustomTable(resource))} AS holder ON holder.id = held.object_id
      WHERE held.field = ${definition.number} ${isOfKind} ${isOneOf('held.value', keys)} GROUP BY held.value`.execute(
      ctx.db,
    )
    return toCounts(rows)
  },
})

export const NETWORK_ROLE_PREFIXES = countByCustom({ name: 'role prefixes', resource: 'networks', field: 'role' })
export const NETWORK_ROLE_VLANS = countByCustom({ name: 'role VLANs', resource: 'vlans', field: 'role' })
export const CLUSTER_MACHINES = countByCustom({
  ...{ name: 'cluster machines', resource: 'devices', field: 'cluster', machines: true },
})

export const GROUP_VLANS = countBy(
  'group VLANs',
  ['vlans'],
  (keys) =>
    sql<Row>`SELECT group_key AS key, count(*) AS n FROM vlans WHERE group_key <> '' ${isOneOf('group_key', keys)} GROUP BY group_key`,
)

/** Counts for the keys of an answer. */
export const countFor = async (ctx: Ctx, counter: Counter, keys: readonly string[]): Promise<CountRows> => {
  const { tables, isByKeys, expires } = counter
  if (isByKeys || ctx.db !== ctx.store.read) return counter.count(ctx, keys)
  const revision = await (expires ? getExpiringRevision(ctx, tables) : ctx.store.revision(tables))
  return memoized(ctx.store.cache.at<Promise<CountRows>>(`netbox count ${counter.name}`, revision))('', () =>
    counter.count(ctx),
  )
}
