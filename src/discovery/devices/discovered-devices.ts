/** The rules of discovered devices: listed, shown, deleted, and put right by hand where the scans have them wrong. */
import { AppError, invalidField, notFound, orNotFound } from '../../contract/errors.ts'
import { ALL } from '../../contract/fields/fields.ts'
import type { Tables } from '../../database/tables.ts'
import { lockPlacementShared } from '../../inventory/placement-lock.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import type { discovery } from '../api.ts'
import { processItems, promote, promoteMany } from '../inbox/promote.ts'
import { removeTopologyLinks } from '../inbox/topology-links.ts'
import { reassign } from '../presence/store.ts'
import type { DiscoveredDetail, DiscoveredDevice } from '../schema.ts'
import { buildDetail } from './derive.ts'
import { listFound } from './discovered-list.ts'
import * as store from './discovered-store.ts'
import { listIdentityKeys } from './identity.ts'
import { keep, saveChanged } from './ingest.ts'
import {
  createRecord,
  type DiscoveredRecord,
  isPromoted,
  mergeRecords,
  putAddress,
  type Records,
  shareKeys,
} from './records.ts'

const getDetailOrThrow = async (ctx: Ctx, id: string): Promise<DiscoveredDetail> => {
  const record = (await store.loadByIds(ctx, [id])).byId.get(id)
  if (!record?.doc) throw notFound('discovered device', id)
  return buildDetail(record.doc, [...record.addresses.values()], [...record.keys])
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const device = await getDetailOrThrow(ctx, id)
  ctx.precondition(device)
  await forget(ctx, [id])
}

/** Deletes discovered devices, and the links that they reported. */
export const forget = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  await store.remove(ctx, ids)
  await removeTopologyLinks(ctx, ids)
}

/** Deletes the existing ones together, and reports each missing one by its position. */
const removeMany = async (ctx: Ctx, { ids }: { ids: readonly string[] }) => {
  if (ctx.isScoped) return removeEach(ctx, ids)
  const there = await store.filterExistingIds(ctx, ids)
  await forget(ctx, [...there])
  return processItems(ctx, ids, {
    word: 'deleted',
    idOf: (id) => id,
    run: async (id) => {
      // Named twice, it is gone the second time.
      if (!there.delete(id)) throw notFound('discovered device', id)
      return {}
    },
  })
}

/** Like `removeMany`, one by one: each must be in the part of the caller while it is there. */
const removeEach = async (ctx: Ctx, ids: readonly string[]) => {
  const gone: string[] = []
  const answer = await processItems(ctx, ids, {
    word: 'deleted',
    idOf: (id) => id,
    permission: 'discovery:delete',
    run: async (id) => {
      await forget(ctx, [id])
      gone.push(id)
      return {}
    },
  })
  return answer
}

const clear = async (ctx: Ctx, networkId: string | undefined): Promise<void> => {
  if (!networkId) throw new AppError('INVALID_INPUT', 'Say whose: network_id is required')
  await removeTopologyLinks(ctx, await store.removeOfNetwork(ctx, networkId))
}

const getKnown = (
  records: Records,
  id: string,
): (DiscoveredRecord & { readonly doc: DiscoveredDevice }) | undefined => {
  const record = records.byId.get(id)
  return record?.doc ? (record as DiscoveredRecord & { readonly doc: DiscoveredDevice }) : undefined
}

/** Returns the context of a manual call, which has no scan: the devices are as they were last seen. */
const buildManualContext = ({ network_id, last_scan_id }: DiscoveredDevice) => ({
  networkId: network_id,
  scanId: last_scan_id,
  previousScanId: last_scan_id,
  type: 'quick' as const,
  stage: 'liveness' as const,
})

const merge = async (
  ctx: Ctx,
  { id, other_ids }: { id: string; other_ids: readonly string[] },
): Promise<DiscoveredDetail> => {
  // Until commit, no network moves to another address space.
  await lockPlacementShared(ctx)
  const records = await store.loadByIds(ctx, [id, ...other_ids])
  const into = orNotFound(getKnown(records, id), 'discovered device', id)
  const kept = keep(records)
  for (const [i, otherId] of other_ids.entries()) {
    const at = `other_ids[${i}]`
    if (otherId === id) throw invalidField(at, 'is the device itself')
    const other = getKnown(records, otherId)
    // Named twice, it is one by now.
    if (!other && records.merged.has(otherId)) continue
    if (!other) throw invalidField(at, `there is no discovered device with id "${otherId}"`)
    if (other.doc.network_id !== into.doc.network_id) throw invalidField(at, 'was found in another network')
    if (isPromoted(other))
      throw invalidField(at, `is documented as the device ${other.doc.promoted_to_device_id}; merge into it instead`)
    mergeRecords(records, into, other)
  }
  await saveChanged(ctx, kept, buildManualContext(into.doc))
  return getDetailOrThrow(ctx, id)
}

const split = async (ctx: Ctx, { id, ips }: { id: string; ips: readonly string[] }): Promise<DiscoveredDetail> => {
  // Until commit, no network moves to another address space.
  await lockPlacementShared(ctx)
  const records = await store.loadByIds(ctx, [id])
  const record = orNotFound(getKnown(records, id), 'discovered device', id)
  const kept = keep(records)
  const leaving = ips.map((ip, i) => {
    const seen = [...record.addresses.values()].find((one) => one.ip === ip)
    if (!seen) throw invalidField(`ips[${i}]`, 'is no address of the device')
    return seen
  })
  if (new Set(leaving).size === record.addresses.size)
    throw invalidField('ips', 'would leave the device without an address')
  const made = createRecord(records)
  for (const seen of leaving) putAddress(records, made, seen)
  // Keys that both share would merge them again at the next scan.
  const mine = new Set([...record.addresses.values()].flatMap(({ observation }) => listIdentityKeys(observation)))
  shareKeys(
    records,
    leaving.flatMap(({ observation }) => listIdentityKeys(observation)).filter((key) => mine.has(key)),
  )
  await saveChanged(ctx, kept, buildManualContext(record.doc))
  await reassign(ctx, { from: id, to: made.id, ips })
  return getDetailOrThrow(ctx, made.id)
}

export const discoveredHandlers: Omit<Handlers<typeof discovery, Tables>, 'localNetworks'> = {
  list: async (ctx, { network_id, ...filter }) =>
    listFound(ctx, network_id === ALL ? filter : { ...filter, network_id }),
  get: async (ctx, { id }) => getDetailOrThrow(ctx, id),
  delete: async (ctx, { id }) => remove(ctx, id),
  removeMany,
  clear: async (ctx, { network_id }) => clear(ctx, network_id),
  promote,
  promoteMany,
  merge,
  split,
}
