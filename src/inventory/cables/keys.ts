/** The natural key of a cable: its two ends, each by device and name of the port, or by the id of the port. */

import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Side } from '../ports/end.ts'
import * as ports from '../ports/store.ts'
import type { CableDraft, EndInput } from './api.ts'
import * as store from './store.ts'

/** The device is '' where the second text is the id of a port. */
type EndKey = readonly [device: string, port: string, side: Side]

const toEndKey = ({ port_id, device_id = '', port = '', side }: EndInput): EndKey =>
  port_id === undefined ? [device_id, toNameKey(port.trim()), side] : ['', port_id, side]

const byText = (a: EndKey, b: EndKey): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** Returns the same text whichever end is `a`. */
export const buildNaturalKey = ({ a, b }: Pick<CableDraft, 'a' | 'b'>): string =>
  JSON.stringify([toEndKey(a), toEndKey(b)].sort(byText))

/** Reads a text of `buildNaturalKey`. */
const parseNaturalKey = (key: string): readonly EndKey[] => JSON.parse(key) as readonly EndKey[]

/** Returns the ids of the cables between these ends, by key. */
export const findIdsByKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Map<string, string>> => {
  const ends = keys.map(parseNaturalKey)
  const places = ends.flat().flatMap(([device_id, name]) => (device_id === '' ? [] : [{ device_id, name }]))
  const known = await ports.findByNames(ctx, places)
  const getPortId = ([device_id, name]: EndKey): string | undefined =>
    device_id === '' ? name : known.get(ports.buildNaturalKey({ device_id, name }))?.id
  const cabled = await store.findEnds(
    ctx,
    ends.flat().flatMap((end) => getPortId(end) ?? []),
  )
  const found = new Map<string, string>()
  for (const [i, key] of keys.entries()) {
    const [a, b] = (ends[i] ?? []).map((end) => {
      const port_id = getPortId(end)
      return port_id === undefined ? undefined : cabled.get(store.endKey({ port_id, side: end[2] }))
    })
    if (a && a.cable_id === b?.cable_id) found.set(key, a.cable_id)
  }
  return found
}
