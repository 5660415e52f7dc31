/** The areas of all objects: as the tables have them, and as the one definition says from the objects of the API. */

import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import { loadAreas } from '../../src/people/scopes/area-store.ts'
import { createScopeMatcher, type ObjectFacts, type ScopeFacts, toAddressRange } from '../../src/people/scopes/areas.ts'
import { AREA_TABLES } from '../../src/resource/scoped/area-tables.ts'
import type { TestCaller } from '../app/app.ts'

export type Row = Readonly<Record<string, unknown>> & { readonly id: string }

export const rowsOf = async ({ request }: Pick<TestCaller, 'request'>, resource: string): Promise<Row[]> => {
  const response = await request('GET', `/api/${resource}`)
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Row[]
}

/** Returns the scopes of each object by its id, as a text. */
export const definedAreas = async (
  admin: Pick<TestCaller, 'request'>,
  db: Db<Tables>,
): Promise<Map<string, string>> => {
  const datacenters = await rowsOf(admin, 'datacenters')
  const parents = new Map(datacenters.map(({ id, parent_id }) => [id, parent_id]))
  const isWithin = (id: unknown, tops: readonly string[]): boolean =>
    typeof id === 'string' && (tops.includes(id) || isWithin(parents.get(id), tops))
  const scopesOfApi = (await rowsOf(admin, 'scopes')) as unknown as ScopeFacts[]
  const setOf = createScopeMatcher(
    scopesOfApi.map((scope) => ({
      ...scope,
      datacenter_ids: datacenters.flatMap(({ id }) => (isWithin(id, scope.datacenter_ids) ? [id] : [])),
    })),
  )
  const found = new Map<string, string>()
  /** The scopes of networks and pools, which others inherit. */
  const scopes = new Map<unknown, readonly string[]>()
  const spaces = new Map<unknown, string | null>()
  const note = (id: string, facts: ObjectFacts) => {
    const set = setOf(facts)
    scopes.set(id, set)
    found.set(id, set.join(' '))
  }
  for (const { id } of await rowsOf(admin, 'spaces')) note(id, { space_id: id })
  for (const { id } of await rowsOf(admin, 'spaces')) note(id, { space_id: id })
  for (const { id } of datacenters) note(id, { datacenter_id: id })
  for (const { id, datacenter_id, subnet, space_id } of await rowsOf(admin, 'networks')) {
    const space = (space_id ?? null) as string | null
    spaces.set(id, space)
    note(id, { datacenter_id: datacenter_id as string | null, ranges: [toAddressRange(String(subnet), space)] })
  }
  // One list of all networks does not exist.
  for (const { id, network_id, doc } of await db.read.selectFrom('discovered_devices').selectAll().execute()) {
    const { addresses } = JSON.parse(doc) as { addresses: { ip: string }[] }
    const places = addresses.map(({ ip }) => ({ first: ip, last: ip, space_id: spaces.get(network_id) ?? null }))
    note(id, { ranges: places, inherited: scopes.get(network_id) ?? [] })
  }
  for (const { id, network_id, tags, start_ip, end_ip } of await rowsOf(admin, 'pools')) {
    const space_id = spaces.get(network_id) ?? null
    spaces.set(id, space_id)
    const places = [{ first: String(start_ip), last: String(end_ip), space_id }]
    note(id, { tags: tags as string[], ranges: places, inherited: scopes.get(network_id) ?? [] })
  }
  for (const { id, pool_id, ip_address } of await rowsOf(admin, 'reservations')) {
    const ip = String(ip_address)
    const places = [{ first: ip, last: ip, space_id: spaces.get(pool_id) ?? null }]
    note(id, { ranges: places, inherited: scopes.get(pool_id) ?? [] })
  }
  for (const { id, datacenter_id, tags, addresses } of await rowsOf(admin, 'devices')) {
    const places = (addresses as { ip: string; space_id?: string }[]).map(({ ip, space_id = null }) => ({
      first: ip,
      last: ip,
      space_id,
    }))
    note(id, { datacenter_id: datacenter_id as string | null, tags: tags as string[], ranges: places })
  }
  for (const { id, network_id, addresses } of await rowsOf(admin, 'discovery/devices?network_id=*')) {
    const space_id = spaces.get(network_id) ?? null
    const places = (addresses as { ip: string }[]).map(({ ip }) => ({ first: ip, last: ip, space_id }))
    note(id, { ranges: places, inherited: scopes.get(network_id) ?? [] })
  }
  return found
}

/** Returns the stored scopes of each object by its id, as a text. */
export const storedAreas = async (db: Db<Tables>): Promise<Map<string, string>> => {
  const { setOf } = await loadAreas({ db: db.read, store: db })
  const found = new Map<string, string>()
  for (const table of AREA_TABLES)
    for (const { id, area } of await db.read
      .selectFrom(table as 'devices')
      .select(['id', 'area'])
      .execute())
      found.set(id, setOf(area).join(' '))
  return found
}
