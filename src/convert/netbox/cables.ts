/** Cables between ports, and the relationships of the devices that they connect. */
import type { EstateRow } from '../converter.ts'
import { compact, MAX_PORT_TYPE, trimText } from '../rows/row-text.ts'
import { leaveTimes, listLines, type Mapping, markDone, toRefs } from './mapping.ts'
import type { CableEnds, Target } from './model.ts'
import type { MadeEnd, MadePort, Ports } from './ports.ts'
import { type NetboxObject, parseNumber } from './read/objects.ts'

const CABLE = 'dcim.cable'

const METRES: Readonly<Record<string, number>> = {
  ...{ km: 1000, m: 1, cm: 0.01, mm: 0.001 },
  ...{ mi: 1609.344, ft: 0.3048, in: 0.0254 },
}
const MAX_METRES = 1_000_000

const STATUS: Readonly<Record<string, string>> = { planned: 'planned', decommissioning: 'decommissioned' }

const USED = new Set(
  (
    'type status label color length length_unit description a_terminations b_terminations termination_a_type ' +
    'termination_a_id termination_b_type termination_b_id'
  ).split(' '),
)

type Pair = { readonly a: MadeEnd; readonly b: MadeEnd }

/** Returns the length of a cable in meters, if it is known. */
const parseLength = ({ length, length_unit }: NetboxObject): number | undefined => {
  const metres = (parseNumber(length) ?? Number.NaN) * (METRES[String(length_unit ?? 'm')] ?? Number.NaN)
  return metres >= 0 && metres <= MAX_METRES ? Math.round(metres * 10_000) / 10_000 : undefined
}

const isPassThrough = ({ row }: MadePort): boolean => row.pass_through === true

const zip = (a: readonly MadeEnd[], b: readonly MadeEnd[]): Pair[] =>
  a.flatMap((end, at) => {
    const other = b[at]
    return other ? [{ a: end, b: other }] : []
  })

type CablesContext = Mapping & { readonly ports: Ports }

export class Cables {
  readonly rows: EstateRow[] = []
  readonly #context: CablesContext
  readonly #taken = new Set<string>()
  readonly #done = new Set<number>()

  constructor(context: CablesContext, cables: ReadonlyMap<number, CableEnds>) {
    this.#context = context
    const pairs = [...cables].map(([id, ends]) => ({ id, pairs: this.#pairsOf(id, ends) }))
    spreadKinds(pairs.flatMap((one) => one.pairs))
    for (const one of pairs) this.#add(one.id, one.pairs)
    for (const end of context.model.of('dcim.cabletermination'))
      if (this.#done.has(Number(end.cable))) {
        markDone(context, 'dcim.cabletermination', end)
        leaveTimes(context, 'dcim.cabletermination', end)
      }
  }

  /** Connects the ends of one side with the ends of the other: each with the one at its position, or a single one with parts. */
  #pairsOf(id: number, { a, b }: CableEnds): Pair[] {
    const ends = (targets: readonly Target[]) => targets.map((target) => this.#context.ports.endsOf(target))
    const [as, bs] = [ends(a), ends(b)]
    if (as.length === bs.length) return as.flatMap((side, at) => zip(side, bs[at] ?? []))
    const splitEnd = (whole: MadeEnd, count: number): MadeEnd[] =>
      Array.from({ length: count }, (_, at) => ({
        port: this.#context.ports.addPart(
          whole.port,
          at + 1,
          `${whole.port.ref.ref.split('.').at(-1)}.${id}.${at + 1}`,
        ),
        side: 'front' as const,
      }))
    const [one, several] = as.length === 1 ? [as.flat(), bs.flat()] : [bs.flat(), as.flat()]
    const [whole] = one
    const isBreakout = (as.length === 1 || bs.length === 1) && one.length === 1 && several.length > 1
    if (!whole || !isBreakout || isPassThrough(whole.port)) return zip(as.flat(), bs.flat())
    const split = splitEnd(whole, several.length)
    return as.length === 1 ? zip(split, several) : zip(several, split)
  }

  #add(id: number, pairs: readonly Pair[]): void {
    const object = this.#context.model.find(CABLE, id)
    if (!object || pairs.length === 0) return
    const free = pairs.filter((pair) => this.#claim(pair))
    for (const [at, pair] of free.entries()) this.rows.push(this.#rowOf(object, pair, at))
    if (free.length < pairs.length || free.length === 0) return
    markDone(this.#context, CABLE, object)
    this.#done.add(id)
  }

  /** No side of a port has two cables, and the kinds of both ports are the same. */
  #claim({ a, b }: Pair): boolean {
    const keys = [a, b].map(({ port, side }) => `${port.ref.ref} ${side}`)
    if (keys[0] === keys[1] || keys.some((key) => this.#taken.has(key)) || getPortKind(a.port) !== getPortKind(b.port))
      return false
    for (const key of keys) this.#taken.add(key)
    return true
  }

  #rowOf(object: NetboxObject, { a, b }: Pair, at: number): EstateRow {
    const { report, custom } = this.#context
    const { id, type, status = 'connected', label, color, description, length } = object
    const text = (field: string, value: unknown) =>
      value === undefined ? '' : trimText(report, { what: `${CABLE}.${field}`, id }, String(value), MAX_PORT_TYPE)
    const metres = parseLength(object)
    const mapped = STATUS[String(status)] ?? 'connected'
    const values = at === 0 ? object : removeTimes(object)
    return compact({
      a: toEnd(a),
      b: toEnd(b),
      type: text('type', type),
      label: text('label', label),
      color: text('color', color),
      length_m: metres,
      status: mapped === 'connected' ? '' : mapped,
      description: report.describe(CABLE, id, String(description ?? ''), [
        ...listLines(this.#context, { kind: CABLE, object: values, used: USED }),
        ...(metres === undefined && length !== undefined
          ? [{ key: 'length', value: `${length} ${object.length_unit ?? ''}` }]
          : []),
      ]),
      custom: custom.of(CABLE, object),
      refs: toRefs(CABLE, at === 0 ? id : `${id}.${at + 1}`),
    })
  }
}

const removeTimes = ({ created: _, last_updated: __, ...object }: NetboxObject): NetboxObject => ({
  ...object,
  id: object.id,
})

const getPortKind = ({ row }: MadePort): unknown => row.kind ?? 'network'

const toEnd = ({ port, side }: MadeEnd) => ({ port_id: port.ref.ref, ...(side === 'rear' && { side }) })

/** Gives the ports of panels the kind of the ports that they connect. */
const spreadKinds = (pairs: readonly Pair[]): void => {
  const neighbours = new Map<MadePort['row'], MadePort[]>()
  const link = (from: MadePort, to: MadePort) => {
    const known = neighbours.get(from.row)
    if (known) known.push(to)
    else neighbours.set(from.row, [to])
  }
  for (const { a, b } of pairs) {
    link(a.port, b.port)
    link(b.port, a.port)
  }
  const open = [...neighbours.keys()].filter((row) => row.kind !== undefined)
  for (let row = open.pop(); row; row = open.pop())
    for (const port of neighbours.get(row) ?? []) {
      if (!isPassThrough(port) || port.row.kind !== undefined) continue
      port.row.kind = row.kind
      open.push(port.row)
    }
}
