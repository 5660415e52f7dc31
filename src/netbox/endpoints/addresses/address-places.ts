/** Where written addresses are: their networks and interfaces, and who has them already. */
import { getBoundedNetworkOrThrow } from '../../../inventory/addresses/network-space.ts'
import { type Device, isSharedAddress } from '../../../inventory/devices/schema.ts'
import { findNetworksHolding } from '../../../inventory/networks/membership.ts'
import { isLive } from '../../../inventory/reservations/reservations.ts'
import { findSpaceKey } from '../../../inventory/spaces/keys.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { getAddressBits, type IpKey, parseIp, parseIpKeyOrThrow } from '../../../net/ip.ts'
import { buildInterfaceKey } from '../../numbers/keys.ts'
import { getFamily, getInterfaceName, UNNAMED, withMask } from '../../world/addresses.ts'
import { SPACES } from '../../world/sets.ts'
import type { World } from '../../world/world.ts'
import type { AddressDraft, AddressState, Target } from './address-state.ts'

/** Returns the interface of a key; undefined if it is not there. */
export const findTarget = async ({ ctx }: World, key: string): Promise<Target | undefined> => {
  const at = key.indexOf(':')
  if (at === -1) {
    const port = await ctx.db.selectFrom('ports').select(['device_id', 'name']).where('id', '=', key).executeTakeFirst()
    return port && { deviceId: port.device_id, interface: port.name }
  }
  const deviceId = key.slice(0, at)
  const row = await ctx.db.selectFrom('devices').select('doc').where('id', '=', deviceId).executeTakeFirst()
  if (!row) return undefined
  // The column holds the JSON of a device.
  const { addresses } = JSON.parse(row.doc) as Pick<Device, 'addresses'>
  const name = addresses.map(getInterfaceName).find((one) => buildInterfaceKey(deviceId, one) === key)
  const own = name ?? key.slice(at + 1)
  return { deviceId, interface: own === UNNAMED ? '' : own }
}

export const findIpKey = async (ctx: Ctx, { ip, spaceId }: Pick<AddressState, 'ip' | 'spaceId'>): Promise<IpKey> =>
  parseIpKeyOrThrow(ip, await findSpaceKey(ctx, { space_id: spaceId }))

/** Returns the most specific network of an address. Of several of one subnet, the one with the lowest id. */
export const findNetwork = async (ctx: Ctx, key: IpKey) => {
  const [id] = ((await findNetworksHolding(ctx, [key])).get(key) ?? []).toSorted()
  return id === undefined ? undefined : getBoundedNetworkOrThrow(ctx, id)
}

/** Refuses a mask that the network of a new address has not. */
export const checkMask = async (draft: AddressDraft, ip: string, key: IpKey): Promise<void> => {
  const { mask } = draft.input
  const full = getAddressBits(getFamily(ip))
  if (typeof mask !== 'number' || mask === full) return
  const network = await findNetwork(draft.tx.unscoped, key)
  if (mask === network?.prefix) return
  const name = network && draft.tx.canListAll('networks') ? ` ${network.subnet}` : ''
  draft.refuseAt(
    'address',
    network
      ? `has another mask than its prefix${name}: send ${withMask(ip, network.prefix)}, or /${full}`
      : `is in no prefix: send /${full}, or create the prefix first`,
  )
}

/** The holders of an address. */
type Holders = {
  readonly reserved: boolean
  readonly devices: readonly { readonly device_id: string; readonly is_shared: number }[]
}

const findHolders = async ({ db, now }: Ctx, key: IpKey): Promise<Holders> => {
  const free = db.selectFrom('reservations').select('id').where('ip_key', '=', key).where(isLive(now))
  const devices = await db
    .selectFrom('addresses')
    .select(['device_id', 'is_shared'])
    .where('ip_key', '=', key)
    .execute()
  return { reserved: (await free.executeTakeFirst()) !== undefined, devices }
}

/**
 * Refuses an address that its space has already, unless one of the two has a role that shares it. Called under the lock of the address.
 * @returns true if a device has the address beside it
 */
export const checkDuplicate = async (
  draft: AddressDraft,
  key: IpKey,
  { ip, spaceId, role, target }: AddressState,
): Promise<boolean> => {
  const { tx, world } = draft
  const { reserved, devices } = await findHolders(tx.unscoped, key)
  if (!reserved && devices.length === 0) return false
  const isShared = isSharedAddress({ role })
  const isRefused =
    // A space has one reservation of an address, and a device has the address once.
    (reserved && !(isShared && target)) ||
    devices.some(({ device_id }) => device_id === target?.deviceId) ||
    (!isShared && devices.some(({ is_shared }) => is_shared === 0))
  if (!isRefused) return true
  const network = await findNetwork(tx.unscoped, key)
  const vrf = spaceId === null ? undefined : world.get(SPACES).find(spaceId)
  const place = vrf ? `VRF ${vrf.name}` : 'global table'
  draft.refuseAt('address', `Duplicate IP address found in ${place}: ${withMask(ip, network?.prefix)}`)
  draft.check()
  return false
}

/** Reads an address with or without its mask; undefined for other text. */
export const parseAddress = (text: string): { readonly ip: string; readonly mask: number | undefined } | undefined => {
  const [address = '', length, more] = text.trim().split('/')
  const ip = parseIp(address)
  if (!ip || more !== undefined) return undefined
  if (length === undefined) return { ip: address, mask: undefined }
  const mask = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  return mask <= getAddressBits(ip.family) ? { ip: address, mask } : undefined
}
