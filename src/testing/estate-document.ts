/** Checks that an estate document is sound: each row fits the schema of a create, and each reference leads to a row. */
import type { z } from 'zod'
import { DatacenterDraft } from '../features/datacenters/api.ts'
import { DeviceDraft } from '../features/devices/api.ts'
import type { EstateDocument, EstateRow } from '../features/estate/convert/converter.ts'
import { INVENTORY, type Resource } from '../features/inventory.ts'
import { NetworkDraft } from '../features/networks/api.ts'
import { PoolDraft } from '../features/pools/api.ts'
import { RelationshipDraft } from '../features/relationships/api.ts'
import { ReservationDraft } from '../features/reservations/api.ts'
import { SpaceDraft } from '../features/spaces/api.ts'
import { VlanDraft } from '../features/vlans/api.ts'
import { cidrHolds, parseCidr } from '../net/cidr.ts'
import { compareIp, parseIp } from '../net/ip.ts'

/** Resources that converters make. */
const SCHEMAS: Readonly<Partial<Record<Resource, z.ZodObject>>> = {
  spaces: SpaceDraft,
  datacenters: DatacenterDraft,
  vlans: VlanDraft,
  networks: NetworkDraft,
  pools: PoolDraft,
  devices: DeviceDraft,
  relationships: RelationshipDraft,
  reservations: ReservationDraft,
}

/** Names of references, the field of a create that stands for each, and the list that has its row. */
const REFERENCES: Readonly<Record<string, { readonly field: string; readonly list: Resource }>> = {
  space: { field: 'space_id', list: 'spaces' },
  datacenter: { field: 'datacenter_id', list: 'datacenters' },
  network: { field: 'network_id', list: 'networks' },
  pool: { field: 'pool_id', list: 'pools' },
  parent: { field: 'device_id', list: 'devices' },
  child: { field: 'child_id', list: 'devices' },
}

const REF_ID = /^[^\p{Cc}]{1,190}$/u

class Checker {
  readonly problems: string[] = []
  readonly #document: EstateDocument

  constructor(document: EstateDocument) {
    this.#document = document
  }

  check(): string[] {
    for (const list of INVENTORY) {
      const known = new Set<string>()
      for (const [i, row] of (this.#document[list] ?? []).entries()) {
        const at = `${list}[${i}]`
        this.#checkRow(at, list, row)
        for (const ref of this.#refs(row)) {
          if (known.has(ref)) this.problems.push(`${at}: the ref ${ref} stands twice`)
          known.add(ref)
        }
      }
    }
    return this.problems
  }

  #refs({ id, refs }: EstateRow): string[] {
    const own = Object.entries((refs ?? {}) as Record<string, string>).map(([source, name]) => `${source}:${name}`)
    return id === undefined ? own : [...own, `id ${id}`]
  }

  #checkRow(at: string, list: Resource, row: EstateRow): void {
    const { refs = {}, ...fields } = row
    for (const [source, id] of Object.entries(refs as Record<string, string>))
      if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(source) || !REF_ID.test(id)) this.problems.push(`${at}: bad ref ${id}`)
    const create = this.#create(at, fields)
    const checked = SCHEMAS[list]?.strict().safeParse(list === 'reservations' ? withoutId(create) : create)
    if (!checked?.success) this.problems.push(`${at}: ${JSON.stringify(checked?.error.issues)}`)
    this.#checkRanges(at, list, row)
  }

  /** Returns the row with an id in place of each reference. */
  #create(at: string, row: EstateRow): EstateRow {
    const create: EstateRow = {}
    for (const [name, value] of Object.entries(row)) {
      const reference = REFERENCES[name]
      if (reference) {
        if (this.find(reference.list, value) === undefined)
          this.problems.push(`${at}.${name}: ${JSON.stringify(value)} is no row`)
        create[reference.field] = 'id'
      } else if (name === 'addresses') create[name] = (value as EstateRow[]).map((address) => this.#create(at, address))
      else create[name] = value
    }
    return create
  }

  /** Returns the only row that a reference means. */
  find(list: Resource, reference: unknown): EstateRow | undefined {
    const { ref, id } = (reference ?? {}) as { ref?: string; id?: string }
    const key = ref ?? `id ${id}`
    const found = (this.#document[list] ?? []).filter((row) => this.#refs(row).includes(key))
    return found.length === 1 ? found[0] : undefined
  }

  #checkRanges(at: string, list: Resource, row: EstateRow): void {
    const ipOf = (text: unknown) => parseIp(String(text)) ?? { family: 4 as const, value: -1n }
    const holds = (network: unknown, ...ips: unknown[]): boolean => {
      const cidr = parseCidr(String(this.find('networks', network)?.subnet))
      return cidr !== undefined && ips.every((ip) => cidrHolds(cidr, ipOf(ip)))
    }
    if (list === 'pools' && !holds(row.network, row.start_ip, row.end_ip))
      this.problems.push(`${at}: is outside of its network`)
    if (list === 'reservations') {
      const { start_ip, end_ip } = this.find('pools', row.pool) ?? {}
      const ip = ipOf(row.ip_address)
      if (compareIp(ip, ipOf(start_ip)) < 0 || compareIp(ip, ipOf(end_ip)) > 0)
        this.problems.push(`${at}: is outside of its pool`)
    }
    for (const address of (row.addresses ?? []) as EstateRow[])
      if (address.network !== undefined && !holds(address.network, address.ip))
        this.problems.push(`${at}: ${address.ip} is outside of its network`)
  }
}

const withoutId = ({ id, ...row }: EstateRow): EstateRow => row

/** Returns all that would keep the document from being applied. */
export const documentProblems = (document: EstateDocument): string[] => new Checker(document).check()
