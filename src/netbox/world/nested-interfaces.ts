/** The nested forms of interfaces and cables. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { isMachine, nestDevice, type ShownDevice, toDescription } from './nested.ts'
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
export const nestCable = (world: World, { id, label, description }: ShownCable): Numbered | null =>
  world.nest('dcim.cable', id, () => ({
    fields: {
      display: label || new NumberField('dcim.cable', id, (number) => `#${number}`),
      label,
      description: toDescription(description),
    },
  }))

/** Returns the kind of the interfaces of a device. */
export const toInterfaceKind = (device: Pick<ShownDevice, 'tags'>) =>
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
