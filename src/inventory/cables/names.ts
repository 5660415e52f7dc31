/** The names of the ends of cables. */
import type { EarlierDocuments } from '../../kernel/changes/change-record.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findNames as namesOfDevices } from '../devices/devices.ts'
import type { End } from '../ports/end.ts'
import * as store from './store.ts'

/** Ports with their names, by id. */
export type Names = ReadonlyMap<string, store.NamedPort>

export const findNames = (ctx: Ctx, ends: readonly store.StoredEnd[]): Promise<Names> =>
  store.findNamedPorts(
    ctx,
    ends.map(({ port_id }) => port_id),
  )

/** Names before the transaction are in these documents. */
type NamedDocument = { readonly name: string }
type PortDocument = NamedDocument & { readonly device_id: string; readonly pass_through: boolean }

/** Finds names like `namesOf`, before the transaction. The ports may be deleted by now, and their devices. */
export const findEarlierNames = async (
  ctx: Ctx,
  ends: readonly store.StoredEnd[],
  earlier: EarlierDocuments,
): Promise<Names> => {
  const ids = [...new Set(ends.map(({ port_id }) => port_id))]
  const [ports, devices] = [earlier('port'), earlier('device')]
  const present = await store.findNamedPorts(
    ctx,
    ids.filter((id) => ports.get(id) === undefined),
  )
  const changed = ids.flatMap((id) => {
    const json = ports.get(id)
    // The document of a port.
    return json === undefined ? [] : [{ id, ...(JSON.parse(json) as PortDocument) }]
  })
  const names = await namesOfDevices(
    ctx,
    changed.flatMap(({ device_id }) => (devices.get(device_id) === undefined ? device_id : [])),
  )
  const all = [
    ...present.values(),
    ...changed.map(({ id, name: port, pass_through, device_id }) => ({
      ...{ id, port, pass_through: Number(pass_through), device_id, device: names.get(device_id) ?? '' },
    })),
  ]
  return new Map(
    all.map((port) => {
      const json = devices.get(port.device_id)
      // The document of a device.
      return [port.id, json === undefined ? port : { ...port, device: (JSON.parse(json) as NamedDocument).name }]
    }),
  )
}

/** Returns an end with its names. */
export const toEnd = ({ port_id, side }: store.StoredEnd, names: Names): End => {
  const port = names.get(port_id)
  // No port is deleted before its cables.
  if (!port) throw new Error(`a cable has an end at no port: ${port_id}`)
  return { device_id: port.device_id, device: port.device, port_id, port: port.port, side }
}
