/** The content of the datacenters of an invented company: places, roles, machines, systems, teams. */

export type Place = { readonly code: string; readonly name: string; readonly location: string }

/** One per /12 of 10.0.0.0/8. */
export const PLACES: readonly Place[] = [
  { code: 'fra1', name: 'Frankfurt 1', location: 'Frankfurt, Germany' },
  { code: 'iad2', name: 'Ashburn 2', location: 'Virginia, USA' },
  { code: 'sin1', name: 'Singapore 1', location: 'Singapore' },
  { code: 'dub1', name: 'Dublin 1', location: 'Dublin, Ireland' },
  { code: 'sjc3', name: 'San Jose 3', location: 'California, USA' },
  { code: 'nrt1', name: 'Tokyo 1', location: 'Tokyo, Japan' },
  { code: 'gru1', name: 'Sao Paulo 1', location: 'Sao Paulo, Brazil' },
  { code: 'syd2', name: 'Sydney 2', location: 'Sydney, Australia' },
  { code: 'lhr4', name: 'London 4', location: 'London, United Kingdom' },
  { code: 'cdg2', name: 'Paris 2', location: 'Paris, France' },
  { code: 'ams3', name: 'Amsterdam 3', location: 'Amsterdam, Netherlands' },
  { code: 'ord1', name: 'Chicago 1', location: 'Illinois, USA' },
  { code: 'bom1', name: 'Mumbai 1', location: 'Mumbai, India' },
  { code: 'jnb1', name: 'Johannesburg 1', location: 'Johannesburg, South Africa' },
  { code: 'arn1', name: 'Stockholm 1', location: 'Stockholm, Sweden' },
  { code: 'yyz1', name: 'Toronto 1', location: 'Toronto, Canada' },
]

type Machine = { readonly model: string; readonly system: string }

export type Role = {
  /** The form in names and tags. */
  readonly name: string
  readonly about: string
  readonly machines: readonly Machine[]
  /** The role on which it depends. */
  readonly needs?: string
}

/** Combines every model with every system. */
const buildMachines = (models: readonly string[], systems: readonly string[]): Machine[] =>
  models.flatMap((model) => systems.map((system) => ({ model, system })))

const SERVERS = ['Dell PowerEdge R650', 'Dell PowerEdge R760', 'HPE ProLiant DL360 Gen11', 'Supermicro SYS-620P']
const LINUX = ['Debian 12', 'Ubuntu 22.04 LTS', 'Ubuntu 24.04 LTS', 'Rocky Linux 9.4', 'RHEL 9.4']
const LINUX_SERVERS = buildMachines(SERVERS, LINUX)

export const SWITCH: Role = {
  name: 'sw',
  about: 'Top-of-rack switch',
  machines: [
    { model: 'Arista 7050SX3', system: 'EOS 4.31' },
    { model: 'Cisco Nexus 93180YC-FX3', system: 'NX-OS 10.4' },
    { model: 'Juniper QFX5120', system: 'Junos 23.2' },
  ],
}

export const HYPERVISOR: Role = {
  name: 'hv',
  about: 'Hypervisor',
  machines: buildMachines(
    ['Dell PowerEdge R7625', 'HPE ProLiant DL385 Gen11', 'Lenovo ThinkSystem SR665'],
    ['Proxmox VE 8.2', 'VMware ESXi 8.0'],
  ),
}

/** The other roles, repeated by their frequency. */
export const ROLES: readonly Role[] = [
  { name: 'web', about: 'Web server', machines: LINUX_SERVERS, needs: 'app' },
  { name: 'web', about: 'Web server', machines: LINUX_SERVERS, needs: 'app' },
  { name: 'app', about: 'Application server', machines: LINUX_SERVERS, needs: 'db' },
  { name: 'app', about: 'Application server', machines: LINUX_SERVERS, needs: 'db' },
  { name: 'db', about: 'PostgreSQL server', machines: LINUX_SERVERS },
  { name: 'cache', about: 'Valkey cache', machines: LINUX_SERVERS },
  { name: 'queue', about: 'Message broker', machines: LINUX_SERVERS },
  { name: 'k8s', about: 'Kubernetes worker', machines: buildMachines(SERVERS, ['Talos 1.7', 'Flatcar 3975']) },
  { name: 'lb', about: 'Load balancer', machines: LINUX_SERVERS, needs: 'web' },
  { name: 'nas', about: 'File storage', machines: [{ model: 'NetApp FAS2820', system: 'ONTAP 9.14' }] },
  { name: 'mon', about: 'Monitoring server', machines: LINUX_SERVERS },
  { name: 'win', about: 'Directory server', machines: buildMachines(SERVERS, ['Windows Server 2022']) },
]

export const ENVIRONMENTS = ['production', 'production', 'production', 'staging', 'development'] as const
export const TEAMS = ['payments', 'search', 'identity', 'platform', 'data', 'mobile', 'media', 'logistics'] as const
/** Repeated by their frequency. */
export const STATUSES = [
  ...Array<'active'>(16).fill('active'),
  'planned',
  'maintenance',
  'maintenance',
  'decommissioned',
] as const
export const PURPOSES = [
  'Planned expansion',
  'Migration target',
  'Canary',
  'Failover address',
  'Appliance trial',
] as const
