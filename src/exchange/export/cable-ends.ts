/** The ends of cables in an exported document: by device and name of the port. */

import type { Port } from '../../inventory/ports/api.ts'
import * as ports from '../../inventory/ports/ports.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document } from '../../record/history/kinds.ts'
import { canList } from './names.ts'

/** An end in a stored document. */
type StoredEnd = { readonly port_id: string; readonly side: string }

const getEnds = ({ a, b }: Document): readonly StoredEnd[] =>
  // The documents of cables.
  [a, b] as readonly StoredEnd[]

/**
 * Returns the documents of cables with the devices and the names of their ports in place of ids, by id. A port that the caller may not list
 * keeps its id.
 */
export const withPlaces = async (ctx: Ctx, cables: ReadonlyMap<string, Document>): Promise<Map<string, Document>> => {
  const known = canList(ctx, 'ports')
    ? await ports.findAll(
        ctx,
        [...cables.values()].flatMap((cable) => getEnds(cable).map(({ port_id }) => port_id)),
      )
    : new Map<string, never>()
  const toNamedEnd = ({ port_id, side }: StoredEnd): Document => {
    const port: Pick<Port, 'device_id' | 'name'> | undefined = known.get(port_id)
    const at = port ? { device_id: port.device_id, port: port.name } : { port_id }
    // An absent side is the front.
    return { ...at, ...(side !== 'front' && { side }) }
  }
  return new Map(
    [...cables].map(([id, cable]) => {
      const [a, b] = getEnds(cable).map(toNamedEnd)
      return [id, { ...cable, a, b }]
    }),
  )
}
