/** The line of an event in a message, and the page of its object. */
import { isRecord, toText } from '../../contract/unknown.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import { getNoun, toKind } from '../../resource/nouns.ts'
import { cleanText } from './clean-text.ts'
import { MAX_LINE } from './message.ts'

export type Told = { readonly event: string; readonly resource_id: string; readonly data: string }
/** `link` is the path of a page. */
export type Line = { readonly line: string; readonly link: string }

type Data = Readonly<Record<string, unknown>>

const MAX_NAME = 120
const MAX_NAMES_OF_FIELDS = 5

/** The first field with a value names the object. */
const NAMING = ['name', 'label', 'hostname', 'pool_name', 'subnet', 'ip', 'ip_address', 'id'] as const

const pickText = (data: Data, names: readonly string[]): string =>
  names.flatMap((name) => toText(data[name]) || [])[0] ?? ''

const FAMILIES: ReadonlyMap<string, { readonly noun: string; readonly page: string }> = new Map(
  INVENTORY.map((resource) => {
    const kind = toKind(resource)
    return [kind.replaceAll('-', '_'), { noun: getNoun(resource), page: resource }]
  }),
)

/** The resources with a page of each object. */
const PAGED: ReadonlySet<string> = new Set([
  ...[
    'datacenters',
    'devices',
    'dns',
    'kinds',
    'networks',
    'objects',
    'pools',
    'ports',
    'proposals',
    'racks',
    'scanners',
    'scans',
    'sources',
  ],
])
/** The pages of resources that have no page of their own. */
const OTHER_LISTS: Readonly<Record<string, string>> = { relationships: 'topology', ports: 'devices', objects: 'kinds' }

const buildPath = (page: string, id: string, isGone: boolean): string =>
  !isGone && id !== '' && PAGED.has(page) ? `/${page}/${encodeURIComponent(id)}` : `/${OTHER_LISTS[page] ?? page}`

const getFirstAddress = ({ addresses, ip_address }: Data): string => {
  const first: unknown = Array.isArray(addresses) ? addresses[0] : undefined
  return isRecord(first) ? toText(first.ip) : toText(ip_address)
}

/** Tells how the object is now, so that the last of many events says all. */
const formatState = (data: Data, name: string): string => {
  const parts = [getFirstAddress(data), toText(data.subnet), toText(data.status)]
  const shown = parts.filter((part) => part !== '' && part !== name).map((part) => cleanText(part, MAX_NAME))
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`
}

const formatFields = ({ changes }: Data): string => {
  if (!Array.isArray(changes) || changes.length === 0) return ''
  const names = changes.slice(0, MAX_NAMES_OF_FIELDS).map((name) => cleanText(toText(name), MAX_NAME))
  const more = changes.length - names.length
  return `: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const VERBS: Readonly<Record<string, string>> = {
  created: 'was added',
  updated: 'changed',
  deleted: 'was removed',
  promoted: 'was promoted',
}

const describeObject = (family: string, verb: string, data: Data): string => {
  const noun = FAMILIES.get(family)?.noun ?? family
  const name = pickText(data, NAMING) || `${toText(data.parent_id)} ${toText(data.type)} ${toText(data.child_id)}`
  const named = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${cleanText(name, MAX_NAME)}`
  return `${named}${formatState(data, name)} ${VERBS[verb] ?? verb}${verb === 'updated' ? formatFields(data) : ''}`
}

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The names of networks by id. */
export type NetworkNames = ReadonlyMap<string, string>

type Describe = (
  data: Data,
  networks: NetworkNames,
) => { readonly text: string; readonly page: string; readonly id: string }

const formatNetwork = ({ network_id }: Data, networks: NetworkNames): string => {
  const id = toText(network_id)
  return cleanText(networks.get(id) ?? id, MAX_NAME)
}

const describeScanner = ({ id, name }: Data, state: string): ReturnType<Describe> => ({
  text: `Scanner ${cleanText(toText(name), MAX_NAME)} is ${state}`,
  ...{ page: 'scanners', id: toText(id) },
})

const describeSource = ({ id, name, status_message }: Data, state: string): ReturnType<Describe> => {
  const message = toText(status_message)
  return {
    text: `Source ${cleanText(toText(name), MAX_NAME)} ${state}${message === '' ? '' : `: ${message}`}`,
    ...{ page: 'sources', id: toText(id) },
  }
}

const formatClosing = ({ close_reason: reason }: Data): string =>
  reason === 'expired' ? 'has expired' : `was ${toText(reason) || 'closed'}`

/** @param deed a verb in the past, such as `was opened` */
const describeProposal = (data: Data, deed: string): ReturnType<Describe> => {
  const [title, by, text] = ['title', 'username', 'text'].map((field) => cleanText(toText(data[field]), MAX_NAME))
  return {
    text: `Proposal ${toNumber(data.number)} "${title}" ${deed}${by === '' ? '' : ` by ${by}`}${text === '' ? '' : `: ${text}`}`,
    ...{ page: 'proposals', id: String(toNumber(data.number)) },
  }
}

const formatFound = ({ hostname, ip, mac_address, vendor }: Data): string =>
  [hostname, ip, mac_address, vendor].flatMap((one) => cleanText(toText(one), MAX_NAME) || []).join(', ')

const OTHERS: Readonly<Record<string, Describe>> = {
  'pool.utilization_high': (data) => ({
    text: `Pool ${cleanText(toText(data.pool_name), MAX_NAME)} is ${Math.round(toNumber(data.utilization))} % full`,
    ...{ page: 'pools', id: toText(data.pool_id) },
  }),
  'conflict.detected': ({ description }) => ({ text: `Conflict: ${toText(description)}`, page: 'conflicts', id: '' }),
  'conflict.resolved': ({ description }) => ({ text: `Resolved: ${toText(description)}`, page: 'conflicts', id: '' }),
  'scanner.online': (data) => describeScanner(data, 'online'),
  'scanner.offline': (data) => describeScanner(data, 'offline'),
  'source.failed': (data) => describeSource(data, 'cannot be read'),
  'source.recovered': (data) => describeSource(data, 'is read again'),
  'source.waiting': (data) => describeSource(data, 'has changes that wait for somebody'),
  'proposal.opened': (data) => describeProposal(data, 'was opened'),
  'proposal.updated': (data) => describeProposal(data, 'was changed'),
  'proposal.commented': (data) => describeProposal(data, 'was commented'),
  'proposal.approved': (data) => describeProposal(data, 'was approved'),
  'proposal.merged': (data) => describeProposal(data, 'was merged'),
  'proposal.closed': (data) => describeProposal(data, formatClosing(data)),
  'discovery.started': (data, networks) => ({
    text: `A ${toText(data.scan_type)} scan of the network ${formatNetwork(data, networks)} was started`,
    ...{ page: 'scans', id: toText(data.id) },
  }),
  'discovery.completed': (data, networks) => ({
    text: `A ${toText(data.scan_type)} scan of the network ${formatNetwork(data, networks)} found ${toNumber(data.found_hosts)} hosts`,
    ...{ page: 'scans', id: toText(data.id) },
  }),
  'discovery.device_found': (data, networks) => ({
    text: `New device in ${formatNetwork(data, networks)}: ${formatFound(data)}`,
    ...{ page: 'inbox', id: '' },
  }),
  'discovery.device_gone': (data, networks) => ({
    text: `No longer seen in ${formatNetwork(data, networks)}: ${formatFound(data)}`,
    ...{ page: 'inbox', id: '' },
  }),
  'discovery.device_returned': (data, networks) => ({
    text: `Seen again in ${formatNetwork(data, networks)}: ${formatFound(data)}`,
    ...{ page: 'inbox', id: '' },
  }),
}

const DNS: Readonly<Record<string, string>> = {
  'dns.drift_detected': 'differs from its server',
  'dns.drift_resolved': 'is on its server as documented again',
  'dns.sync_failed': 'cannot be written: its server refuses or does not answer',
}

/** Returns the line of an event. @param networks the networks of events of discovery */
export const formatLine = ({ event, resource_id, data: json }: Told, networks: NetworkNames): Line => {
  // The recorder of events has written it.
  const data = JSON.parse(json) as Data
  const other = OTHERS[event]?.(data, networks)
  if (other) return { line: cleanText(other.text, MAX_LINE), link: buildPath(other.page, other.id, false) }
  const dns = DNS[event]
  if (dns !== undefined) {
    const line = cleanText(`DNS zone ${cleanText(toText(data.name), MAX_NAME)} ${dns}`, MAX_LINE)
    return { line, link: buildPath('dns', resource_id, false) }
  }
  const dot = event.indexOf('.')
  const [family, verb] = [event.slice(0, dot), event.slice(dot + 1)]
  const page = FAMILIES.get(family)?.page ?? ''
  return {
    line: cleanText(describeObject(family, verb, data), MAX_LINE),
    link: page === '' ? '' : buildPath(page, resource_id, verb === 'deleted'),
  }
}
