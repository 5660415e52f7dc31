/** The searches of ports, cables, reservations and objects of kinds, with the objects that they belong to. */

import { toText } from '../../contract/unknown.ts'
import { cableFacts } from '../../inventory/cables/resource.ts'
import { findNamedPorts } from '../../inventory/cables/store.ts'
import { objectFacts } from '../../inventory/objects/resource.ts'
import { portFacts } from '../../inventory/ports/resource.ts'
import { reservationFacts } from '../../inventory/reservations/resource.ts'
import { isLive } from '../../inventory/reservations/store.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { MAX_RESULTS_PER_TYPE } from './api.ts'
import { createIndexedSearch, type FoundRow } from './indexed.ts'
import type { Query } from './matches.ts'
import { isInRange, type Range } from './ranges.ts'
import { type Ranked, rankInRange } from './results.ts'

const canList = ({ caller }: Ctx, resource: 'devices' | 'ports' | 'pools' | 'networks'): boolean =>
  caller.permissions.has(`${resource}:list`)

const readAll = (rows: readonly FoundRow[], ...columns: readonly string[]): string[] => [
  ...new Set(rows.flatMap((row) => columns.map((column) => toText(row[column])))),
]

export const searchPorts = createIndexedSearch({
  facts: portFacts,
  columns: ['device_id'],
  describe: async (ctx, rows) => {
    const ids = readAll(rows, 'device_id')
    const devices = canList(ctx, 'devices')
      ? await ctx.db.selectFrom('devices').select(['id', 'name']).where('id', 'in', ids).execute()
      : []
    const names = new Map(devices.map(({ id, name }) => [id, name]))
    return ({ name, device_id }) => ({
      name: toText(name),
      detail: names.get(toText(device_id)) ?? '',
      space_id: null,
    })
  },
})

export const searchCables = createIndexedSearch({
  facts: cableFacts,
  columns: ['a_port_id', 'b_port_id'],
  describe: async (ctx, rows) => {
    const isNamed = canList(ctx, 'devices') && canList(ctx, 'ports')
    const ports = isNamed ? await findNamedPorts(ctx, readAll(rows, 'a_port_id', 'b_port_id')) : new Map()
    const nameEnd = (id: unknown): string => {
      const { device = '', port = '' } = ports.get(toText(id)) ?? {}
      return [device, port].filter((name) => name !== '').join(' ')
    }
    return ({ id, label, a_port_id, b_port_id }) => {
      const ends = [nameEnd(a_port_id), nameEnd(b_port_id)].filter((name) => name !== '').join(' - ')
      return { name: toText(label) || ends || id, detail: ends, space_id: null }
    }
  },
})

export const searchObjectsOfKinds = createIndexedSearch({
  facts: objectFacts,
  columns: ['kind_id'],
  describe:
    async () =>
    ({ name, kind_id }) => ({
      ...{ name: toText(name), detail: '', space_id: null, kind_id: toText(kind_id) },
    }),
})

/** Returns the name of the pool and the space of each reservation. */
const describeReservations = async (ctx: Ctx, rows: readonly FoundRow[]) => {
  const ids = readAll(rows, 'pool_id')
  const found = canList(ctx, 'pools')
    ? await ctx.db.selectFrom('pools').select(['id', 'name', 'network_id']).where('id', 'in', ids).execute()
    : []
  const networkIds = [...new Set(found.map(({ network_id }) => network_id))]
  const networks =
    canList(ctx, 'networks') && networkIds.length > 0
      ? await ctx.db.selectFrom('networks').select(['id', 'space_id']).where('id', 'in', networkIds).execute()
      : []
  const spaces = new Map(networks.map(({ id, space_id }) => [id, space_id]))
  const pools = new Map(found.map((pool) => [pool.id, pool]))
  return ({ ip_address, pool_id }: FoundRow) => {
    const pool = pools.get(toText(pool_id))
    const space_id = (pool && spaces.get(pool.network_id)) ?? null
    return { name: toText(ip_address), detail: pool?.name ?? '', space_id }
  }
}

const searchReservationTexts = createIndexedSearch({
  facts: reservationFacts,
  columns: ['pool_id'],
  isShown: ({ now }) => isLive(now),
  describe: describeReservations,
})

export const searchReservations = async (ctx: Ctx, query: Query, range: Range | undefined): Promise<Ranked[]> => {
  if (!range) return searchReservationTexts(ctx, query)
  const rows = await ctx.db
    .selectFrom('reservations')
    .select(['id', 'ip_address', 'pool_id'])
    .where(isInRange('reservations', range))
    .where(isLive(ctx.now))
    .orderBy('ip_key')
    .limit(MAX_RESULTS_PER_TYPE)
    .execute()
  const describe = rows.length === 0 ? undefined : await describeReservations(ctx, rows)
  const inRange = rows.flatMap((row) => {
    const described = describe?.(row)
    if (!described) return []
    const found = { field: 'ip_address', match: row.ip_address }
    return [rankInRange('reservation', { id: row.id, pieces: [], ...described }, found)]
  })
  return [...inRange, ...(await searchReservationTexts(ctx, query))]
}
