/** The writes of addresses: reserved in a pool, or on a device, and moved between both with their numbers. */
import { AppError, notFound } from '../../../contract/errors.ts'
import { parse } from '../../../contract/validate.ts'
import { type OpenNetwork, openNetwork, withPools } from '../../../inventory/addresses/claim.ts'
import { lockForAddresses } from '../../../inventory/devices/devices.ts'
import type { Address, Device } from '../../../inventory/devices/schema.ts'
import { lockPoolNames } from '../../../inventory/pools/pools.ts'
import { lockDefinitions } from '../../../inventory/reservations/allocate.ts'
import { type Reservation, ReservationDraft } from '../../../inventory/reservations/api.ts'
import { create as createReservation } from '../../../inventory/reservations/reservations.ts'
import * as occupancy from '../../../inventory/used-addresses/used-addresses.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { IpKey } from '../../../net/ip.ts'
import { NetboxError, refuseFields, tellMessage } from '../../door/errors.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { buildAddressKey } from '../../numbers/keys.ts'
import { moveKey } from '../../numbers/numbers.ts'
import type { AddressItem } from './address-items.ts'
import { checkDuplicate, checkMask, findIpKey, findNetwork } from './address-places.ts'
import {
  type AddressDraft,
  type AddressInput,
  type AddressState,
  applyInput,
  checkPlace,
  NO_STATE,
  toFreeFields,
  toHeldFields,
  toState,
} from './address-state.ts'

// The fields of the endpoint set nothing else.
export const getInput = (draft: AddressDraft): AddressInput => {
  const { mask: _, type: __, ...input } = draft.input
  return input as AddressInput
}

/** NetBox's names of the fields of Plat. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ ip: 'address', ip_address: 'address', hostname: 'dns_name', purpose: 'description', label: 'description' },
  ...{ notes: 'comments', interface: 'assigned_object_id', device_id: 'assigned_object_id', space_id: 'vrf' },
}

const toName = (draft: AddressDraft, field: string): string => {
  const own = field.replace(/^addresses\[\d+\]\./, '')
  const custom = /^custom\.[^.[]+/.exec(own)?.[0]
  if (custom !== undefined) return draft.names[custom] ?? 'custom_fields'
  const [name = own] = /^[^.[]+/.exec(own) ?? []
  return NAMES[name] ?? (name === 'addresses' || name === 'pool_id' ? 'address' : name)
}

/** Runs the work on an address. Its errors have NetBox's names of the fields. */
export const withNames = async <T>(draft: AddressDraft, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof NetboxError) throw error
    if (error.code === 'IP_NOT_AVAILABLE') throw refuseFields({ address: [error.message] })
    if (error.details.length === 0 || error.status !== 400) throw error
    const groups = Map.groupBy(error.details, ({ field }) => toName(draft, field))
    throw refuseFields(
      Object.fromEntries([...groups].map(([name, some]) => [name, some.map((one) => tellMessage(one, name))])),
    )
  }
}

/** The objects that a write has locked. */
type Opened = {
  readonly key: IpKey
  /** The pool of a reservation. */
  readonly poolId: string | undefined
  readonly devices: ReadonlyMap<string, Device>
}

/** Returns the smallest pool of a network that holds the address, else one that is made. */
const findPool = async (
  tx: Ctx,
  network: OpenNetwork,
  { ip, key }: { readonly ip: string; readonly key: IpKey },
): Promise<string | undefined> => {
  const pool = network.pools.find(({ start_key, end_key }) => start_key <= key && key <= end_key)
  if (pool) return pool.id
  const [made] = await withPools(tx, network, [{ ip, network_id: network.network.id, pool: null }])
  // The reservation locks its pool, before its address.
  if (made) await lockPoolNames(tx, [made.pool.id])
  return made?.pool.id
}

/** Takes the locks of the network, of the devices and of the address itself, in their order. */
const open = async (
  draft: AddressDraft,
  { ip, spaceId, target }: AddressState,
  others: readonly string[],
): Promise<Opened> => {
  const { tx } = draft
  const key = await findIpKey(tx, { ip, spaceId })
  const ids = [...new Set([...others, ...(target ? [target.deviceId] : [])])].sort()
  const isForDevice = ids.length > 0
  const found = target ? undefined : await findNetwork(tx.unscoped, key)
  if (!target && !found) draft.refuseAt('address', 'is in no prefix: create the prefix first')
  draft.check()
  const network = found && (await openNetwork(tx, { id: found.id, ip, createsPool: true, isForDevice }))
  if (!network) await lockDefinitions(tx, { isForDevice })
  const devices = new Map<string, Device>()
  for (const id of ids) {
    const device = await lockForAddresses(tx, id)
    if (device) devices.set(id, device)
  }
  const poolId = network && (await findPool(tx, network, { ip, key }))
  await occupancy.lock(tx, [key])
  return { key, poolId, devices }
}

const isOf =
  ({ ip, spaceId }: Pick<AddressState, 'ip' | 'spaceId'>) =>
  (address: Pick<Address, 'ip' | 'space_id'>): boolean =>
    address.ip === ip && (address.space_id ?? null) === spaceId

/** Adds an address to a locked device. */
const addToDevice = async (
  draft: AddressDraft,
  { addresses }: Pick<Device, 'addresses'>,
  state: AddressState,
): Promise<string> => {
  const { deviceId: id = '' } = state.target ?? {}
  await draft.run('devices.update', { id, addresses: [...addresses, toHeldFields(state)] })
  return buildAddressKey(id, state.spaceId, state.ip)
}

/** Reserves an address. */
const reserve = async (
  { tx }: AddressDraft,
  poolId: string,
  { state, isShared }: { readonly state: AddressState; readonly isShared: boolean },
): Promise<Reservation> => {
  tx.require('reservations:create')
  const given = { pool_id: poolId, ip_address: state.ip, ...toFreeFields(state) }
  const input = parse(ReservationDraft, given)
  const guard = { permission: 'reservations:create', schema: ReservationDraft, params: [], isCreate: true } as const
  return tx.checkScope({ ...guard, input, given }, () => createReservation(tx, input, { isShared }))
}

const place = async (draft: AddressDraft, opened: Opened, state: AddressState): Promise<string> => {
  const isShared = await checkDuplicate(draft, opened.key, state)
  const { poolId, devices } = opened
  if (poolId !== undefined) return (await reserve(draft, poolId, { state, isShared })).id
  const device = devices.get(state.target?.deviceId ?? '')
  if (!device) throw notFound('device', state.target?.deviceId ?? '')
  return addToDevice(draft, device, state)
}

const create = async (draft: AddressDraft): Promise<string> => {
  const state = applyInput(NO_STATE, getInput(draft))
  await checkMask(draft, state.ip, await findIpKey(draft.tx, state))
  checkPlace(draft, state)
  draft.check()
  return withNames(draft, async () => place(draft, await open(draft, state, []), state))
}

/** Changes the address of a device where it is. */
const changeHeld = async (draft: AddressDraft, state: AddressState): Promise<void> => {
  const { deviceId: id = '' } = state.target ?? {}
  const { devices } = await openHeld(draft.tx, [id])
  const { addresses = [] } = devices.get(id) ?? {}
  const at = addresses.findIndex(isOf(state))
  const { custom, ...fields } = toHeldFields(state)
  const changed = addresses.map((address, i) => {
    if (i !== at) return address
    // The label of an address on its interface may be the name of that.
    const isNamed = fields.label === '' && address.label === address.interface && address.label === fields.interface
    return { ...address, ...fields, ...(isNamed && { label: address.label }), custom }
  })
  await draft.run('devices.update', { id, addresses: changed })
}

/** Changes a reservation. */
const changeFree = async (draft: AddressDraft, before: AddressState, after: AddressState): Promise<void> => {
  const { id } = draft.item?.reservation ?? {}
  const { custom: _, ...fields } = toFreeFields(after)
  const role = before.role === after.role ? {} : { role: after.role || null }
  await draft.run('reservations.update', { id, ...fields, custom: { ...getInput(draft).custom, ...role } })
}

const openHeld = async (tx: Ctx, ids: readonly string[]): Promise<Pick<Opened, 'devices'>> => {
  await lockDefinitions(tx, { isForDevice: true })
  const devices = new Map<string, Device>()
  for (const id of ids) {
    const device = await lockForAddresses(tx, id)
    if (device) devices.set(id, device)
  }
  return { devices }
}

/** Takes an address from a locked device, with its further entries of the same IP. */
const dropFromDevice = async (
  draft: AddressDraft,
  { id, addresses }: Device,
  state: Pick<AddressState, 'ip' | 'spaceId'>,
): Promise<Device['addresses']> => {
  const left = addresses.filter((address) => !isOf(state)(address))
  await draft.run('devices.update', { id, addresses: left })
  return left
}

/** Takes an address from where it is. */
const release = async (
  draft: AddressDraft,
  item: AddressItem,
  devices: Opened['devices'],
): Promise<Opened['devices']> => {
  if (item.reservation) {
    await draft.run('reservations.delete', { id: item.reservation.id })
    return devices
  }
  const device = devices.get(item.held?.device.id ?? '')
  if (!device) return devices
  const addresses = await dropFromDevice(draft, device, item)
  return new Map([...devices, [device.id, { ...device, addresses }]])
}

const move = async (draft: AddressDraft, item: AddressItem, state: AddressState): Promise<string> => {
  const others = item.held ? [item.held.device.id] : []
  const opened = await open(draft, state, others)
  const devices = await release(draft, item, opened.devices)
  const key = await place(draft, { ...opened, devices }, state)
  await moveKey(draft.tx, 'ipam.ipaddress', item.key, key)
  return key
}

const update = async (draft: AddressDraft, item: AddressItem): Promise<string> => {
  const before = toState(item)
  const after = applyInput(before, getInput(draft))
  if (Bun.deepEquals(before, after)) return item.key
  checkPlace(draft, after)
  draft.check()
  return withNames(draft, async () => {
    const isSamePlace = before.target?.deviceId === after.target?.deviceId && before.spaceId === after.spaceId
    if (!isSamePlace) return move(draft, item, after)
    if (after.target) await changeHeld(draft, after)
    else await changeFree(draft, before, after)
    return item.key
  })
}

export const addressWrites: Writes<AddressItem> = {
  create,
  update,
  remove: async (draft, item) => {
    const { devices } = item.held ? await openHeld(draft.tx, [item.held.device.id]) : { devices: new Map() }
    await release(draft, item, devices)
  },
}
