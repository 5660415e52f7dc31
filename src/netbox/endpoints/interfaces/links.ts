/** Reads the cables of interfaces: the other ends, and the ends of the paths through panels. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Trace } from '../../../inventory/cables/api.ts'
import * as cables from '../../../inventory/cables/store.ts'
import { tracePorts } from '../../../inventory/cables/trace.ts'
import type { Device } from '../../../inventory/devices/schema.ts'
import type { ShownCable, ShownInterface } from '../../world/nested-interfaces.ts'
import type { World } from '../../world/world.ts'
import type { InterfaceItem, Links } from './items.ts'

type Shown = Omit<ShownInterface, 'cable'>

/** Returns the interfaces with these ids that the caller sees, by id. */
export const readInterfaces = async ({ ctx }: World, ids: readonly string[]): Promise<Map<string, Shown>> => {
  const found = new Map<string, Shown>()
  for (const batch of splitBatches([...new Set(ids)])) {
    const rows = await ctx.db
      .selectFrom('ports')
      .innerJoin('devices', 'devices.id', 'ports.device_id')
      .select(['ports.id', 'ports.name', 'ports.description', 'devices.doc'])
      .where('ports.id', 'in', batch)
      .where('ports.kind', '=', 'network')
      .where('ports.pass_through', '=', 0)
      .execute()
    // The column holds the JSON of a device.
    for (const { id, doc, ...port } of rows) found.set(id, { key: id, ...port, device: JSON.parse(doc) as Device })
  }
  return found
}

type Cables = {
  readonly byId: ReadonlyMap<string, cables.StoredCable>
  /** The ids of the cables at the front of ports, by port. */
  readonly byPort: ReadonlyMap<string, string>
}

/** An interface has a front only. */
const readOwn = async ({ ctx }: World, portIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const ends = await cables.findEnds(ctx, [...new Set(portIds)])
  return new Map([...ends.values()].map(({ port_id, cable_id }) => [port_id, cable_id]))
}

const NONE: Links = {
  ...{ cable: undefined, end: null, peer: undefined, endpoint: undefined, isReachable: false, parentCable: undefined },
}

const toLinks = (
  { key, parent }: InterfaceItem,
  trace: Trace | undefined,
  { byId, byPort }: Cables,
  shown: ReadonlyMap<string, Shown>,
): Links => {
  const find = (id: string | undefined): ShownCable | undefined => (id === undefined ? undefined : byId.get(id))
  const parentCable = find(parent && byPort.get(parent.id))
  const cable = byId.get(byPort.get(key) ?? '')
  if (!cable || !trace) return parentCable ? { ...NONE, parentCable } : NONE
  const toEnd = (portId: string | undefined, cableId: string | undefined): ShownInterface | undefined => {
    const one = shown.get(portId ?? '')
    return one && { ...one, cable: find(cableId) }
  }
  const endpoint = toEnd(trace.ends[1]?.port_id, trace.hops.at(-1)?.cable.id)
  const isActive = trace.hops.every((hop) => hop.cable.status === 'connected')
  return {
    cable,
    end: cable.a.port_id === key ? 'A' : 'B',
    peer: toEnd(trace.hops[0]?.to.port_id, cable.id),
    endpoint,
    isReachable: endpoint !== undefined && isActive,
    parentCable,
  }
}

/** Returns the items with their links, with few queries for all of them. */
export const loadLinks = async (world: World, items: readonly InterfaceItem[]): Promise<InterfaceItem[]> => {
  const ids = items.flatMap(({ port, parent }) => [port?.id ?? [], parent?.id ?? []].flat())
  const byPort = await readOwn(world, ids)
  const cabled = items.flatMap(({ port }) => (port && byPort.has(port.id) ? [port.id] : []))
  const traces = cabled.length === 0 ? [] : await tracePorts(world.ctx, cabled)
  const byId = await cables.findAll(world.ctx, [
    ...new Set([...byPort.values(), ...traces.flatMap(({ hops }) => hops.map(({ cable }) => cable.id))]),
  ])
  const others = traces.flatMap(({ hops, ends }) => [hops[0]?.to.port_id ?? [], ends[1]?.port_id ?? []].flat())
  const shown = await readInterfaces(world, others)
  const byStart = new Map(cabled.map((id, at) => [id, traces[at]]))
  return items.map((item) => ({ ...item, links: toLinks(item, byStart.get(item.key), { byId, byPort }, shown) }))
}
