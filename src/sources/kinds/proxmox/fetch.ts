/** Asks Proxmox VE for its nodes, guests and their addresses: 3 requests, one a node, one a guest and one a running guest. */
import { FetchError } from '../../fetch/fetch-error.ts'
import { parseAnswer } from '../parse.ts'
import type { FetchMeans, Json } from '../source-kind.ts'
import { hasAgent } from './nics.ts'
import {
  AgentAnswer,
  ConfigAnswer,
  ContainerAnswer,
  GuestResource,
  NetworkAnswer,
  NodeResource,
  ResourcesAnswer,
  type Snapshot,
  type SnapshotGuest,
  type SnapshotNode,
  StatusAnswer,
  VersionAnswer,
} from './snapshot.ts'

const API = '/api2/json'
const RESOURCES = `${API}/cluster/resources`
const TOKEN = /^(?:PVEAPIToken=)?([^\s@!=]+@[^\s@!=]+![^\s!=]+=\S+)$/

type Reader = Pick<FetchMeans, 'ask' | 'log'> & { readonly headers: Readonly<Record<string, string>> }

/** @throws FetchError `unauthorized` for a text that is no token */
const createReader = ({ ask, log, secrets }: FetchMeans): Reader => {
  const token = TOKEN.exec((secrets.token ?? '').trim())?.[1]
  if (token === undefined)
    throw new FetchError('unauthorized', 'secrets.token must be user@realm!tokenid=secret, as Proxmox VE shows it')
  return { ask, log, headers: { Authorization: `PVEAPIToken=${token}` } }
}

const askVersion = async ({ ask, headers }: Reader, product: FetchMeans['product']): Promise<string> => {
  const path = `${API}/version`
  const answer = VersionAnswer.safeParse(await ask.json(path, { headers }))
  if (!answer.success)
    throw new FetchError('wrong_url', `${path} is not answered by Proxmox VE: check the url and its port, such as 8006`)
  const { version } = answer.data.data
  product(`Proxmox VE ${version}`)
  return version
}

export const testProxmox = async (means: FetchMeans): Promise<void> => {
  await askVersion(createReader(means), means.product)
}

/** @throws FetchError `forbidden` for an empty list, which a token without rights gets */
const requireSome = (path: string, noun: 'node' | 'interface', { length }: readonly unknown[]): void => {
  if (length > 0) return
  throw new FetchError(
    'forbidden',
    `${path} shows no ${noun}: give the role PVEAuditor on / to the user and, if its privileges are separated, to the token`,
  )
}

/** Returns the nodes and guests that the token sees. @throws FetchError `forbidden` for a token that sees no node */
const askResources = async ({ ask, headers }: Reader) => {
  const { data } = parseAnswer(ResourcesAnswer, RESOURCES, await ask.json(RESOURCES, { headers }))
  const nodes = data.flatMap((one) => (one.type === 'node' ? [parseAnswer(NodeResource, RESOURCES, one)] : []))
  const guests = data.flatMap((one) =>
    one.type === 'qemu' || one.type === 'lxc' ? [parseAnswer(GuestResource, RESOURCES, one)] : [],
  )
  requireSome(RESOURCES, 'node', nodes)
  return { nodes, guests }
}

type Resources = Awaited<ReturnType<typeof askResources>>
type ClusterStatus = {
  readonly cluster: string
  readonly nodes: ReadonlyMap<string, { ip: string; isOnline: boolean }>
}

const askStatus = async ({ ask, headers }: Reader): Promise<ClusterStatus> => {
  const path = `${API}/cluster/status`
  const { data } = parseAnswer(StatusAnswer, path, await ask.json(path, { headers }))
  const nodes = new Map(
    data.flatMap((one) =>
      one.type === 'node' ? [[one.name, { ip: one.ip ?? '', isOnline: one.online ?? true }] as const] : [],
    ),
  )
  requireSome(path, 'node', [...nodes])
  return { cluster: data.flatMap((one) => (one.type === 'cluster' ? [one.name] : []))[0] ?? '', nodes }
}

const askInterfaces = async ({ ask, headers }: Reader, node: string): Promise<SnapshotNode['interfaces']> => {
  const path = `${API}/nodes/${node}/network`
  const { data } = parseAnswer(NetworkAnswer, path, await ask.json(path, { headers }))
  requireSome(path, 'interface', data)
  return data.map((one) => ({
    name: one.iface,
    type: one.type,
    cidrs: [one.cidr, one.cidr6].flatMap((cidr) => cidr ?? []),
    ...(one['vlan-id'] !== undefined && { vlan: one['vlan-id'] }),
  }))
}

/** Returns the addresses that a running guest tells; null if it tells none. */
const askAddresses = async ({ ask, headers }: Reader, path: string, type: 'qemu' | 'lxc') => {
  const from = type === 'qemu' ? `${path}/agent/network-get-interfaces` : `${path}/interfaces`
  const answer = await ask.optionalJson(from, { headers })
  if (answer === undefined) return null
  const interfaces =
    type === 'qemu'
      ? parseAnswer(AgentAnswer, from, answer).data.result
      : parseAnswer(ContainerAnswer, from, answer).data
  // Each guest has a loopback interface: none at all means that they are not known.
  return interfaces.length === 0 ? null : interfaces
}

const askGuest = async (reader: Reader, guest: GuestResource, isReachable: boolean): Promise<SnapshotGuest> => {
  const { type, vmid, node, name = '', status = '', template = false, tags = '', maxcpu, maxmem, maxdisk } = guest
  const path = `${API}/nodes/${node}/${type}/${vmid}`
  const isWanted = isReachable && !template
  const config = isWanted
    ? parseAnswer(ConfigAnswer, path, await reader.ask.json(`${path}/config`, { headers: reader.headers })).data
    : null
  const tells = config !== null && status === 'running' && (type === 'lxc' || hasAgent(config))
  return {
    ...{ type, vmid, node, name, status, tags: config?.tags ?? tags, is_template: template, config },
    ...(maxcpu !== undefined && { cpu: maxcpu }),
    ...(maxmem !== undefined && { memory: maxmem }),
    ...(maxdisk !== undefined && { disk: maxdisk }),
    interfaces: tells ? await askAddresses(reader, path, type) : null,
  }
}

const askNode = async (
  reader: Reader,
  { node, status, maxcpu, maxmem }: Resources['nodes'][number],
  all: ClusterStatus,
) => {
  const known = all.nodes.get(node)
  const isOnline = status === undefined ? (known?.isOnline ?? true) : status === 'online'
  if (!isOnline) reader.log(`The node ${node} is off: its network and its guests are not read`)
  return {
    name: node,
    ip: known?.ip ?? '',
    is_online: isOnline,
    ...(maxcpu !== undefined && { cpu: maxcpu }),
    ...(maxmem !== undefined && { memory: maxmem }),
    interfaces: isOnline ? await askInterfaces(reader, node) : null,
  }
}

export const fetchProxmox = async (means: FetchMeans): Promise<Json> => {
  const reader = createReader(means)
  const version = await askVersion(reader, means.product)
  const status = await askStatus(reader)
  const found = await askResources(reader)
  const nodes = await Promise.all(found.nodes.map((node) => askNode(reader, node, status)))
  const online = new Set(nodes.flatMap(({ name, is_online }) => (is_online ? [name] : [])))
  const guests = await Promise.all(found.guests.map((guest) => askGuest(reader, guest, online.has(guest.node))))
  return { version, cluster: status.cluster, nodes, guests } satisfies Snapshot
}
