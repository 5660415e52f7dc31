/** The ends of cables in an exported document: by device and name of the port. */
import type { Ctx } from '../../ctx.ts'
import type { Document } from '../../history/kinds.ts'
import * as ports from '../../ports/ports.ts'

/** An end in a stored document. */
type StoredEnd = { readonly port_id: string; readonly side: string }

const endsOf = ({ a, b }: Document): readonly StoredEnd[] =>
  // The documents of cables.
  [a, b] as readonly StoredEnd[]

/** Returns the documents of cables with the devices and the names of their ports in place of ids, by id. */
export const withPlaces = async (ctx: Ctx, cables: ReadonlyMap<string, Document>): Promise<Map<string, Document>> => {
  const known = await ports.findAll(
    ctx,
    [...cables.values()].flatMap((cable) => endsOf(cable).map(({ port_id }) => port_id)),
  )
  const placeOf = ({ port_id, side }: StoredEnd): Document => {
    const port = known.get(port_id)
    // An absent side is the front.
    return { device_id: port?.device_id, port: port?.name, ...(side !== 'front' && { side }) }
  }
  return new Map(
    [...cables].map(([id, cable]) => {
      const [a, b] = endsOf(cable).map(placeOf)
      return [id, { ...cable, a, b }]
    }),
  )
}
