/** Which front ports of a panel lead to which rear port: fields before 4.5, separate objects since. */
import { isRecord } from '../../contract/unknown.ts'
import type { NetboxModel } from './model.ts'
import { listIn, type NetboxObject, parseNumber } from './read/objects.ts'

/** The kinds of a panel's ports, and of the ports of a device type. */
export type PanelKinds = { readonly front: string; readonly rear: string; readonly mapping: string }
export const PANEL: PanelKinds = { front: 'dcim.frontport', rear: 'dcim.rearport', mapping: 'dcim.portmapping' }
export const PANEL_TEMPLATE: PanelKinds = {
  front: 'dcim.frontporttemplate',
  rear: 'dcim.rearporttemplate',
  mapping: 'dcim.porttemplatemapping',
}

type Link = { readonly front: number; readonly rear: number; readonly position: number }

const toLinks = (front: number, rear: unknown, position: unknown): Link[] =>
  typeof rear === 'number' ? [{ front, rear, position: parseNumber(position) ?? 1 }] : []

/** In the API, since 4.5. */
const listLinks = ({ id, rear_ports }: NetboxObject): Link[] =>
  Array.isArray(rear_ports)
    ? rear_ports.flatMap((one: unknown) =>
        isRecord(one) ? toLinks(id, one.rear_port, one.rear_port_position ?? one.position) : [],
      )
    : []

export class Panels {
  readonly #frontsOf = new Map<number, Link[]>()
  readonly #rearOf = new Map<number, number>()

  constructor(model: NetboxModel, { front, rear, mapping }: PanelKinds) {
    const links: Link[] = []
    for (const object of model.of(front))
      links.push(...toLinks(object.id, object.rear_port, object.rear_port_position), ...listLinks(object))
    for (const { front_port, rear_port, rear_port_position } of model.of(mapping))
      if (typeof front_port === 'number') links.push(...toLinks(front_port, rear_port, rear_port_position))
    for (const link of links) {
      // A front port of several positions leads to the rear port of its first one.
      if (this.#rearOf.has(link.front) || !model.isListed(front, link.front) || !model.isListed(rear, link.rear))
        continue
      this.#rearOf.set(link.front, link.rear)
      listIn(this.#frontsOf, link.rear).push(link)
    }
    for (const list of this.#frontsOf.values()) list.sort((a, b) => a.position - b.position || a.front - b.front)
  }

  /** Returns the front ports of a rear port, by position. */
  frontsOf(rear: number): readonly number[] {
    return (this.#frontsOf.get(rear) ?? []).map(({ front }) => front)
  }

  /** Returns the rear port if the front port has its first position. */
  mainRearOf(front: number): number | undefined {
    const rear = this.#rearOf.get(front)
    return rear !== undefined && this.#frontsOf.get(rear)?.[0]?.front === front ? rear : undefined
  }

  rearOf(front: number): number | undefined {
    return this.#rearOf.get(front)
  }
}
