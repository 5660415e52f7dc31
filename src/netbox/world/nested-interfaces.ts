/** The nested forms of interfaces, MAC addresses and cables. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildMacKey } from '../numbers/keys.ts'
import { isMachine } from './machines.ts'
import { nestDevice, nestOwner, type ShownDevice, toDescription } from './nested.ts'
import { type Numbered, NumberField, type World } from './world.ts'

/** The parts of a cable that its nested form shows. */
export type ShownCable = { readonly id: string; readonly label: string; readonly description: string }

/** The parts of an interface that its nested form shows. */
export type ShownInterface = {
  /** The id of the port, or the key of `buildInterfaceKey`. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly device: ShownDevice
  readonly cable: ShownCable | undefined
}

/** Reads the cables of ports, by port. */
export const readCables = async ({ db }: Ctx, portIds: readonly string[]): Promise<Map<string, ShownCable>> => {
  const cables = new Map<string, ShownCable>()
  for (const batch of splitBatches(portIds)) {
    const rows = await db
      .selectFrom('cable_ends')
      .innerJoin('cables', 'cables.id', 'cable_ends.cable_id')
      .select(['cable_ends.port_id', 'cables.id', 'cables.label', 'cables.description'])
      .where('cable_ends.port_id', 'in', batch)
      .execute()
    for (const { port_id, ...cable } of rows) cables.set(port_id, cable)
  }
  return cables
}

/** A cable without a label is displayed by its number. */
export const displayCable = ({ id, label }: Pick<ShownCable, 'id' | 'label'>): string | NumberField =>
  label || new NumberField('dcim.cable', id, (number) => `#${number}`)

export const nestCable = (world: World, cable: ShownCable): Numbered | null => {
  const { id, label, description } = cable
  return world.nest('dcim.cable', id, () => ({
    fields: { display: displayCable(cable), label, description: toDescription(description) },
  }))
}

/** Returns the kind of the interfaces of a device. */
export const toInterfaceKind = (device: Pick<ShownDevice, 'tags'>): 'virtualization.vminterface' | 'dcim.interface' =>
  isMachine(device) ? 'virtualization.vminterface' : 'dcim.interface'

/** An interface of a device or of a virtual machine. */
export const nestInterface = (
  world: World,
  { key, name, description, device, cable }: ShownInterface,
): Numbered | null =>
  world.nest(toInterfaceKind(device), key, () => {
    const owner = nestDevice(world, device)
    const own = { name, description: toDescription(description) }
    if (isMachine(device)) return { fields: { display: name, virtual_machine: owner, ...own } }
    return {
      fields: {
        display: name,
        device: owner,
        ...own,
        cable: cable ? nestCable(world, cable) : null,
        _occupied: cable !== undefined,
      },
    }
  })

/** The form of the interface that another one is a part of: it has only the number of the cable. */
export const nestParentInterface = (
  world: World,
  { key, name, device, cable }: Omit<ShownInterface, 'description'>,
): Numbered | null =>
  world.nest(
    toInterfaceKind(device),
    key,
    () => {
      const page = world.links.page(`/devices/${device.id}`)
      const owner = nestOwner(world, device)
      if (isMachine(device)) return { fields: { display_url: page, display: name, virtual_machine: owner, name } }
      const number = cable ? new NumberField('dcim.cable', cable.id) : null
      const own = { display_url: page, display: name, device: owner, name, cable: number }
      return { fields: { ...own, _occupied: cable !== undefined } }
    },
    'parent',
  )

/** NetBox spells MAC addresses in upper case. */
export const toShownMac = (mac: string): string => mac.toUpperCase()

/** @param mac as Plat stores it */
export const nestMac = (world: World, mac: string, interfaceKey: string): Numbered | null => {
  const shown = toShownMac(mac)
  return world.nest('dcim.macaddress', buildMacKey(mac, interfaceKey), () => ({
    fields: { display: shown, mac_address: shown, description: '' },
  }))
}
