/**
 * Follows cables from ports through pass-through ports. All walks take a step together, so that the number of queries is that of the
 * longest path.
 */

import { notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { assertDeviceExists } from '../devices/devices.ts'
import { OTHER_SIDE } from '../ports/end.ts'
import * as ports from '../ports/store.ts'
import type { DevicePath, Hop, Trace } from './api.ts'
import { type Names, toEnd } from './names.ts'
import * as store from './store.ts'

type Step = { readonly cable_id: string; readonly from: store.StoredEnd; readonly to: store.StoredEnd }

/** A walk out of one side of a port. */
type Walk = {
  readonly start: store.StoredEnd
  readonly steps: Step[]
  /** The side that it leaves next, or the open side at which it ended. */
  at: store.StoredEnd
  state: 'walking' | 'ended' | 'loop'
}

const isSameEnd = (one: store.StoredEnd, other: store.StoredEnd): boolean => store.endKey(one) === store.endKey(other)

const walkFrom = (start: store.StoredEnd): Walk => ({ start, steps: [], at: start, state: 'walking' })

/** Moves a walk along a cable. A port that is no pass-through port ends it. */
const move = (walk: Walk, step: Step, isPassThrough: boolean): void => {
  const { to } = step
  walk.steps.push(step)
  walk.at = isPassThrough ? { port_id: to.port_id, side: OTHER_SIDE[to.side] } : to
  if (!isPassThrough) walk.state = 'ended'
  // Each side has one cable: a walk that meets itself does so at its start.
  else if (isSameEnd(walk.at, walk.start)) walk.state = 'loop'
}

/** Walks to the ends of all paths. Reads the names of the ports on the way. */
const walkAll = async (ctx: Ctx, walks: readonly Walk[], names: Map<string, store.NamedPort>): Promise<void> => {
  for (;;) {
    const walking = walks.filter(({ state }) => state === 'walking')
    if (walking.length === 0) return
    const ends = await store.findEnds(
      ctx,
      walking.map(({ at }) => at.port_id),
    )
    const next = [...ends.values()].map(({ other_port_id }) => other_port_id)
    const unknown = next.filter((id) => !names.has(id))
    for (const [id, port] of await store.findNamedPorts(ctx, unknown)) names.set(id, port)
    for (const walk of walking) {
      const { at } = walk
      const end = ends.get(store.endKey(at))
      if (!end) walk.state = 'ended'
      else {
        const to = { port_id: end.other_port_id, side: end.other_side }
        move(walk, { cable_id: end.cable_id, from: at, to }, names.get(to.port_id)?.pass_through === 1)
      }
    }
  }
}

const toReversedSteps = (steps: readonly Step[]): Step[] =>
  steps.map(({ cable_id, from, to }) => ({ cable_id, from: to, to: from })).reverse()

type Path = {
  readonly steps: readonly Step[]
  readonly ends: readonly store.StoredEnd[]
  readonly isLoop: boolean
}

/** Joins the walks out of both sides of a port: from the end of the front walk to the end of the rear walk. */
const joinWalks = (front: Walk, rear: Walk | undefined): Path => {
  if (front.state === 'loop') return { steps: front.steps, ends: [], isLoop: true }
  if (rear) return { steps: [...toReversedSteps(front.steps), ...rear.steps], ends: [front.at, rear.at], isLoop: false }
  const isOpen = front.steps.length === 0
  return { steps: front.steps, ends: isOpen ? [front.start] : [front.start, front.at], isLoop: false }
}

type Cables = ReadonlyMap<string, store.StoredCable>

const sumLengths = (lengths: readonly (number | null)[]): number | null => {
  const known = lengths.filter((length) => length !== null)
  // Sums of decimal fractions have errors far behind the point.
  return known.length === 0 ? null : Number(known.reduce((sum, length) => sum + length, 0).toFixed(6))
}

const toTrace = ({ steps, ends, isLoop }: Path, cables: Cables, names: Names): Trace => {
  const hops = steps.map(({ cable_id, from, to }): Hop => {
    const cable = cables.get(cable_id)
    if (!cable) throw new Error(`an end of a cable that is not there: ${cable_id}`)
    const { id, label, type, status, length_m } = cable
    return { cable: { id, label, type, status, length_m }, from: toEnd(from, names), to: toEnd(to, names) }
  })
  return {
    hops,
    ends: ends.map((end) => toEnd(end, names)),
    length_m: sumLengths(hops.map(({ cable }) => cable.length_m)),
    is_loop: isLoop,
  }
}

/** Returns the paths of ports, in their order. */
export const tracePorts = async (ctx: Ctx, ids: readonly string[]): Promise<Trace[]> => {
  const names = await store.findNamedPorts(ctx, ids)
  const walks = ids.map((port_id) => ({
    front: walkFrom({ port_id, side: 'front' }),
    rear: names.get(port_id)?.pass_through === 1 ? walkFrom({ port_id, side: 'rear' }) : undefined,
  }))
  await walkAll(
    ctx,
    walks.flatMap(({ front, rear }) => (rear ? [front, rear] : [front])),
    names,
  )
  const paths = walks.map(({ front, rear }) => joinWalks(front, rear))
  const cables = await store.findAll(
    ctx,
    paths.flatMap(({ steps }) => steps.map(({ cable_id }) => cable_id)),
  )
  return paths.map((path) => toTrace(path, cables, names))
}

/** @throws AppError NOT_FOUND */
export const traceFrom = async (ctx: Ctx, id: string): Promise<Trace> => {
  if (!(await ports.find(ctx.unscoped, id))) throw notFound('port', id)
  const [trace] = await tracePorts(ctx, [id])
  if (!trace) throw new Error('one port has one path')
  return trace
}

/** Returns a test for the ports of a device that the context shows. */
const loadPortFilter = async (ctx: Ctx, deviceId: string): Promise<(portId: string) => boolean> => {
  const shown = new Set((await ports.findOfDevices(ctx, [deviceId])).map(({ id }) => id))
  return (portId) => shown.has(portId)
}

type Asked = { readonly id: string; readonly limit?: number | undefined; readonly offset?: number | undefined }

/** Returns the paths of the cabled ports of a device, by name. @throws AppError NOT_FOUND */
export const traceDevice = async (ctx: Ctx, { id, limit, offset = 0 }: Asked): Promise<JsonList<DevicePath>> => {
  const { unscoped } = ctx
  await assertDeviceExists(unscoped, id)
  const revision = await ctx.store.revision(['cables', 'cable_ends', 'ports', 'devices'])
  const all = await ports.findOfDevices(unscoped, [id])
  const ends = await store.findEnds(
    ctx,
    all.map((port) => port.id),
  )
  const cabled = new Set([...ends.values()].map(({ port_id }) => port_id))
  const page = all.filter((port) => cabled.has(port.id))
  async function* rows(): AsyncGenerator<string[]> {
    const wanted = page.slice(offset, limit === undefined ? undefined : offset + limit)
    const traces = await tracePorts(
      ctx,
      wanted.map((port) => port.id),
    )
    const isShown = unscoped === ctx ? () => true : await loadPortFilter(ctx, id)
    yield wanted.flatMap(({ id: port_id, name }, i) =>
      JSON.stringify({ port_id, port: isShown(port_id) ? name : '', ...traces[i] }),
    )
  }
  return new JsonList<DevicePath>({ revision, total: async () => page.length, rows })
}
