/** Makes the engine and its containers of a snapshot of Docker. */
import { MachineRows, type Nic } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { DockerSnapshot, PROJECT_LABELS } from './snapshot.ts'

type Container = DockerSnapshot['containers'][number]

const ENGINE = 'engine'
/** Networks whose containers have addresses of the network around the host. All others are behind the host. */
const OUTSIDE: ReadonlySet<string> = new Set(['macvlan', 'ipvlan'])

/** Returns the own name. Links of a container to another one are names with two slashes. */
const getName = ({ Id, Names }: Container): string => {
  const names = (Names ?? []).map((name) => name.replace(/^\//, ''))
  return names.find((name) => !name.includes('/')) ?? names[0] ?? Id.slice(0, 12)
}

/** @example formatPorts(container) // '443/tcp, 8080->80/tcp' */
const formatPorts = ({ Ports }: Container): string => {
  const texts = (Ports ?? []).map(({ PrivatePort, PublicPort, Type = 'tcp' }) =>
    PublicPort ? `${PublicPort}->${PrivatePort}/${Type}` : `${PrivatePort}/${Type}`,
  )
  // The engine gives them in any order, and one for each of IPv4 and IPv6.
  return [...new Set(texts)].sort().join(', ')
}

const listNics = ({ NetworkSettings }: Container, drivers: ReadonlyMap<string, string>): Nic[] =>
  Object.entries(NetworkSettings?.Networks ?? {}).flatMap(([name, { IPAddress, GlobalIPv6Address, MacAddress }]) =>
    OUTSIDE.has(drivers.get(name) ?? '')
      ? [{ name, mac: MacAddress, addresses: [IPAddress, GlobalIPv6Address].filter(Boolean).map((ip) => ({ ip })) }]
      : [],
  )

const getProject = ({ Labels }: Container): string | undefined =>
  PROJECT_LABELS.map((label) => Labels?.[label]).find((project) => project)

export const convertDocker = (snapshot: Json, { options, ref }: ConvertMeans): SnapshotRows => {
  const { version, info, containers, networks } = parseSnapshot(DockerSnapshot, snapshot)
  const rows = new MachineRows(ref)
  rows.machine({
    key: ENGINE,
    type: 'host',
    name: info.Name,
    hostname: info.Name,
    isRunning: true,
    os: info.OperatingSystem,
    facts: {
      engine: version.Version,
      kernel: info.KernelVersion,
      architecture: info.Architecture,
      cpu: info.NCPU,
      memory_mib: info.MemTotal ? Math.round(info.MemTotal / 2 ** 20) : undefined,
    },
  })
  const drivers = new Map(networks.map(({ Name, Driver }) => [Name, Driver]))
  for (const container of containers) {
    const name = getName(container)
    if (options.containers === false) {
      rows.report.read('container')
      rows.report.left('container', 'is not read, because options.containers is false', { name })
      continue
    }
    const isRunning = container.State === 'running'
    const project = getProject(container)
    rows.machine({
      key: `container/${name}`,
      type: 'container',
      name,
      isRunning,
      tags: project ? [`project:${project}`] : [],
      facts: { image: container.Image, ports: formatPorts(container) },
      // A stopped container has no addresses, and gets them again.
      ...(isRunning ? { addresses: [], nics: listNics(container, drivers) } : {}),
      parent: ENGINE,
    })
  }
  return rows.finish()
}
