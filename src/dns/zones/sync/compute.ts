/** Reads the devices and records of a zone, and computes the RRsets that it wants now. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import type { FieldIssue } from '../../../contract/errors.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import { isOneOf } from '../../../database/query/below.ts'
import { findDatacentersBelow } from '../../../inventory/datacenters/datacenters.ts'
import { findDocuments } from '../../../inventory/devices/devices.ts'
import type { Address, Device } from '../../../inventory/devices/schema.ts'
import { findSpaceKey } from '../../../inventory/spaces/keys.ts'
import type { Ctx, DbScope } from '../../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow, toIpKey } from '../../../net/ip.ts'
import { findRecordsByNames, findRecordsOfType } from '../../records/dns-records.ts'
import { buildClaims, type Claims } from '../device-names.ts'
import { findServerDelegations } from '../store.ts'
import { parseAddress, toFullName, type Zone, type ZoneIndex } from '../zone-index.ts'
import { Delegations, filterChildren, toDelegations } from './delegations.ts'
import { type Wanted, ZoneContent } from './desired-rrsets.ts'

/** Returns what is wrong with the filter of a zone; undefined if it is sound. */
export const findDanglingFilter = async ({ db }: DbScope, zone: Zone): Promise<FieldIssue | undefined> => {
  const { network_id, datacenter_id, space_id = null } = zone
  if (network_id !== null) {
    const network = await db.selectFrom('networks').select('space_id').where('id', '=', network_id).executeTakeFirst()
    if (!network) return { field: 'network_id', message: 'the network of its filter no longer exists' }
    if (network.space_id !== space_id)
      return { field: 'network_id', message: 'the network of its filter is in another address space' }
  }
  if (datacenter_id === null) return undefined
  const datacenter = db.selectFrom('datacenters').select('id').where('id', '=', datacenter_id)
  if (await datacenter.executeTakeFirst()) return undefined
  return { field: 'datacenter_id', message: 'the datacenter of its filter no longer exists' }
}

/** Tells whether an address of a device belongs to the network of a filter. */
type IsMember = (deviceId: string, ip: string) => boolean

/** Returns undefined without a network. */
const loadMembership = async (ctx: Ctx, zone: Zone, deviceIds?: readonly string[]): Promise<IsMember | undefined> => {
  const { db } = ctx
  const { network_id } = zone
  if (network_id === null) return undefined
  const space = await findSpaceKey(ctx, zone)
  const members = new Set<string>()
  const rows = db.selectFrom('network_addresses').select(['device_id', 'ip_key']).where('network_id', '=', network_id)
  const queries = deviceIds ? splitBatches(deviceIds).map((batch) => rows.where('device_id', 'in', batch)) : [rows]
  for (const query of queries)
    for (const { device_id, ip_key } of await query.execute()) members.add(`${device_id} ${ip_key}`)
  return (deviceId, ip) => members.has(`${deviceId} ${parseIpKeyOrThrow(ip, space)}`)
}

/** The filter of a zone. Undefined for a part that takes all. */
type Filter = { readonly isMember: IsMember | undefined; readonly datacenters: ReadonlySet<string> | undefined }

const loadFilter = async (ctx: Ctx, zone: Zone, deviceIds?: readonly string[]): Promise<Filter> => ({
  isMember: await loadMembership(ctx, zone, deviceIds),
  datacenters: zone.datacenter_id === null ? undefined : new Set(await findDatacentersBelow(ctx, zone.datacenter_id)),
})

/** Returns the addresses of a device that the filter leaves; none for a device that it does not take. */
const filterAddresses = (zone: Zone, device: Device, { isMember, datacenters }: Filter): readonly Address[] => {
  const { statuses, tags } = zone
  const isIn =
    statuses.includes(device.status) &&
    (datacenters === undefined || (device.datacenter_id !== null && datacenters.has(device.datacenter_id))) &&
    tags.every((tag) => device.tags.includes(tag))
  if (!isIn) return []
  const own = device.addresses.filter(({ space_id }) => space_id === zone.space_id)
  return isMember ? own.filter(({ ip }) => isMember(device.id, ip)) : own
}

/** Yields the claims of all devices of the filter. */
async function* streamClaims(ctx: Ctx, zone: Zone, index: ZoneIndex): AsyncGenerator<Claims> {
  const filter = await loadFilter(ctx, zone)
  let query = ctx.db.selectFrom('devices').select('doc').where('status', 'in', zone.statuses)
  if (filter.datacenters) query = query.where(isOneOf('datacenter_id', [...filter.datacenters]))
  for await (const rows of ctx.store.scan<{ doc: string }>(query))
    for (const { doc } of rows) {
      // The column holds the JSON of a device.
      const device = JSON.parse(doc) as Device
      const addresses = filterAddresses(zone, device, filter)
      if (addresses.length > 0) yield buildClaims(device, addresses, (name) => index.completed(name))
    }
}

/** Reads the delegations of a zone. */
const loadDelegations = async (scope: DbScope, zone: Zone, index: ZoneIndex): Promise<Delegations> => {
  const own = toDelegations(await findRecordsOfType(scope, zone.id, 'NS'))
  return new Delegations(zone, index, [...own, ...(await findServerDelegations(scope, zone.id))])
}

/** The RRsets that are made before the event loop may run again. */
const BREATH = 100

/** Computes a whole zone. */
export const computeWhole = async (ctx: Ctx, zone: Zone, index: ZoneIndex): Promise<Wanted[]> => {
  const content = new ZoneContent(zone, index, await loadDelegations(ctx, zone, index))
  for await (const claims of streamClaims(ctx, zone, index)) content.add(claims)
  for (const child of filterChildren(zone, index))
    for await (const claims of streamClaims(ctx, child, index)) content.addChild(child, claims)
  const found: Wanted[] = []
  const breathe = createBreathe()
  for (const one of content.wanted(await findRecordsByNames(ctx, zone.id))) {
    found.push(one)
    if (found.length % BREATH === 0) await breathe()
  }
  return found
}

/** Returns the ids of the devices that may claim a name or an address. */
const findClaimants = async (
  { db }: DbScope,
  { names, keys }: { readonly names: readonly string[]; readonly keys: readonly IpKey[] },
): Promise<string[]> => {
  const ids = new Set<string>()
  const collect = (rows: readonly { readonly id: string }[]) => {
    for (const { id } of rows) ids.add(id)
  }
  for (const batch of splitBatches(names)) {
    collect(await db.selectFrom('devices').select('id').where('hostname_key', 'in', batch).execute())
    const named = db.selectFrom('addresses').select('device_id as id').where('dns_name', 'in', batch)
    collect(await named.where('dns_name', '<>', '').execute())
    const shared = db.selectFrom('device_domains').select('device_id as id')
    collect(await shared.where(({ fn }) => fn<string>('lower', ['domain']), 'in', batch).execute())
  }
  for (const batch of splitBatches(keys))
    collect(await db.selectFrom('addresses').select('device_id as id').where('ip_key', 'in', batch).execute())
  return [...ids]
}

/** Computes some names of a zone, relative to it. */
export const computeNames = async (
  ctx: Ctx,
  { zone, index, names }: { readonly zone: Zone; readonly index: ZoneIndex; readonly names: readonly string[] },
): Promise<Wanted[]> => {
  const full = names.map((name) => toFullName(name, zone.name))
  const suffix = index.defaultName === undefined ? undefined : `.${index.defaultName}`
  // Host names without a dot, which the default zone completes.
  const bare = full.flatMap((name) => {
    const label = suffix !== undefined && name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
    return label === '' || label.includes('.') ? [] : [label]
  })
  const addresses = names.flatMap((name) => parseAddress(zone, name) ?? [])
  const space = await findSpaceKey(ctx, zone)
  const ids = await findClaimants(ctx, { names: [...full, ...bare], keys: addresses.map((ip) => toIpKey(ip, space)) })
  const docs = [...(await findDocuments(ctx, ids)).values()]
  // The column holds the JSON of a device.
  const devices = docs.map((doc) => JSON.parse(doc) as Device)
  const content = new ZoneContent(zone, index, await loadDelegations(ctx, zone, index), new Set(names))
  const addAll = async (of: Zone, add: (claims: Claims) => void) => {
    const filter = await loadFilter(ctx, of, ids)
    for (const device of devices) {
      const left = filterAddresses(of, device, filter)
      if (left.length > 0) add(buildClaims(device, left, (name) => index.completed(name)))
    }
  }
  await addAll(zone, (claims) => content.add(claims))
  const children = new Set(addresses.flatMap((ip) => (index.parentsFor(ip).includes(zone) ? index.forAddress(ip) : [])))
  for (const child of children) await addAll(child, (claims) => content.addChild(child, claims))
  const records = []
  for (const batch of splitBatches(names)) records.push(...(await findRecordsByNames(ctx, zone.id, batch)))
  return [...content.wanted(records)]
}
