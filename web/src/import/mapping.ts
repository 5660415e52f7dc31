/** Which column is which field, guessed and then applied. */
import { parseIp } from '../../../src/net/ip.ts'
import { FIELDS, type ImportRow, type ResourceName, readCell } from '../export/fields.ts'
import type { Source } from './read.ts'

/** The field of each column; '' for one that is left out. */
export type Mapping = readonly string[]

/** Other words for fields, as they stand in people's files. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  id: ['uuid', 'deviceid'],
  name: ['device', 'devicename', 'label', 'title', 'asset', 'assetname'],
  hostname: ['host', 'fqdn', 'dnsname', 'dns'],
  description: ['comment', 'comments', 'desc'],
  make_model: ['model', 'hardware', 'devicetype', 'type', 'product'],
  os: ['operatingsystem', 'system', 'platform'],
  status: ['state'],
  datacenter_id: ['datacenter', 'dc', 'site', 'datacentre'],
  username: ['user', 'login'],
  location: ['place', 'rack', 'room', 'address'],
  tags: ['tag', 'labels'],
  addresses: ['address', 'ip', 'ips', 'ipaddress', 'ipaddresses', 'ipv4', 'primaryip', 'primaryip4', 'managementip'],
  domains: ['domain'],
  subnet: ['cidr', 'prefix', 'network', 'range'],
  vlan_id: ['vlan', 'vid'],
  network_id: ['network', 'subnet'],
  pool_id: ['pool'],
  start_ip: ['start', 'first', 'from', 'startaddress'],
  end_ip: ['end', 'last', 'to', 'endaddress'],
  ip_address: ['ip', 'address', 'ipaddress'],
  purpose: ['reason', 'for'],
  notes: ['note', 'comment', 'comments', 'description'],
  expires_at: ['expires', 'expiry', 'until'],
  parent_id: ['parent', 'from', 'deviceid', 'device', 'source'],
  child_id: ['child', 'to', 'target'],
}

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Each field at most once: names as they are first, then other words for them. */
export const guessMapping = (resource: ResourceName, columns: readonly string[]): Mapping => {
  const fields = Object.keys(FIELDS[resource])
  const free = new Set(fields)
  const mapping = columns.map(() => '')
  const take = (matches: (field: string, column: string) => boolean) => {
    for (const [at, column] of columns.entries()) {
      if (mapping[at] !== '') continue
      const field = fields.find((one) => free.has(one) && matches(one, plain(column)))
      if (field === undefined) continue
      mapping[at] = field
      free.delete(field)
    }
  }
  take((field, column) => plain(field) === column)
  take((field, column) => WORDS[field]?.includes(column) === true)
  return mapping
}

type MapOptions = {
  readonly mapping: Mapping
  /** Otherwise a field is left as it is. */
  readonly emptyClears: boolean
  /** Lower-case name -> id. */
  readonly datacenters: ReadonlyMap<string, string>
}

const setValue = (value: unknown, field: string, datacenters: ReadonlyMap<string, string>): unknown =>
  // People know a datacenter by its name; the contract by its id.
  field === 'datacenter_id' && typeof value === 'string'
    ? (datacenters.get(value.trim().toLowerCase()) ?? value)
    : value

/** The rows as the server takes them, and the errors that are visible without it. */
export const mapRows = (
  resource: ResourceName,
  source: Source,
  { mapping, emptyClears, datacenters }: MapOptions,
): { readonly rows: readonly ImportRow[]; readonly problems: ReadonlyMap<number, string> } => {
  const kinds = FIELDS[resource]
  const problems = new Map<number, string>()
  const rows = source.rows.map((cells, at): ImportRow => {
    const row: Record<string, unknown> = {}
    for (const [column, field] of mapping.entries()) {
      const cell = cells[column]
      if (field === '' || cell === undefined) continue
      // An id can't be cleared: without one the name counts.
      if (cell === '' && (!emptyClears || field === 'id')) continue
      try {
        const value = source.format === 'CSV' ? readCell(kinds[field] ?? 'text', String(cell)) : cell
        row[field] = setValue(value, field, datacenters)
      } catch {
        problems.set(at, `${field}: is not valid JSON`)
      }
    }
    const problem = problemOf(resource, row)
    if (problem !== undefined && !problems.has(at)) problems.set(at, problem)
    return row
  })
  return { rows, problems }
}

const NAMED: ReadonlySet<ResourceName> = new Set(['devices', 'datacenters', 'networks', 'pools'])

/** The mistakes that need no server to be seen. The rules are the server's: it validates every row again. */
const problemOf = (resource: ResourceName, row: ImportRow): string | undefined => {
  if (NAMED.has(resource) && !row.id && !row.name) return 'name: is required'
  if (!Array.isArray(row.addresses)) return undefined
  for (const [at, one] of row.addresses.entries()) {
    const ip: unknown = typeof one === 'object' && one !== null && 'ip' in one ? one.ip : one
    if (typeof ip !== 'string' || !parseIp(ip)) return `addresses[${at}].ip: must be an IPv4 or IPv6 address`
  }
  return undefined
}
