/** The writes of interfaces: an interface is a port, or gets one by its first write. */

import { type SqlBool, sql } from 'kysely'
import type { Device } from '../../../inventory/devices/schema.ts'
import type { Port } from '../../../inventory/ports/api.ts'
import { toNameKey } from '../../../net/name-order.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { buildMacKey } from '../../numbers/keys.ts'
import { moveKey } from '../../numbers/numbers.ts'
import { getInterfaceName } from '../../world/addresses.ts'
import { toInterfaceKind } from '../../world/nested-interfaces.ts'
import { type InterfaceDraft, settleMode } from './field-writes.ts'
import { type InterfaceItem, isOnInterface, listInterfaces } from './items.ts'
import { parseDoc, selectDevices } from './source.ts'

/** Runs an operation with an order of its own for its locks. */
const runStep = (draft: InterfaceDraft, name: string, input: object): Promise<unknown> =>
  draft.tx.step(() => draft.run(name, input))

const findDevice = async ({ world }: InterfaceDraft, id: string): Promise<Device | undefined> => {
  const [row] = await selectDevices(world, [sql<SqlBool>`devices.id = ${id}`]).execute()
  return row && parseDoc(row)
}

/** The name of an interface is unique in its device. Plat itself compares only ports. */
const checkName = async (draft: InterfaceDraft, deviceId: string): Promise<void> => {
  const { name } = draft.input
  if (typeof name !== 'string') return
  const device = await findDevice(draft, deviceId)
  const others = device ? await listInterfaces(draft.world, [device]) : []
  if (others.some((one) => toNameKey(one.name) === toNameKey(name) && one.key !== draft.item?.key))
    draft.refuseAt('name', 'The device has an interface of this name already.')
}

/** Gives the addresses of an interface its new name. The ones that name no interface are on the unnamed one. */
const renameAddresses = async (draft: InterfaceDraft, { name: from, device: { id } }: InterfaceItem, to: string) => {
  const device = await findDevice(draft, id)
  const addresses = device?.addresses.map((address) =>
    isOnInterface(address, from) && getInterfaceName(address) !== to ? { ...address, interface: to } : address,
  )
  if (device && addresses?.some((address, at) => address !== device.addresses[at]))
    await runStep(draft, 'devices.update', { id, addresses })
}

/** The values of an interface without a port. */
const USUAL: Readonly<Record<string, unknown>> = {
  ...{ enabled: true, description: '', parent_id: null, speed_mbps: null, mac_address: null, vlan_id: null },
}

const isUsual = (item: InterfaceItem, field: string, value: unknown): boolean => {
  if (field === 'name') return value === item.name
  if (field === 'tagged_vlan_ids') return Array.isArray(value) && value.length === 0
  // The draft has an object of custom values.
  if (field === 'custom') return Object.values(value as object).every((one) => one === null)
  return Object.hasOwn(USUAL, field) && USUAL[field] === value
}

/** Makes the port of an interface that only addresses name, which keeps its number. */
const makePort = async (draft: InterfaceDraft, item: InterfaceItem): Promise<string> => {
  const { tx, input } = draft
  const { key, name, device, macs } = item
  const changed = Object.entries(input).filter(([field, value]) => !isUsual(item, field, value))
  if (changed.length === 0) return key
  const given = { device_id: device.id, name, ...Object.fromEntries(changed) }
  // The answer of the operation.
  const port = (await runStep(draft, 'ports.create', given)) as Port
  await renameAddresses(draft, item, port.name)
  await moveKey(tx, toInterfaceKind(device), key, port.id)
  for (const mac of macs) await moveKey(tx, 'dcim.macaddress', buildMacKey(mac, key), buildMacKey(mac, port.id))
  return port.id
}

/** The port of an address may be one that the caller may not see. */
const requirePort = ({ tx }: InterfaceDraft, { key, port }: InterfaceItem): void => {
  if (!port && !key.includes(':')) tx.require('ports:list')
}

export const createInterfaceWrites = (custom: CustomFields<InterfaceItem>): Writes<InterfaceItem> => {
  const settle = async (draft: InterfaceDraft, deviceId: string): Promise<void> => {
    settleMode(custom, draft)
    await checkName(draft, deviceId)
    draft.check()
  }
  return {
    create: async (draft) => {
      await settle(draft, String(draft.input.device_id))
      // The answer of the operation.
      return ((await draft.run('ports.create', draft.input)) as Port).id
    },
    update: async (draft, item) => {
      requirePort(draft, item)
      await settle(draft, item.device.id)
      if (!item.port) return makePort(draft, item)
      if (Object.keys(draft.input).length === 0) return item.key
      const { name } = (await runStep(draft, 'ports.update', { ...draft.input, id: item.key })) as Port
      await renameAddresses(draft, item, name)
      return item.key
    },
    remove: async (draft, item) => {
      requirePort(draft, item)
      const { device, name, port } = item
      const addresses = device.addresses.filter((address) => !isOnInterface(address, name))
      if (addresses.length < device.addresses.length)
        await runStep(draft, 'devices.update', { id: device.id, addresses })
      if (port) await runStep(draft, 'ports.delete', { id: port.id })
    },
  }
}
