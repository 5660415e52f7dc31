/** Creates, updates and deletes zones. */

import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import { checkNetwork, lockSpace, mergeInSpace } from '../../inventory/spaces/members.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { removeZone } from '../records/dns-records.ts'
import type { DnsZoneDraft, DnsZonePatch } from './api.ts'
import { noteWhole } from './reactions.ts'
import * as rrsets from './rrset-store.ts'
import type { DnsZone, ZoneSettings } from './schema.ts'
import { serializeZone } from './serialize.ts'
import * as store from './store.ts'
import { ZoneIndex } from './zone-index.ts'
import { resolveZoneNames } from './zone-rules.ts'

/** Locks all changes of zones, one after another: they are few, and their rules concern all zones. */
const lockZones = (ctx: Ctx): Promise<void> => ctx.store.sql.lockNames(ctx.db, ['dns-zones all'])

const REFERENCES = [
  ['provider_id', 'dns_providers', 'DNS provider'],
  ['datacenter_id', 'datacenters', 'datacenter'],
] as const

/** @throws AppError VALIDATION_ERROR for a reference to nothing */
const checkReferences = async (ctx: Ctx, refs: Partial<Pick<ZoneSettings, (typeof REFERENCES)[number][0]>>) => {
  for (const [field, table, noun] of REFERENCES) {
    const id = refs[field]
    if (id === null || id === undefined) continue
    const rows = ctx.db.selectFrom(table).select('id').where('id', '=', id)
    // The server of a zone stays until commit.
    const row = await (table === 'dns_providers' ? ctx.store.sql.lockRows(rows) : rows).executeTakeFirst()
    if (!row) throw invalidField(field, `there is no ${noun} with id "${id}"`)
  }
}

const createExistsError = (message: string): AppError => new AppError('ALREADY_EXISTS', message)

/** Returns the zones of the same address space. */
const filterSameSpace = ({ space_id }: ZoneSettings, zones: readonly ZoneSettings[]): ZoneSettings[] =>
  zones.filter((one) => one.space_id === space_id)

/** @throws AppError for a zone that another one excludes */
const checkBeside = (zone: ZoneSettings, others: readonly ZoneSettings[]): void => {
  if (zone.mode === 'watched' && zone.provider_id === null)
    throw invalidField('mode', 'watched needs a provider_id: there is no server to compare with')
  // A server has one zone of a name, whatever the space.
  const same = others.find(
    ({ name, provider_id, space_id }) =>
      name === zone.name && provider_id === zone.provider_id && (provider_id !== null || space_id === zone.space_id),
  )
  if (same)
    throw createExistsError(
      `The zone ${zone.name} exists already${zone.provider_id === null ? '' : ' on this DNS server'}`,
    )
  const usual = zone.is_default ? filterSameSpace(zone, others).find(({ is_default }) => is_default) : undefined
  if (usual) throw createExistsError(`The zone ${usual.name} is the default zone already`)
}

export const create = async (
  ctx: Ctx,
  { id = Bun.randomUUIDv7(), name, subnet, ...draft }: DnsZoneDraft,
): Promise<DnsZone> => {
  const names = resolveZoneNames({ name, subnet })
  await lockZones(ctx)
  const others = await store.findAllSettings(ctx)
  if (others.some((zone) => zone.id === id)) throw createExistsError(`A zone with id "${id}" exists already`)
  await checkReferences(ctx, draft)
  await lockSpace(ctx, draft)
  await checkNetwork(ctx, draft)
  const { provider_id, mode, space_id, ...rest } = draft
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const zone: ZoneSettings = withSpace({ id, ...names, provider_id, mode, ...rest, ...times }, space_id)
  checkBeside(zone, others)
  await store.insert(ctx, zone)
  await noteWhole(ctx, listConcernedZones(zone, others))
  const made = await serializeZone(ctx, zone)
  return made
}

/** Returns the zone and the zones that it takes names from; all zones of its space if bare host names get another zone. */
const listConcernedZones = (zone: ZoneSettings, others: readonly ZoneSettings[]): string[] => {
  const all = [...filterSameSpace(zone, others), zone]
  const concerned = zone.is_default ? all : [zone, ...new ZoneIndex(all).around(zone)]
  return [...new Set(concerned.map(({ id }) => id))]
}

const lockOrThrow = async (ctx: Ctx, id: string): Promise<ZoneSettings> => {
  await lockZones(ctx)
  const zone = await store.lock(ctx, id)
  if (!zone) throw notFound('dns-zone', id)
  ctx.precondition(await serializeZone(ctx, zone))
  return zone
}

/** @throws AppError VALIDATION_ERROR for another name or subnet */
const checkNames = (before: ZoneSettings, { name, subnet }: Pick<DnsZonePatch, 'name' | 'subnet'>): void => {
  if (name !== undefined && name !== before.name) throw invalidField('name', 'cannot change: create another zone')
  if (subnet === undefined) return
  const cidr = parseCidr(subnet)
  if ((cidr ? formatCidr(cidr) : subnet) !== (before.subnet ?? ''))
    throw invalidField('subnet', 'cannot change: create another zone')
}

/** Forgets the published records of a zone, because the server or the way to treat it is another one. */
const resetZone = async (ctx: Ctx, id: string): Promise<void> => {
  await rrsets.forget(ctx, id)
  await store.removeReport(ctx, id)
  await store.updateState(ctx, id, store.FRESH)
}

export const update = async (ctx: Ctx, { id, name, subnet, ...patch }: DnsZonePatch): Promise<DnsZone> => {
  const before = await lockOrThrow(ctx, id)
  await store.lockState(ctx, id)
  checkNames(before, { name, subnet })
  const { value, changes } = mergeInSpace(before, patch)
  // A reference that is kept may lead to nothing: then the zone is held.
  await checkReferences(ctx, {
    ...(changes.includes('provider_id') && { provider_id: value.provider_id }),
    ...(changes.includes('datacenter_id') && { datacenter_id: value.datacenter_id }),
  })
  if (changes.includes('space_id')) await lockSpace(ctx, value)
  if (changes.includes('network_id') || changes.includes('space_id')) await checkNetwork(ctx, value)
  const others = (await store.findAllSettings(ctx)).filter((zone) => zone.id !== id)
  checkBeside(value, others)
  if (changes.length === 0) return serializeZone(ctx, before)
  const zone = { ...value, updated_at: ctx.now }
  await store.updateRow(ctx, zone)
  // The sync checks the zone again.
  await store.updateState(ctx, id, { held: '' })
  if (changes.includes('provider_id') || changes.includes('mode')) await resetZone(ctx, id)
  if (changes.includes('check_interval_seconds')) await store.updateState(ctx, id, { check_ms: 0 })
  // The zone above holds CNAMEs of a zone of RFC 2317.
  await noteWhole(ctx, [...new Set([...listConcernedZones(before, others), ...listConcernedZones(zone, others)])])
  const made = await serializeZone(ctx, zone)
  return made
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const zone = await lockOrThrow(ctx, id)
  const gone = await serializeZone(ctx, zone)
  const others = (await store.findAllSettings(ctx)).filter((one) => one.id !== id)
  await store.lockState(ctx, id)
  await ctx.emit('dns-zone.deleting', gone)
  await removeZone(ctx, id)
  await rrsets.removeZone(ctx, id)
  await store.deleteRow(ctx, id)
  await noteWhole(
    ctx,
    listConcernedZones(zone, others).filter((one) => one !== id),
  )
}
