/** Converts a snapshot of a libvirt to rows of its host, its domains and its routed networks. */
import { parseMac } from '../../../net/mac.ts'
import { MachineRows, type Nic } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { Snapshot, type SnapshotDomain } from './snapshot.ts'

/** Networks that other machines reach. A network behind NAT exists on each host. */
const ROUTED = new Set(['route', 'open'])

const toMebibytes = (kib: number | undefined) => (kib === undefined ? undefined : Math.round(kib / 1024))

const buildNics = ({ nics, addresses }: SnapshotDomain): Nic[] => {
  const byMac = Map.groupBy(addresses ?? [], ({ mac }) => parseMac(mac) ?? '')
  return nics.map(({ mac, vlan }) => {
    const some = byMac.get(parseMac(mac) ?? '-')
    return {
      name: '',
      mac,
      ...(vlan !== undefined && vlan >= 1 && vlan <= 4094 && { vlanId: vlan }),
      ...(some && { addresses: some.map(({ ip }) => ({ ip })) }),
    }
  })
}

export const convertLibvirt = (given: Json, { ref }: ConvertMeans): SnapshotRows => {
  const { product, host, domains, networks } = parseSnapshot(Snapshot, given)
  const rows = new MachineRows(ref)
  const hostKey = `host/${host.uuid || host.name}`
  rows.machine({
    key: hostKey,
    type: 'host',
    name: host.name,
    hostname: host.name,
    place: host.name,
    isRunning: true,
    makeModel: host.make_model,
    serial: host.serial,
    facts: {
      ...{ cpu: host.cpus, cpu_model: host.cpu_model, arch: host.arch },
      ...{ memory_mib: toMebibytes(host.memory_kib), hypervisor: product },
    },
  })
  for (const domain of domains)
    rows.machine({
      key: `domain/${domain.uuid}`,
      type: 'vm',
      name: domain.name,
      place: host.name,
      isRunning: domain.is_running,
      os: domain.os,
      facts: {
        ...{ cpu: domain.cpus, memory_mib: toMebibytes(domain.memory_kib) },
        ...{ power: domain.is_running ? 'running' : 'stopped', uuid: domain.uuid },
      },
      nics: buildNics(domain),
      parent: hostKey,
    })
  for (const { uuid, name, mode, subnets } of networks)
    for (const [at, subnet] of subnets.entries()) {
      if (ROUTED.has(mode)) {
        rows.network({ key: `network/${uuid}${at === 0 ? '' : `/${at}`}`, subnet, name, place: host.name })
        continue
      }
      rows.report.read('network')
      rows.report.left('network', mode === 'nat' ? 'is behind the NAT of its host' : 'is inside its host', {
        name,
        subnet,
      })
    }
  return rows.finish()
}
