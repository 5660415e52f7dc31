/** `available-ips` of prefixes and ranges: the lowest free addresses, and addresses that are made of them. */
import { AppError } from '../../../contract/errors.ts'
import { parse } from '../../../contract/validate.ts'
import { NetworkAllocationRequest } from '../../../inventory/addresses/api.ts'
import { claimAddresses, openNetwork, type Pooled, withPools } from '../../../inventory/addresses/claim.ts'
import { buildNetworkSpace, getBoundedNetworkOrThrow } from '../../../inventory/addresses/network-space.ts'
import { lockForAddresses } from '../../../inventory/devices/devices.ts'
import { buildPoolSpace, listLowestAvailable } from '../../../inventory/pools/free-space.ts'
import { getPoolRangeOrThrow, lockPoolRangeOrThrow } from '../../../inventory/pools/pools.ts'
import { type Claimed, claimFree, lockDefinitions } from '../../../inventory/reservations/allocate.ts'
import { AllocationRequest, ReservationDraft } from '../../../inventory/reservations/api.ts'
import { reserve } from '../../../inventory/reservations/record.ts'
import { findSpaceIdByKey } from '../../../inventory/spaces/keys.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { formatIp, fromIpKey, getAddressBits, getSpaceKey } from '../../../net/ip.ts'
import { respondJson } from '../../door/answers.ts'
import { type Body, type Fields, runItem } from '../../door/body.ts'
import type { Handle } from '../../door/call.ts'
import { createTooFewError, refuseField } from '../../door/errors.ts'
import { Draft, type RunOperation } from '../../endpoint/draft.ts'
import { findOne } from '../../list/list.ts'
import { parsePage } from '../../list/params.ts'
import { buildAddressKey } from '../../numbers/keys.ts'
import { getFamily, withMask } from '../../world/addresses.ts'
import { nestVrf } from '../../world/nested.ts'
import { World } from '../../world/world.ts'
import { answerKeys, fillDraft, openWorld, readNote } from '../../write/write.ts'
import { prefixes } from '../ipam/prefixes.ts'
import { ranges } from '../ipam/ranges.ts'
import type { AddressItem } from './address-items.ts'
import {
  type AddressDraft,
  type AddressState,
  applyInput,
  checkPlace,
  NO_STATE,
  toFreeFields,
  toHeldFields,
} from './address-state.ts'
import { getInput, withNames } from './address-writes.ts'
import { addresses } from './addresses.ts'

/** A prefix or a range of which addresses are shown or taken. */
type Parent = {
  readonly id: string
  readonly isPool: boolean
  readonly ip: string
  readonly mask: number
  readonly spaceId: string | null
}

export type ParentPath = 'ipam/prefixes' | 'ipam/ip-ranges'

/** @throws NetboxError 404 */
const findParent = async (world: World, path: ParentPath, number: string | undefined): Promise<Parent> => {
  if (path === 'ipam/prefixes') {
    const { network, prefix } = await findOne(world, prefixes, number)
    const { id, subnet, space_id: spaceId = null } = network
    return { id, isPool: false, ip: subnet, mask: prefix, spaceId }
  }
  const { pool, mask, spaceId } = await findOne(world, ranges, number)
  return { id: pool.id, isPool: true, ip: pool.start_ip, mask, spaceId }
}

/** The largest number of addresses of one answer. */
const MAX_SHOWN = 1000

export const createFreeList =
  (path: ParentPath): Handle =>
  async (ctx, call) => {
    const world = new World(ctx, call.links)
    await addresses.prepare(world)
    const { id, isPool, ip, mask, spaceId } = await findParent(world, path, call.params.id)
    // Addresses of holders that the caller may not list are taken as well.
    const { unscoped } = ctx
    const space = isPool
      ? buildPoolSpace(await getPoolRangeOrThrow(unscoped, id))
      : buildNetworkSpace(await getBoundedNetworkOrThrow(unscoped, id))
    const { limit = MAX_SHOWN } = parsePage(call.query)
    const free = await listLowestAvailable(unscoped, space, Math.min(limit, MAX_SHOWN))
    const vrf = nestVrf(world, spaceId)
    await world.settle()
    return respondJson(
      call,
      free.map((one) => ({ family: getFamily(ip), address: withMask(one, mask), vrf })),
    )
  }

/** @throws NetboxError unless the length is that of the parent, or that of one address */
const checkLength = ({ prefix_length: length }: Fields, { ip, mask }: Parent): void => {
  if (length === undefined || length === null) return
  const full = getAddressBits(getFamily(ip))
  if (typeof length !== 'number' || !Number.isInteger(length))
    throw refuseField('prefix_length', 'A valid integer is required.')
  if (length !== mask && length !== full) throw refuseField('prefix_length', `must be ${mask} or ${full}`)
}

type Entry = { readonly draft: AddressDraft; readonly state: AddressState }

/** The address and its VRF follow from the parent. */
const FOLLOWING: ReadonlySet<string> = new Set(['address', 'vrf', 'prefix_length'])

type Making = { readonly world: World; readonly tx: Ctx; readonly run: RunOperation }

/** Reads the wanted addresses. */
const readEntries = async ({ world, tx, run }: Making, body: Body, parent: Parent): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (const [index, item] of body.items.entries()) {
    const sent = Object.fromEntries(Object.entries(item).filter(([name]) => !FOLLOWING.has(name)))
    const draft = new Draft<AddressItem>({ world, tx, run, item: undefined, sent })
    await runItem({ index, body, names: draft.names }, async () => {
      checkLength(item, parent)
      await fillDraft(addresses, draft, false)
      const state = applyInput(NO_STATE, getInput(draft))
      checkPlace(draft, state)
      draft.check()
      entries.push({ draft, state })
    })
  }
  return entries
}

const isFree = ({ state }: Entry): boolean => state.target === undefined

type Taken = {
  readonly claimed: readonly Claimed[]
  readonly pooled: readonly Pooled[]
  readonly spaceId: string | null
}

/** Takes the lowest free addresses of a network, of which the free entries get pools. */
const takeOfNetwork = async (
  tx: Ctx,
  parent: Parent,
  entries: readonly Entry[],
  lock: () => Promise<void>,
): Promise<Taken> => {
  const hasFree = entries.some(isFree)
  const isForDevice = !entries.every(isFree)
  const opened = await openNetwork(tx, { id: parent.id, createsPool: hasFree, isForDevice })
  await lock()
  const claimed = await claimAddresses(tx, opened, { count: entries.length, contiguous: false })
  const free = claimed.filter((_, i) => entries[i]?.state.target === undefined)
  return { claimed, pooled: free.length === 0 ? [] : await withPools(tx, opened, free), spaceId: parent.spaceId }
}

/** Takes the lowest free addresses of a pool. */
const takeOfPool = async (
  tx: Ctx,
  { id }: Parent,
  entries: readonly Entry[],
  lock: () => Promise<void>,
): Promise<Taken> => {
  await lockDefinitions(tx, { isForDevice: !entries.every(isFree) })
  const pool = await lockPoolRangeOrThrow(tx, id)
  await lock()
  const source = { space: buildPoolSpace(pool), name: '', noneLeft: createTooFewError }
  const keys = await claimFree(tx, source, { count: entries.length, contiguous: false })
  const pooled = keys.map((key) => ({ ip: formatIp(fromIpKey(key)), network_id: pool.network_id, pool }))
  const space = getSpaceKey(pool.start_key)
  return { claimed: pooled, pooled, spaceId: space === '' ? null : await findSpaceIdByKey(tx, space) }
}

/** Reserves the addresses of the free entries. Returns the ids by address. */
const reserveAll = async (tx: Ctx, entries: readonly Entry[], taken: Taken): Promise<Map<string, string>> => {
  const states = new Map(taken.claimed.map(({ ip }, i) => [ip, entries[i]]))
  const ids = new Map<string, string>()
  for (const [pool, all] of Map.groupBy(taken.pooled, (one) => one.pool)) {
    const drafts = all.flatMap(({ ip }) => {
      const state = states.get(ip)?.state
      const given = { pool_id: pool.id, ip_address: ip, ...(state && toFreeFields(state)) }
      return state && !state.target ? [parse(ReservationDraft, given)] : []
    })
    if (drafts.length === 0) continue
    const made = await reserve(tx, { id: pool.id, space: getSpaceKey(pool.start_key) }, drafts)
    for (const { id, ip_address } of made) ids.set(ip_address, id)
  }
  return ids
}

/** Adds the addresses of the other entries to their devices, each once. */
const giveAll = async (entries: readonly Entry[], { claimed, spaceId }: Taken, devices: Devices): Promise<void> => {
  const added = entries.flatMap(({ draft, state }, i) => {
    const { [i]: one } = claimed
    if (!state.target || !one) return []
    const { ip, network_id, pool } = one
    const fields = { ...toHeldFields({ ...state, ip, spaceId }), network_id, pool_id: pool?.id ?? null }
    return [{ id: state.target.deviceId, draft, fields }]
  })
  for (const [id, all] of Map.groupBy(added, (one) => one.id)) {
    const [first] = all
    const own = devices.get(id)?.addresses ?? []
    await first?.draft.run('devices.update', { id, addresses: [...own, ...all.map(({ fields }) => fields)] })
  }
}

type Devices = Map<string, NonNullable<Awaited<ReturnType<typeof lockForAddresses>>>>

const allocate = async (tx: Ctx, parent: Parent, entries: readonly Entry[]): Promise<string[]> => {
  const devices: Devices = new Map()
  const ids = new Set(entries.flatMap(({ state }) => state.target?.deviceId ?? []))
  const lock = async () => {
    for (const id of [...ids].sort()) {
      const device = await lockForAddresses(tx, id)
      if (device) devices.set(id, device)
    }
  }
  const taken = await (parent.isPool ? takeOfPool : takeOfNetwork)(tx, parent, entries, lock)
  const reserved = await reserveAll(tx, entries, taken)
  await giveAll(entries, taken, devices)
  return taken.claimed.map(({ ip }, i) => {
    const target = entries[i]?.state.target
    return target ? buildAddressKey(target.deviceId, taken.spaceId, ip) : (reserved.get(ip) ?? '')
  })
}

/** Checks the permissions of the entries for the parent. */
const withRights = <T>(tx: Ctx, parent: Parent, entries: readonly Entry[], work: () => Promise<T>): Promise<T> => {
  const input = { id: parent.id, count: entries.length }
  const schema = parent.isPool ? AllocationRequest : NetworkAllocationRequest
  const check = (permission: 'reservations:create' | 'devices:update', inner: () => Promise<T>): Promise<T> => {
    tx.require(permission)
    return tx.checkScope({ permission, schema, params: ['id'], isCreate: true, input, given: input }, inner)
  }
  const give = entries.every(isFree) ? work : () => check('devices:update', work)
  return entries.some(isFree) ? check('reservations:create', give) : give()
}

/** @throws NetboxError 409 if too few addresses are free; then none is taken */
const allocateOrThrow = async (tx: Ctx, parent: Parent, entries: readonly Entry[]): Promise<string[]> => {
  const [first] = entries
  if (!first) return []
  return withNames(first.draft, async () => {
    try {
      return await withRights(tx, parent, entries, () => allocate(tx, parent, entries))
    } catch (error) {
      throw error instanceof AppError && error.code === 'IP_NOT_AVAILABLE' ? createTooFewError() : error
    }
  })
}

export const createIpAllocation =
  (path: ParentPath, run: RunOperation): Handle =>
  async (_, call) => {
    const body = await call.readBody()
    const { id = '' } = call.params
    call.audit.note({ changes: body.isList ? body.items : body.items[0], resourceId: id })
    const work = async (tx: Ctx) => {
      const writing = { call, endpoint: addresses, run }
      const world = await openWorld(tx, writing)
      const parent = await findParent(world, path, id)
      const entries = await readEntries({ world, tx, run }, body, parent)
      return answerKeys(tx, writing, await allocateOrThrow(tx, parent, entries))
    }
    const answers = await call.write(work, readNote(body), `${path} ${id}`)
    return respondJson(call, body.isList ? answers : answers[0], { status: 201 })
  }
