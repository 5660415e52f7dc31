/** Makes nodes, and the services that have an address of their own, of a snapshot of Kubernetes. */
import { MachineRows } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { type Ingress, KubernetesSnapshot, listRoles, type Node, type Service } from './snapshot.ts'

const NODE_ADDRESSES: Readonly<Record<string, { readonly label?: string }>> = {
  InternalIP: {},
  ExternalIP: { label: 'external' },
}
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])

const getNamespace = ({ metadata }: Service | Ingress): string => metadata.namespace ?? 'default'

/** Returns the addresses and names at which a load balancer answers. */
const listEntries = ({ status }: Service | Ingress): string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => [ip, hostname].flatMap((one) => one || []))

const listHosts = ({ spec }: Ingress): string[] => [
  ...new Set([
    ...(spec?.rules ?? []).flatMap(({ host }) => host || []),
    ...(spec?.tls ?? []).flatMap(({ hosts }) => hosts ?? []),
  ]),
]

const addNode = (rows: MachineRows, node: Node): void => {
  const { metadata, status } = node
  const { addresses, capacity, conditions, nodeInfo } = status
  rows.machine({
    key: `node/${metadata.name}`,
    type: 'node',
    name: metadata.name,
    hostname: (addresses ?? []).find(({ type }) => type === 'Hostname')?.address ?? metadata.name,
    isRunning: (conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    os: nodeInfo?.osImage ?? '',
    ...(addresses && {
      addresses: addresses.flatMap(({ type, address }) => {
        const known = NODE_ADDRESSES[type]
        return known ? [{ ip: address, ...known }] : []
      }),
    }),
    facts: {
      roles: listRoles(node).join(', '),
      kubelet: nodeInfo?.kubeletVersion,
      runtime: nodeInfo?.containerRuntimeVersion,
      kernel: nodeInfo?.kernelVersion,
      architecture: nodeInfo?.architecture,
      cpu: capacity?.cpu,
      memory: capacity?.memory,
    },
  })
}

const hasWebPort = ({ spec }: Service): boolean => (spec.ports ?? []).some(({ port }) => WEB_PORTS.has(port))

/** Returns the service of each address. Services may share one: that of the web is the one that ingresses mean. */
const mapEntries = (services: readonly Service[]): ReadonlyMap<string, Service> => {
  const found = new Map<string, Service>()
  for (const service of services)
    for (const entry of listEntries(service)) {
      const other = found.get(entry)
      if (!other || (hasWebPort(service) && !hasWebPort(other))) found.set(entry, service)
    }
  return found
}

/** Returns the hosts of ingresses by the service that has their address. */
const mapDomains = (
  rows: MachineRows,
  { services, ingresses }: { readonly services: readonly Service[]; readonly ingresses: readonly Ingress[] },
): ReadonlyMap<Service, readonly string[]> => {
  const byEntry = mapEntries(services)
  const domains = new Map<Service, string[]>()
  for (const ingress of ingresses) {
    const { name } = ingress.metadata
    const id = `${getNamespace(ingress)}/${name}`
    rows.report.read('ingress')
    const service = listEntries(ingress).flatMap((entry) => byEntry.get(entry) ?? [])[0]
    if (!service) {
      rows.report.left('ingress', 'no service of type LoadBalancer has its address', { id })
      continue
    }
    const known = domains.get(service) ?? []
    domains.set(service, known)
    for (const host of listHosts(ingress))
      if (host.startsWith('*.')) rows.report.left('ingress.host', 'is a wildcard', { id, host })
      else known.push(host)
  }
  return domains
}

const formatPorts = ({ spec }: Service): string =>
  (spec.ports ?? []).map(({ port, protocol = 'TCP' }) => `${port}/${protocol.toLowerCase()}`).join(', ')

const addService = (rows: MachineRows, service: Service, domains: readonly string[]): void => {
  const { name } = service.metadata
  const namespace = getNamespace(service)
  const entries = service.status?.loadBalancer?.ingress ?? []
  const ips = [...entries.flatMap(({ ip }) => ip || []), ...(service.spec.externalIPs ?? [])]
  rows.machine({
    key: `service/${namespace}/${name}`,
    type: 'appliance',
    name: `${name}.${namespace}`,
    place: namespace,
    isRunning: entries.length > 0 || ips.length > 0,
    // A load balancer that waits for its address has not lost it.
    ...(entries.length + ips.length > 0 && { addresses: ips.map((ip) => ({ ip })) }),
    domains,
    facts: { ports: formatPorts(service), hostname: entries.flatMap(({ hostname }) => hostname || []).join(', ') },
  })
}

export const convertKubernetes = (snapshot: Json, { ref }: ConvertMeans): SnapshotRows => {
  const { nodes, services, ingresses } = parseSnapshot(KubernetesSnapshot, snapshot)
  const rows = new MachineRows(ref)
  for (const node of nodes) addNode(rows, node)
  const balanced = services.filter(({ spec }) => spec.type === 'LoadBalancer')
  const domains = mapDomains(rows, { services: balanced, ingresses })
  for (const service of services)
    if (service.spec.type === 'LoadBalancer') addService(rows, service, domains.get(service) ?? [])
    else {
      rows.report.read('service')
      rows.report.left('service', 'is not of type LoadBalancer', {
        id: `${getNamespace(service)}/${service.metadata.name}`,
      })
    }
  return rows.finish()
}
