/** The rules of fields as the design has them, written a second time for tests: which value a device has after a run. */

/** The fields with a single value. */
export const SINGLE = ['os', 'make_model', 'status'] as const
type Single = (typeof SINGLE)[number]

/** A machine as a source says it. An absent field is not known. */
export type Machine = Partial<Readonly<Record<Single, string>>> & {
  readonly tags?: readonly string[]
  /** Labels by IP address. */
  readonly addresses?: ReadonlyMap<string, string>
}

/** A device of the inventory, in a comparable form. */
export type Held = Readonly<Record<Single, string>> & {
  readonly id: string
  readonly key: string
  readonly owner: string
  readonly tags: ReadonlySet<string>
  readonly addresses: ReadonlyMap<string, string>
}

type Values = { readonly base: string | undefined; readonly now: string; readonly here: string }

const chooseValue = ({ base, now, here }: Values): string => {
  const isWritten = base === undefined ? here === '' : now !== base && here === base
  return isWritten ? now : here
}

const mergeTags = (base: readonly string[], now: readonly string[], here: ReadonlySet<string>): Set<string> => {
  const left = [...here].filter((tag) => !base.includes(tag) || now.includes(tag))
  return new Set([...left, ...now.filter((tag) => !base.includes(tag))])
}

const NONE: ReadonlyMap<string, string> = new Map()

const mergeAddresses = (
  base: Machine['addresses'] = NONE,
  now: Machine['addresses'] = NONE,
  here: Held['addresses'],
) => {
  const after = new Map<string, string>()
  for (const [ip, label] of here) {
    const said = now.get(ip)
    if (said !== undefined) after.set(ip, chooseValue({ base: base.get(ip), now: said, here: label }))
    else if (!base.has(ip)) after.set(ip, label)
  }
  for (const [ip, label] of now) if (!here.has(ip) && !base.has(ip)) after.set(ip, label)
  return after
}

/** @param base the machine as it was applied last; undefined for a link that is new */
export const mergeMachine = (base: Machine | undefined, now: Machine, here: Held): Held => {
  const singles = SINGLE.flatMap((field): [Single, string][] => {
    const said = now[field]
    return said === undefined ? [] : [[field, chooseValue({ base: base?.[field], now: said, here: here[field] })]]
  })
  return {
    ...{ ...here, ...Object.fromEntries(singles) },
    ...(now.tags && { tags: mergeTags(base?.tags ?? [], now.tags, here.tags) }),
    ...(now.addresses && { addresses: mergeAddresses(base?.addresses, now.addresses, here.addresses) }),
  }
}

const DECOMMISSIONED = 'decommissioned'

/** A source, the machines that it says, and what its runs have done so far. */
export class SourceModel {
  readonly said = new Map<string, Machine>()
  /** The keys of the last reading. */
  #read: ReadonlySet<string> = new Set()
  readonly #links = new Map<string, { readonly id: string; readonly base: Machine }>()

  constructor(
    readonly id: string,
    readonly whenGone: 'decommission' | 'delete',
  ) {}

  /** True if the source has said a machine that is linked: an empty answer is an error then. */
  get hasLinked(): boolean {
    return [...this.#links.keys()].some((key) => this.#read.has(key))
  }

  findLink(key: string): string | undefined {
    return this.#links.get(key)?.id
  }

  says(id: string): boolean {
    return [...this.#links].some(([key, link]) => link.id === id && this.#read.has(key))
  }

  /** Returns the inventory after a run that succeeds. The devices that it makes have the id ''. */
  run(now: ReadonlyMap<string, Machine>, here: readonly Held[], other: SourceModel): Held[] {
    this.#read = new Set(now.keys())
    const after = new Map(here.map((device) => [device.id, device]))
    const made: Held[] = []
    for (const [key, machine] of now) {
      const link = this.#links.get(key)
      const device = link ? after.get(link.id) : here.find((one) => one.key === key)
      if (device) {
        after.set(device.id, mergeMachine(link?.base, machine, device))
        this.#links.set(key, { id: device.id, base: machine })
      } else if (!link) made.push(this.#make(key, machine))
    }
    for (const [key, { id, base }] of this.#links) {
      if (now.has(key)) continue
      const device = after.get(id)
      if (!device) this.#links.delete(key)
      else if (other.says(id)) continue
      else if (this.whenGone === 'decommission' && device.status === (base.status ?? device.status)) {
        after.set(id, { ...device, status: DECOMMISSIONED })
        this.#links.set(key, { id, base: { ...base, status: DECOMMISSIONED } })
      } else if (this.whenGone === 'delete' && device.owner === `source:${this.id}`) {
        after.delete(id)
        this.#links.delete(key)
      }
    }
    return [...after.values(), ...made]
  }

  /** Forgets machines that are not said, and of which the device is deleted. */
  settle(here: readonly Held[]): void {
    for (const [key, { id }] of this.#links)
      if (!this.#read.has(key) && !here.some((one) => one.id === id)) this.#links.delete(key)
  }

  /** Notes the id of a device that a run has made. */
  noteMade({ key, id }: Held): void {
    const machine = this.said.get(key)
    if (machine) this.#links.set(key, { id, base: machine })
  }

  #make(key: string, machine: Machine): Held {
    const empty = { os: '', make_model: '', status: 'active', tags: new Set<string>(), addresses: NONE }
    const device = { ...empty, id: '', key, owner: `source:${this.id}` }
    return mergeMachine(undefined, machine, device)
  }
}
