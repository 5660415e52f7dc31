/** The networks and pools of a DHCP or IPAM server, which refer to each other by refs. */
import { type Cidr, formatCidr, parseCidr, toCidr } from '../../net/cidr.ts'
import { formatIp, type Ip, parseIp } from '../../net/ip.ts'
import { SubnetIndex } from '../../net/subnet-index.ts'
import type { EstateDocument, EstateRow } from '../converter.ts'
import { ObjectLimit } from '../object-limit.ts'
import type { Line, ReportBuilder } from '../report-builder.ts'
import { compact, trimText } from '../rows/row-text.ts'
import { SpaceNames } from '../rows/space-names.ts'

const getPrefix = (mask: Ip): number | undefined => {
  const bits = mask.value.toString(2).padStart(32, '0')
  return mask.family === 4 && /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : undefined
}

/** Returns the subnet of an address and a mask or a prefix length; undefined for none. */
export const parseSubnet = (address: string, mask: string): Cidr | undefined => {
  const ip = parseIp(address.trim())
  if (!ip) return parseCidr(address.trim())
  const given = parseIp(mask.trim())
  const prefix = given ? getPrefix(given) : /^\d{1,3}$/.test(mask.trim()) ? Number(mask) : undefined
  return prefix === undefined || prefix > (ip.family === 4 ? 32 : 128) ? undefined : toCidr(ip, prefix)
}

type Described = {
  readonly name: string
  /** The name of its address space; empty for the default one. */
  readonly space: string
  readonly description: string
  readonly lines: readonly Line[]
}

export class Scopes {
  readonly #source: string
  readonly #report: ReportBuilder
  readonly #limit = new ObjectLimit()
  readonly #networks: EstateRow[] = []
  readonly #pools: EstateRow[] = []
  readonly #spaces = new Map<string, string>()
  readonly #names: SpaceNames
  readonly #index = new Map<string, SubnetIndex<string>>()
  readonly #known = new Set<string>()

  /** @param source the name of the program in refs */
  constructor(source: string, report: ReportBuilder) {
    this.#source = source
    this.#report = report
    this.#names = new SpaceNames(report)
  }

  /** Adds a network. @returns false for one that is there already */
  addNetwork(kind: string, cidr: Cidr, { name, space, description, lines }: Described): boolean {
    const subnet = formatCidr(cidr)
    const ref = this.#toRef('network', space, subnet)
    if (this.#known.has(ref)) return false
    this.#limit.add()
    this.#known.add(ref)
    const index = this.#index.get(space) ?? new SubnetIndex<string>()
    this.#index.set(space, index)
    index.add(cidr, ref)
    this.#networks.push(
      compact({
        name: trimText(this.#report, { what: `${kind}.name`, id: subnet }, name) || subnet,
        subnet,
        space: space === '' ? undefined : this.#nameSpace(space),
        description: this.#report.describe(kind, subnet, description, lines),
        refs: { [this.#source]: ref },
      }),
    )
    return true
  }

  /** Adds a range to the most specific network that holds it. @returns false if there is none, or it is there already */
  addRange(kind: string, [first, last]: readonly [Ip, Ip], { name, space, description, lines }: Described): boolean {
    const network = this.#index.get(space)?.holding(first, last)
    const text = `${formatIp(first)}-${formatIp(last)}`
    const ref = this.#toRef('range', space, text)
    if (network === undefined || this.#known.has(ref)) return false
    this.#limit.add()
    this.#known.add(ref)
    const [start_ip, end_ip] = [formatIp(first), formatIp(last)]
    this.#pools.push(
      compact({
        name: trimText(this.#report, { what: `${kind}.name`, id: text }, name) || `${start_ip}-${end_ip}`,
        network: { ref: `${this.#source}:${network}` },
        start_ip,
        end_ip,
        description: this.#report.describe(kind, text, description, lines),
        refs: { [this.#source]: ref },
      }),
    )
    return true
  }

  get documents(): EstateDocument {
    const spaces = [...this.#spaces.values()].map((name) => ({ name }))
    return {
      ...(spaces.length > 0 && { spaces }),
      ...(this.#networks.length > 0 && { networks: this.#networks }),
      ...(this.#pools.length > 0 && { pools: this.#pools }),
    }
  }

  #nameSpace(space: string): string {
    const known = this.#spaces.get(space) ?? this.#names.unique({ what: 'view', id: space }, space, ['view'])
    this.#spaces.set(space, known)
    return known
  }

  #toRef(kind: string, space: string, text: string): string {
    return [kind, ...(space === '' ? [] : [space]), text].join('.')
  }
}
