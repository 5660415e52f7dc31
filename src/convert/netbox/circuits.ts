/** The ends of circuits, and the devices that stand for circuits with cables. */
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { type Mapping, type PlaceTree, toRefs, toText } from './mapping.ts'
import type { CableEnds, NetboxModel, Target } from './model.ts'
import { toPlaceRef } from './places.ts'
import type { NetboxObject } from './read/objects.ts'

export const CIRCUIT = 'circuits.circuit'
export const TERMINATION = 'circuits.circuittermination'
const PROVIDER = 'circuits.provider'

export type CircuitSide = 'A' | 'Z'
/** The ends of a circuit. */
export type CircuitEnds = Partial<Record<CircuitSide, NetboxObject>>

export class Circuits {
  readonly #ends = new Map<number, CircuitEnds>()
  readonly #cabled = new Set<number>()
  readonly #model: NetboxModel

  constructor(model: NetboxModel, cables: ReadonlyMap<number, CableEnds>) {
    this.#model = model
    for (const object of model.of(TERMINATION)) {
      const { circuit, term_side: side } = object
      if (typeof circuit !== 'number' || !model.isListed(CIRCUIT, circuit)) continue
      const ends = this.#ends.get(circuit) ?? {}
      this.#ends.set(circuit, ends)
      if (side === 'A' || side === 'Z') ends[side] ??= object
    }
    for (const { a, b } of cables.values())
      for (const { kind, id } of [...a, ...b]) {
        const circuit = kind === TERMINATION ? model.find(TERMINATION, id)?.circuit : undefined
        if (typeof circuit === 'number' && this.#ends.has(circuit)) this.#cabled.add(circuit)
      }
  }

  endsOf(circuit: number): CircuitEnds {
    return this.#ends.get(circuit) ?? {}
  }

  /** Circuits with a cable, by ascending id. */
  get cabled(): readonly NetboxObject[] {
    return this.#model.of(CIRCUIT).filter(({ id }) => this.#cabled.has(id))
  }

  isCabled(circuit: number): boolean {
    return this.#cabled.has(circuit)
  }
}

/** Returns what an end of a circuit is at: a place, or the network of a provider. Before 4.2 these are two fields. */
export const findEndTarget = (model: NetboxModel, end: NetboxObject): Target | undefined => {
  const target = model.target(end, 'termination')
  if (target) return target
  const { site, provider_network: network } = end
  if (typeof site === 'number') return { kind: 'dcim.site', id: site }
  return typeof network === 'number' ? { kind: 'circuits.providernetwork', id: network } : undefined
}

const STATUS: Readonly<Record<string, string>> = {
  planned: 'planned',
  provisioning: 'planned',
  offline: 'maintenance',
  deprovisioning: 'decommissioned',
  decommissioned: 'decommissioned',
}

/** Returns the only place of the ends of a circuit. */
const findOnlyPlace = (model: NetboxModel, places: PlaceTree, { A, Z }: CircuitEnds): Target | undefined => {
  const found = [A, Z].flatMap((end) => {
    const target = end && findEndTarget(model, end)
    return target && places.has(target) ? [target] : []
  })
  const [first, second] = found
  return second === undefined || (first?.kind === second.kind && first.id === second.id) ? first : undefined
}

/** Returns the devices of the circuits with cables, through which the ports at both ends are connected. */
export const buildCircuitDevices = (mapping: Mapping, circuits: Circuits): EstateRow[] =>
  circuits.cabled.map(({ id, cid, provider, status }) => {
    const { model, places } = mapping
    const maker = provider === undefined ? '' : model.label(PROVIDER, provider)
    return compact({
      name: toText(mapping, { kind: CIRCUIT, id, field: 'cid' }, `${maker} ${cid ?? `#${id}`}`),
      role: 'circuit',
      status: STATUS[String(status)] ?? 'active',
      datacenter: toPlaceRef(findOnlyPlace(model, places, circuits.endsOf(id))),
      refs: toRefs(CIRCUIT, id),
    })
  })
