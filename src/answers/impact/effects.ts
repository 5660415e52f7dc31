/** Finds the devices that stop or are cut off when others fail. A pure function of the graph. */
import type { Breathe } from '../../base/runtime/pause.ts'
import { CUT_OFF, createSteps, FAILED, type Graph, NONE, STOPPING, STOPS, type Types } from './graph.ts'

export type Seeds = {
  /** The named devices. */
  readonly failed: readonly number[]
  /** The devices that have lost their network. */
  readonly cutOff: readonly number[]
}

/** Returns the number of the part that goes on: strictly the largest, of two devices or more. Otherwise -1. */
const findLargest = (bounds: readonly number[]): number => {
  let [most, largest] = [1, -1]
  for (let part = 0; part + 1 < bounds.length; part++) {
    const size = (bounds[part + 1] ?? 0) - (bounds[part] ?? 0)
    if (size > most) [most, largest] = [size, part]
    else if (size === most) largest = -1
  }
  return largest
}

/** Walks the links of one component at a time. */
class Components {
  /** The component of each device, as it was before; -1 until it is asked for. */
  readonly #of: Int32Array
  readonly #members: Int32Array
  /** Where each component begins in `members`. The last one is the end. */
  readonly #starts: number[] = [0]
  /** The parts that are left of a component, one after the other. */
  readonly #walked: Int32Array
  readonly #round: Int32Array
  #rounds = 0

  constructor(
    private readonly graph: Graph,
    private readonly isPresent: Uint8Array,
    private readonly step: Breathe,
  ) {
    const nodes = graph.ids.length
    this.#of = new Int32Array(nodes).fill(-1)
    this.#members = new Int32Array(nodes)
    this.#walked = new Int32Array(nodes)
    this.#round = new Int32Array(nodes)
  }

  /** Returns the number of the component that a device was in. */
  async find(node: number): Promise<number> {
    const known = this.#of[node] ?? -1
    if (known !== -1) return known
    const found = this.#starts.length - 1
    const { starts, ends } = this.graph.next.connected_to
    let tail = this.#starts[found] ?? 0
    const add = (one: number) => {
      this.#of[one] = found
      this.#members[tail++] = one
    }
    let head = tail
    add(node)
    for (; head < tail; head++) {
      const v = this.#members[head] ?? 0
      for (let at = starts[v] ?? 0; at < (starts[v + 1] ?? 0); at++) {
        const w = ends[at] ?? 0
        if (this.#of[w] === -1 && this.isPresent[w] === 1) add(w)
      }
      const turn = this.step()
      if (turn) await turn
    }
    this.#starts.push(tail)
    return found
  }

  /** Returns the devices of a component outside of the part that goes on. They are valid until the next call. */
  async findCutOff(component: number, effects: Uint8Array): Promise<readonly Int32Array[]> {
    const round = ++this.#rounds
    const { starts, ends } = this.graph.next.connected_to
    const isLeft = (v: number): boolean => this.isPresent[v] === 1 && effects[v] !== FAILED && effects[v] !== STOPS
    const bounds = [0]
    let tail = 0
    const add = (one: number) => {
      this.#round[one] = round
      this.#walked[tail++] = one
    }
    for (let at = this.#starts[component] ?? 0; at < (this.#starts[component + 1] ?? 0); at++) {
      const first = this.#members[at] ?? 0
      const turn = this.step()
      if (turn) await turn
      if (this.#round[first] === round || !isLeft(first)) continue
      let head = tail
      add(first)
      for (; head < tail; head++) {
        const v = this.#walked[head] ?? 0
        for (let next = starts[v] ?? 0; next < (starts[v + 1] ?? 0); next++) {
          const w = ends[next] ?? 0
          if (this.#round[w] !== round && isLeft(w)) add(w)
        }
        const again = this.step()
        if (again) await again
      }
      bounds.push(tail)
    }
    const largest = findLargest(bounds)
    const [begin = tail, end = tail] = largest === -1 ? [] : bounds.slice(largest, largest + 2)
    return [this.#walked.subarray(0, begin), this.#walked.subarray(end, tail)]
  }
}

/**
 * Returns the effect on each device. Two rules are repeated until neither adds a device. The children of an affected device by `contains`
 * and its parents by `depends_on` stop. If links are lost, the devices outside of the largest remaining part are cut off.
 */
export const computeEffects = async (
  graph: Graph,
  { failed, cutOff, types }: Seeds & { readonly types: Types },
  breathe: Breathe,
): Promise<Uint8Array> => {
  const nodes = graph.ids.length
  const step = createSteps(breathe)
  const effects = new Uint8Array(nodes)
  const isPresent = graph.isRetired.map((isRetired) => 1 - isRetired)
  const queue = new Int32Array(nodes)
  let tail = 0
  const add = (node: number, effect: number) => {
    effects[node] = effect
    queue[tail++] = node
  }
  for (const node of failed) {
    if (effects[node] === NONE) add(node, FAILED)
    isPresent[node] = 1
  }
  for (const node of cutOff) if (effects[node] === NONE) add(node, CUT_OFF)
  const components = new Components(graph, isPresent, step)
  const stopping = STOPPING.filter((type) => types.has(type)).map((type) => graph.next[type])
  for (let head = 0; head < tail; ) {
    const damaged = new Set<number>()
    for (; head < tail; head++) {
      const v = queue[head] ?? 0
      if (types.has('connected_to') && effects[v] !== CUT_OFF) damaged.add(await components.find(v))
      for (const { starts, ends } of stopping)
        for (let at = starts[v] ?? 0; at < (starts[v + 1] ?? 0); at++) {
          const w = ends[at] ?? 0
          if (effects[w] === NONE && isPresent[w] === 1) add(w, STOPS)
        }
      const turn = step()
      if (turn) await turn
    }
    for (const component of damaged)
      for (const some of await components.findCutOff(component, effects))
        for (const node of some) if (effects[node] === NONE) add(node, CUT_OFF)
  }
  return effects
}
