/** Checks that an estate document is sound: each row fits the schema of a create, and each reference leads to a row. */
import type { EstateDocument, EstateRow } from '../../src/convert/converter.ts'
import { findPackField } from '../../src/convert/objects/packs.ts'
import { getRules, type Level } from '../../src/exchange/apply/resources.ts'
import { INVENTORY, isResource, type Resource } from '../../src/inventory/resources.ts'
import { cidrHolds, parseCidr } from '../../src/net/cidr.ts'
import { compareIp, parseIp } from '../../src/net/ip.ts'
import { CUSTOM_RESOURCES, type CustomResource } from '../../src/resource/custom/fields.ts'
import { listObjectProblems, toBuiltInField } from './object-rows.ts'

/** Lists that are checked by the definitions of kinds. */
const OBJECT_LISTS: ReadonlySet<string> = new Set(['kinds', 'objects'])

const REF_ID = /^[^\p{Cc}]{1,190}$/u

class Checker {
  readonly problems: string[] = []
  readonly #document: EstateDocument
  readonly #packs: readonly string[]

  constructor(document: EstateDocument, packs: readonly string[]) {
    this.#document = document
    this.#packs = packs
  }

  check(): string[] {
    this.problems.push(...listObjectProblems(this.#document, this.#packs))
    for (const [i, row] of (this.#document.objects ?? []).entries()) this.#checkObject(`objects[${i}]`, row)
    for (const list of INVENTORY) {
      if (OBJECT_LISTS.has(list)) continue
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

  #checkObject(at: string, row: EstateRow): void {
    for (const [name, target] of [
      ['parent', String(row.kind)],
      ['datacenter', 'datacenters'],
    ] as const)
      if (row[name] !== undefined && !this.find(target, row[name])) this.problems.push(`${at}.${name}: is no row`)
    this.#checkValues(at, String(row.kind), row)
  }

  #refs({ id, refs }: EstateRow): string[] {
    const own = Object.entries((refs ?? {}) as Record<string, string>).map(([source, name]) => `${source}:${name}`)
    return id === undefined ? own : [...own, `id ${id}`]
  }

  #checkRow(at: string, list: Resource, row: EstateRow): void {
    const { refs = {}, ...fields } = row
    for (const [source, id] of Object.entries(refs as Record<string, string>))
      if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(source) || !REF_ID.test(id)) this.problems.push(`${at}: bad ref ${id}`)
    const { draft, level } = getRules(list)
    const create = this.#create(at, list === 'custom-fields' ? toBuiltInField(fields) : fields, level)
    const checked = draft.strict().safeParse(list === 'reservations' ? withoutId(create) : create)
    if (!checked.success) this.problems.push(`${at}: ${JSON.stringify(checked.error.issues)}`)
    this.#checkCustom(at, list, row)
    this.#checkRanges(at, list, row)
  }

  /** Returns the row with an id in place of each reference. */
  #create(at: string, row: EstateRow, level: Level): EstateRow {
    const create: EstateRow = {}
    for (const [name, value] of Object.entries(row)) {
      const reference = level.references.find(({ as, field }) => as === name || field === name)
      const inner = [...level.objects, ...level.lists].find(([field]) => field === name)?.[1]
      if (reference && value !== null) {
        // A port names the one that it is part of at its device.
        const isFound =
          name === 'parent' && typeof value === 'string'
            ? this.#hasPort(row.device, value)
            : this.find(reference.resource, typeof value === 'string' ? refIn(value) : value) !== undefined
        if (!isFound) this.problems.push(`${at}.${name}: ${JSON.stringify(value)} is no row`)
        create[reference.field] = 'id'
      } else if (inner && Array.isArray(value)) create[name] = value.map((one) => this.#create(at, one, inner))
      else if (inner && value !== null) create[name] = this.#create(at, value as EstateRow, inner)
      else create[name] = name === 'custom' ? withoutRows(value) : value
    }
    return create
  }

  #hasPort(device: unknown, name: string): boolean {
    const ports = this.#document.ports ?? []
    return ports.some((port) => port.name === name && Bun.deepEquals(port.device, device))
  }

  /** Each value is of a field that the document defines, and each reference leads to a row. */
  #checkCustom(at: string, list: Resource, row: EstateRow): void {
    const resource = list === 'reservations' ? 'addresses' : list
    if (isCustomResource(resource)) this.#checkValues(at, resource, row)
    for (const address of (row.addresses ?? []) as EstateRow[]) this.#checkValues(at, 'addresses', address)
  }

  #checkValues(at: string, resource: CustomResource, { custom }: EstateRow): void {
    for (const [name, value] of Object.entries((custom ?? {}) as EstateRow)) {
      const own = this.#document['custom-fields']?.find((one) => one.resource === resource && one.name === name)
      const packed = findPackField(resource, name)
      const field = own ?? (packed && this.#packs.includes(packed.pack) ? packed.definition : undefined)
      if (own && packed && this.#packs.includes(packed.pack)) this.problems.push(`${at}.custom.${name}: is of a pack`)
      if (!field) this.problems.push(`${at}.custom.${name}: is not defined`)
      if (field?.type !== 'reference' || value === null) continue
      // A definition of a reference names the list of its rows.
      const target = String(field.reference_to)
      for (const one of [value].flat())
        if (this.find(target, one) === undefined)
          this.problems.push(`${at}.custom.${name}: ${JSON.stringify(one)} is no row`)
    }
  }

  /** Returns the only row that a reference means. */
  find(list: string, reference: unknown): EstateRow | undefined {
    const { ref, id } = (reference ?? {}) as { ref?: string; id?: string }
    const key = ref ?? `id ${id}`
    const rows = isResource(list) ? this.#document[list] : this.#document.objects?.filter(({ kind }) => kind === list)
    const found = (rows ?? []).filter((row) => this.#refs(row).includes(key))
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

const isCustomResource = (list: string): list is CustomResource => CUSTOM_RESOURCES.some((one) => one === list)

/** Returns the ref in a text: `netbox:dcim.device.1`, else an id. */
const refIn = (text: string) => (text.includes(':') ? { ref: text } : { id: text })

/** Values with an id in place of each row. */
const withoutRows = (custom: unknown): unknown => {
  const plain = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(plain) : typeof value === 'object' && value !== null ? 'id' : value
  return Object.fromEntries(Object.entries((custom ?? {}) as EstateRow).map(([name, value]) => [name, plain(value)]))
}

const withoutId = ({ id, ...row }: EstateRow): EstateRow => row

/** Returns all that would keep the document from being applied. */
export const documentProblems = (document: EstateDocument, packs: readonly string[] = []): string[] =>
  new Checker(document, packs).check()
