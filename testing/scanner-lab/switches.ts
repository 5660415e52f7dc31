/** A switch and a server beside the hosts of the lab, each with snmpd and lldpd, with two cables between them. Of Debian packages. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitUntil } from '../../src/scanner/testing/plans.ts'
import { COMMUNITY } from './daemons.ts'
import type { Lab } from './lab.ts'

/** The network in which both are, without other hosts. */
export const SWITCHES = '198.18.64.0/29'

type Machine = {
  readonly name: string
  readonly ip: string
  readonly mac: string
  /** Its two ports, and their MAC addresses without the last digit. */
  readonly ports: readonly [string, string]
  readonly portMacs: string
  /** How lldpd names its ports to neighbors: a switch by name, and a server by the default, which is the MAC. */
  readonly portId: 'ifname' | 'macaddress'
}

export const SWITCH: Machine = {
  ...{ name: 'sw-1', ip: '198.18.64.1', mac: '00:1b:21:00:02:01' },
  ...{ ports: ['swp1', 'swp2'], portMacs: '00:1b:21:00:03:0', portId: 'ifname' },
}
export const SERVER: Machine = {
  ...{ name: 'srv-1', ip: '198.18.64.2', mac: '00:1b:21:00:02:02' },
  ...{ ports: ['eno1', 'eno2'], portMacs: '00:1b:21:00:04:0', portId: 'macaddress' },
}

export type Switches = {
  /** Resolves when each has heard of both ports of the other. */
  readonly ready: () => Promise<void>
  readonly remove: () => void
}

const startMachine = (
  lab: Lab,
  { name, ip, ports, portId }: Machine,
  at: { namespace: string; folder: string },
): void => {
  const file = (kind: string): string => join(at.folder, `${name}-${kind}`)
  writeFileSync(
    file('snmpd.conf'),
    [
      ...[`agentaddress udp:${ip}:161`, `rocommunity ${COMMUNITY}`, `sysname ${name}`],
      ...['master agentx', `agentXSocket ${file('agentx')}`],
    ].join('\n'),
  )
  // On a busy machine a neighbor is known for longer than the four seconds of the default.
  const settings = ['tx-interval 1', 'tx-hold 60', `portidsubtype ${portId}`]
  writeFileSync(file('lldpd.conf'), settings.map((setting) => `configure lldp ${setting}\n`).join(''))
  mkdirSync(file('snmp'))
  const run = (command: string): void => lab.start(at.namespace, ['bash', '-c', command])
  run(`SNMP_PERSISTENT_DIR=${file('snmp')} exec snmpd -I -smux -f -Lo -C -c ${file('snmpd.conf')} -p ${file('pid')}`)
  const links = `-I ${ports.join(',')} -O ${file('lldpd.conf')} -u ${file('lldpd')}`
  run(
    `until [ -S ${file('agentx')} ]; do sleep 0.05; done; mount -t tmpfs t /run && mkdir -p /run/lldpd && exec lldpd -d -x -X ${file('agentx')} -S ${name} ${links}`,
  )
}

export const startSwitches = (lab: Lab): Switches => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-switches-'))
  // lldpd reads its configuration as a user of its own.
  chmodSync(folder, 0o755)
  const namespaces = [`plat-switch-${process.pid}`, `plat-server-${process.pid}`] as const
  const machines = [SWITCH, SERVER] as const
  const batch = (lines: readonly string[]): void => {
    lab.exec(lab.hosts, ['ip', '-batch', '-'], `${lines.join('\n')}\n`)
  }
  const remove = (): void => {
    for (const name of namespaces) spawnSync('ip', ['netns', 'delete', name])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of namespaces) spawnSync('ip', ['netns', 'add', name])
    batch(
      machines.flatMap(({ mac }, i) => [
        `link add link lb0 name x${i} address ${mac} type macvlan mode bridge`,
        `link set x${i} netns ${namespaces[i]} name mgmt0`,
      ]),
    )
    const end = ({ ports, portMacs }: Machine, i: 0 | 1): string => `name ${ports[i]} address ${portMacs}${i + 1}`
    for (const i of [0, 1] as const)
      batch([
        `link add netns ${namespaces[0]} ${end(SWITCH, i)} type veth peer netns ${namespaces[1]} ${end(SERVER, i)}`,
      ])
    for (const [i, machine] of machines.entries()) {
      const namespace = namespaces[i] ?? ''
      const up = ['lo', 'mgmt0', ...machine.ports].map((link) => `link set ${link} up`)
      lab.exec(namespace, ['ip', '-batch', '-'], `addr add ${machine.ip}/16 dev mgmt0\n${up.join('\n')}\n`)
      startMachine(lab, machine, { namespace, folder })
    }
  } catch (error) {
    remove()
    throw error
  }
  const heard = ({ name }: Machine): number => {
    const command = ['-u', join(folder, `${name}-lldpd`), '-f', 'keyvalue', 'show', 'neighbors']
    const { stdout } = spawnSync('lldpcli', command, { encoding: 'utf8' })
    return stdout.match(/\.port\.descr=/g)?.length ?? 0
  }
  return {
    ready: () => waitUntil(() => machines.every((one) => heard(one) === 2), 'both have heard of each other', 60_000),
    remove,
  }
}
