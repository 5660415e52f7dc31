/** The names of the ends of cables. */
import type { Ctx } from '../ctx.ts'
import type { End } from '../ports/end.ts'
import * as store from './store.ts'

/** Ports with their names, by id. */
export type Names = ReadonlyMap<string, store.NamedPort>

export const findNames = (ctx: Ctx, ends: readonly store.StoredEnd[]): Promise<Names> =>
  store.findNamedPorts(
    ctx,
    ends.map(({ port_id }) => port_id),
  )

/** Returns an end with its names. */
export const toEnd = ({ port_id, side }: store.StoredEnd, names: Names): End => {
  const port = names.get(port_id)
  // No port is deleted before its cables.
  if (!port) throw new Error(`a cable has an end at no port: ${port_id}`)
  return { device_id: port.device_id, device: port.device, port_id, port: port.port, side }
}
