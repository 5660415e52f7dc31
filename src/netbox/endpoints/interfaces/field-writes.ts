/** Takes the fields of interfaces over into a draft. */
import { isRecord } from '../../../contract/unknown.ts'
import { find as findPort } from '../../../inventory/ports/store.ts'
import { parseMac } from '../../../net/mac.ts'
import { INTERFACE_MODE, INTERFACE_TYPE } from '../../choices/interfaces.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import type { Draft } from '../../endpoint/draft.ts'
import { parseChoice, parseNumber } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { parseVlanKey } from '../../numbers/keys.ts'
import { findKeys } from '../../numbers/numbers.ts'
import { toShownMac } from '../../world/nested-interfaces.ts'
import { VLANS } from '../../world/sets.ts'
import { type InterfaceItem, listOwnAddresses } from './items.ts'
import { deriveMode, fitsMode, readAbove, readInterfaceType, VIRTUAL_TYPES } from './values.ts'
import { findVlanAt } from './vlans.ts'

export type InterfaceDraft = Draft<InterfaceItem>

const NULL = 'This field may not be null.'
export const KBPS = 1000

/** @param kind of the device */
export const writeOwner =
  (kind: 'dcim.device' | 'virtualization.virtualmachine') =>
  async (value: unknown, draft: InterfaceDraft): Promise<void> => {
    const key = await draft.resolve(RESOLVERS[kind], value)
    if (key === undefined) return
    if (key === null) draft.refuse(NULL)
    else if (!draft.item) draft.set('device_id', key)
    else if (key !== draft.item.device.id) draft.refuse('Components cannot be moved to a different device.')
  }

export const writeType = (value: unknown, draft: InterfaceDraft): void => {
  const type = parseChoice(value, draft, INTERFACE_TYPE)
  if (type === '') draft.refuse(value === null ? NULL : 'This field may not be blank.')
  // A type of Plat that NetBox has not stays.
  else if (type !== undefined && (!draft.item || readInterfaceType(draft.item) !== type)) draft.set('type', type)
}

export const writeSpeed = (value: unknown, draft: InterfaceDraft): void => {
  const kbps = parseNumber(value, draft, { isInteger: true })
  if (kbps === undefined) return
  if (kbps !== null && kbps % KBPS !== 0) draft.refuse('must be a multiple of 1000 kbps: Plat has speeds in Mbps')
  else draft.set('speed_mbps', kbps === null ? null : kbps / KBPS)
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const getOwnType = ({ input, item }: InterfaceDraft): string =>
  typeof input.type === 'string' ? input.type : item ? readInterfaceType(item) : 'other'

/** The port above an interface is its LAG or its parent. */
export const writeAbove =
  (above: 'lag' | 'parent', kind: 'dcim.interface' | 'virtualization.vminterface') =>
  async (value: unknown, draft: InterfaceDraft): Promise<void> => {
    const key = await draft.resolve(RESOLVERS[kind], value)
    if (key === undefined) return
    const isOtherGiven = isGiven(draft.sent[above === 'lag' ? 'parent' : 'lag'])
    if (key === null) {
      if (draft.item && readAbove(draft.item) === above && !isOtherGiven) draft.set('parent_id', null)
      return
    }
    if (isOtherGiven) return draft.refuse('Plat has one interface above another: send lag or parent')
    const port = await findPort(draft.tx, key)
    if (!port) return draft.refuse('has no port in Plat: change that interface first, which makes its port')
    const isLag = port.type.toLowerCase() === 'lag'
    const isVirtual = kind === 'virtualization.vminterface' || VIRTUAL_TYPES.has(getOwnType(draft))
    if (above === 'lag' && isVirtual) draft.refuse('Virtual interfaces cannot have a parent LAG interface.')
    else if (above === 'lag' && !isLag) draft.refuse(`${port.name} is no LAG: its type is not "lag"`)
    else if (above === 'parent' && isLag && !isVirtual)
      draft.refuse(`${port.name} is a LAG: send it as lag, or the type "virtual"`)
    else draft.set('parent_id', key)
  }

/** An interface without a MAC address has the ones of its addresses. */
const clearMac = (draft: InterfaceDraft): void => {
  const { item } = draft
  if (!item) return
  const held = listOwnAddresses(item).find(({ mac_address }) => mac_address !== '')
  if (held) draft.refuse(`the address ${held.ip} has the MAC address ${toShownMac(held.mac_address)}: clear it there`)
  else draft.set('mac_address', null)
}

export const writeMac = (value: unknown, draft: InterfaceDraft): void => {
  const mac = parseMac(String(value))
  if (!isGiven(value)) clearMac(draft)
  else if (mac === undefined) draft.refuse('Enter a valid MAC address.')
  else if (draft.item?.macs[0] !== mac) draft.set('mac_address', mac)
}

/** Returns the MAC address that a value names, if it is one of the interface. */
const findOwnMac = async ({ world, item }: InterfaceDraft, value: unknown): Promise<string | undefined> => {
  const given = isRecord(value) ? (value.id ?? value.mac_address) : value
  const number = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : given
  if (typeof number === 'number') {
    const key = (await findKeys(world.writer, 'dcim.macaddress', [number])).get(number)
    return item?.macs.find((mac) => key === `${mac} ${item.key}`)
  }
  const mac = parseMac(String(given))
  return item?.macs.find((one) => one === mac)
}

export const writePrimaryMac = async (value: unknown, draft: InterfaceDraft): Promise<void> => {
  // The field beside it says more.
  if (Object.hasOwn(draft.sent, 'mac_address')) return
  if (!isGiven(value)) return clearMac(draft)
  const mac = await findOwnMac(draft, value)
  if (mac === undefined) draft.refuse(`${JSON.stringify(value)} is no MAC address of this interface: send mac_address`)
  else if (draft.item?.macs[0] !== mac) draft.set('mac_address', mac)
}

/** Returns the datacenter of the device. */
const findDatacenterId = async ({ world, item, input }: InterfaceDraft): Promise<string | null> => {
  if (item) return item.device.datacenter_id ?? null
  const devices = world.ctx.db.selectFrom('devices').select('datacenter_id')
  const row = await devices.where('id', '=', String(input.device_id)).executeTakeFirst()
  return row?.datacenter_id ?? null
}

/** Returns the number of a VLAN; undefined after an error. */
const resolveVlan = async (
  draft: InterfaceDraft,
  value: unknown,
  datacenterId: string | null,
): Promise<number | null | undefined> => {
  // A number alone means the VLAN where the device is.
  if (isRecord(value) && value.id === undefined && value.vid !== undefined && value.name === undefined) {
    const vid = Number(value.vid)
    const here = findVlanAt(draft.world, datacenterId, vid)
    if (draft.world.get(VLANS).find(here.key)) return vid
  }
  const key = await draft.resolve(RESOLVERS['ipam.vlan'], value)
  if (key === undefined || key === null) return key
  const vid = draft.world.get(VLANS).find(key)?.vid ?? parseVlanKey(key)?.vid ?? 0
  if (findVlanAt(draft.world, datacenterId, vid).key === key) return vid
  draft.refuse(`VLAN ${vid} is not the VLAN of its number where the device is`)
  return undefined
}

export const writeUntagged = async (value: unknown, draft: InterfaceDraft): Promise<void> => {
  const vid = await resolveVlan(draft, value, await findDatacenterId(draft))
  if (vid !== undefined) draft.set('vlan_id', vid)
}

export const writeTagged = async (value: unknown, draft: InterfaceDraft): Promise<void> => {
  if (value === null) return draft.set('tagged_vlan_ids', [])
  if (!Array.isArray(value)) return draft.refuse(`Expected a list of items but got type "${typeof value}".`)
  const [at, vids] = [await findDatacenterId(draft), [] as number[]]
  for (const one of value) {
    const vid = await resolveVlan(draft, one, at)
    if (typeof vid === 'number') vids.push(vid)
    else if (vid === null) draft.refuse(NULL)
  }
  draft.set('tagged_vlan_ids', vids)
}

const hasUntagged = ({ input, item }: InterfaceDraft): boolean =>
  input.vlan_id === undefined ? item?.untagged !== undefined : input.vlan_id !== null

const hasTagged = ({ input, item }: InterfaceDraft): boolean =>
  Array.isArray(input.tagged_vlan_ids) ? input.tagged_vlan_ids.length > 0 : (item?.tagged.length ?? 0) > 0

/** The mode follows from the VLANs, which are known at last. Another one needs a custom field. */
export const settleMode = (custom: CustomFields<InterfaceItem>, draft: InterfaceDraft): void => {
  if (!Object.hasOwn(draft.sent, 'mode')) return
  draft.begin('mode')
  const mode = parseChoice(draft.sent.mode, draft, INTERFACE_MODE)
  if (mode === undefined) return
  const [isUntagged, isTagged] = [hasUntagged(draft), hasTagged(draft)]
  const derived = deriveMode(isUntagged, isTagged)
  const stored = draft.item && custom.get(draft.item, 'mode', draft.world)
  if (mode === (derived ?? '')) {
    if (stored !== undefined) draft.setCustom('mode', null)
  } else if (mode === '') {
    if (isUntagged) draft.refuseAt('untagged_vlan', 'Interface mode does not support untagged vlan')
    if (isTagged) draft.refuseAt('tagged_vlans', 'Interface mode does not support tagged vlans')
  } else if (!fitsMode(mode, derived)) draft.refuseAt('tagged_vlans', 'Interface mode does not support tagged vlans')
  else if (draft.world.getDefinitions('ports').has('mode')) draft.setCustom('mode', mode)
  else draft.refuse(`"${mode}" has no place here with these VLANs: define the custom field "mode" of ports`)
}
