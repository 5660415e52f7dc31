/** The links that cables make between devices. A cable at a pass-through port of a panel leads on to the cable at its other side. */
import { OTHER_SIDE, type Side } from '../../inventory/ports/end.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** A connected cable between network ports, by the devices of its ends. */
export type CableRow = {
  readonly type: 'cable'
  readonly a: string
  readonly b: string
  readonly a_port: string
  readonly b_port: string
  readonly a_side: Side
  readonly b_side: Side
  /** 1 for an end at a pass-through port. */
  readonly a_panel: number
  readonly b_panel: number
}

export const selectCables = ({ db }: Ctx) =>
  db
    .selectFrom('cables as c')
    .innerJoin('ports as p', 'p.id', 'c.a_port_id')
    .innerJoin('ports as q', 'q.id', 'c.b_port_id')
    .where('c.status', '=', 'connected')
    .where('p.kind', '=', 'network')
    .select((eb) => [
      ...(['p.device_id as a', 'q.device_id as b', 'c.a_port_id as a_port', 'c.b_port_id as b_port'] as const),
      ...(['c.a_side', 'c.b_side', 'p.pass_through as a_panel', 'q.pass_through as b_panel'] as const),
      eb.val<'cable'>('cable').as('type'),
    ])

export type DeviceLink = readonly [a: string, b: string]

/** A side of a pass-through port. */
const buildKey = (port: string, side: Side): string => `${port} ${side}`
const buildOtherKey = (port: string, side: Side): string => buildKey(port, OTHER_SIDE[side])

/** Where a cable leads: to a device, or to the other side of a pass-through port. */
type Target = { readonly device: string } | { readonly next: string }

/** Joins the cables through panels. Memory grows with the cables at panels only. */
export class PanelPaths {
  /** Where the cable at a side of a pass-through port leads. */
  readonly #targets = new Map<string, Target>()
  /** The cables that begin at a device and lead to a panel. */
  readonly #starts: { readonly device: string; readonly next: string }[] = []

  /** Returns the devices that a cable links directly; undefined for a cable at a panel. */
  add({ a, b, a_port, b_port, a_side, b_side, a_panel, b_panel }: CableRow): DeviceLink | undefined {
    if (a_panel === 0 && b_panel === 0) return [a, b]
    const toA: Target = a_panel === 0 ? { device: a } : { next: buildOtherKey(a_port, a_side) }
    const toB: Target = b_panel === 0 ? { device: b } : { next: buildOtherKey(b_port, b_side) }
    if (a_panel === 1) this.#targets.set(buildKey(a_port, a_side), toB)
    else if ('next' in toB) this.#starts.push({ device: a, next: toB.next })
    if (b_panel === 1) this.#targets.set(buildKey(b_port, b_side), toA)
    else if ('next' in toA) this.#starts.push({ device: b, next: toA.next })
    return undefined
  }

  /** Yields the devices at both ends of each path, once from either end. A path ends: each side of a port has one cable. */
  *join(): Generator<DeviceLink> {
    for (const { device, next } of this.#starts) {
      let target = this.#targets.get(next)
      while (target && 'next' in target) target = this.#targets.get(target.next)
      if (target) yield [device, target.device]
    }
  }
}
