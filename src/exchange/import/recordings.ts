/** The hosts of a scan, of leases or of a zone, as recordings of scans: one for each most specific network. */
import type { Converted } from '../../convert/protocol.ts'
import type { scans } from '../../discovery/api.ts'
import type { InputOf } from '../../kernel/operation.ts'
import { parseCidr } from '../../net/cidr.ts'
import { formatIp, type Ip, parseIp } from '../../net/ip.ts'
import { type IpRange, subtractRanges } from '../../net/range.ts'

type Host = Converted['hosts'][number]
type Network = { readonly id: string; readonly name: string; readonly subnet: string }

/** The input of `scans.record`. */
type Input = InputOf<typeof scans.record>

export type Recording = { readonly network: Network; readonly inputs: readonly Input[]; readonly found: number }

export type Recordings = {
  readonly recordings: readonly Recording[]
  /** Hosts without a recording, and the reason. */
  readonly left: readonly { readonly ip: string; readonly why: string }[]
}

/** The longest list of excluded addresses, and the number of hosts of one recording. */
const MAX_EXCLUDES = 4096
const MAX_HOSTS = 1000

const formatRange = ({ family, first, last }: IpRange): string => {
  const [from, to] = [formatIp({ family, value: first }), formatIp({ family, value: last })]
  return first === last ? from : `${from}-${to}`
}

/** Returns the addresses of a subnet except the addresses of the hosts: a source says nothing about them. */
const buildExcludes = (subnet: string, hosts: readonly Host[]): string => {
  const held = hosts.flatMap(({ ip }): IpRange[] => {
    const parsed = parseIp(ip)
    return parsed ? [{ family: parsed.family, first: parsed.value, last: parsed.value }] : []
  })
  const cidr = parseCidr(subnet)
  if (!cidr) throw new RangeError(`${subnet} is no subnet`)
  return subtractRanges(cidr, held).map(formatRange).join(',')
}

/** Divides the hosts of a network, so that each list of excluded addresses fits. */
const buildInputs = (network: Network, hosts: readonly Host[]): Input[] => {
  const exclude_ips = buildExcludes(network.subnet, hosts)
  if (hosts.length > 1 && (hosts.length > MAX_HOSTS || exclude_ips.length > MAX_EXCLUDES)) {
    const half = hosts.length >> 1
    return [hosts.slice(0, half), hosts.slice(half)].flatMap((some) => buildInputs(network, some))
  }
  const scan_type = hosts.some(({ open_ports = [] }) => open_ports.length > 0) ? 'full' : 'quick'
  return [{ id: network.id, scan_type, exclude_ips, hosts: hosts.map(toInputHost) }]
}

const toInputHost = ({ services = [], open_ports = [], ...host }: Host): Input['hosts'][number] => ({
  ...host,
  open_ports: [...open_ports],
  services: services.map(({ name, ...service }) => ({ ...service, service: name })),
})

/** Joins the entries of one address: the first value of each field counts. */
const mergeHosts = (hosts: readonly Host[]): Host[] => {
  const byIp = new Map<string, Host>()
  for (const host of hosts) byIp.set(host.ip, { ...host, ...byIp.get(host.ip) })
  return [...byIp.values()]
}

/** Returns the canonical texts of the subnets of these lengths that hold the address. */
const listHolding = ({ family, value }: Ip, prefixes: readonly number[]): string[] => {
  const bits = family === 4 ? 32 : 128
  return prefixes.flatMap((prefix) => {
    if (prefix > bits) return []
    const shift = BigInt(bits - prefix)
    return [`${formatIp({ family, value: (value >> shift) << shift })}/${prefix}`]
  })
}

/** @param networks with canonical subnets */
export const buildRecordings = (networks: readonly Network[], hosts: readonly Host[]): Recordings => {
  const bySubnet = Map.groupBy(networks, ({ subnet }) => subnet)
  const lengths = new Set(networks.map(({ subnet }) => Number(subnet.split('/')[1])))
  const prefixes = [...lengths].sort((a, b) => b - a)
  const found = new Map<Network, Host[]>()
  const left: { ip: string; why: string }[] = []
  for (const host of mergeHosts(hosts)) {
    const ip = parseIp(host.ip)
    const holding = ip && listHolding(ip, prefixes).find((cidr) => bySubnet.has(cidr))
    const [network, other] = (holding && bySubnet.get(holding)) || []
    if (!network) left.push({ ip: host.ip, why: 'is in no network' })
    else if (other) left.push({ ip: host.ip, why: `is in several networks ${network.subnet}` })
    else {
      const some = found.get(network) ?? []
      some.push(host)
      found.set(network, some)
    }
  }
  const recordings = [...found].map(([network, some]) => ({
    network,
    inputs: buildInputs(network, some),
    found: some.length,
  }))
  return { recordings, left }
}
