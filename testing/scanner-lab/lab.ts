/** A network for tests of the scanner, in two network namespaces. Needs root, `ip` and `nft`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundHost, ScanPlan, Stage } from '../../src/scanner/protocol.ts'

/** OUIs of real vendors, so that a MAC names one. */
const OUIS = [
  '00:00:0c',
  '00:0c:29',
  'b8:27:eb',
  '00:1b:21',
  '3c:d9:2b',
  'f0:1f:af',
  '00:15:5d',
  '52:54:00',
  '00:1d:09',
  'dc:a6:32',
]

export const FIRST_HOST = 10
/** They go from .10 to .59. */
export const HOSTS = 50
/** They have an IPv6 address as well. */
export const IPV6_HOSTS: readonly number[] = [10, 11, 12, 13, 14]
/** Answers no ping, and tcp/443. */
export const NO_PING = 57
/** Drops everything, so only ARP finds it. */
export const DROPS_ALL = 58
/** Answers ping, drops TCP. */
export const DROPS_TCP = 59

const hostMac = (host: number): string => `${OUIS[host % 10]}:00:01:${host.toString(16).padStart(2, '0')}`

export const run = (command: readonly string[], input = ''): string => {
  const [file = '', ...args] = command
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', input })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? stderr.trim()}`)
  return stdout
}

/** Why there can be no lab on this machine; undefined when there can. */
export const checkLab = (): string | undefined => {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux'
  if (process.getuid?.() !== 0) return 'making network namespaces takes root'
  const name = `plat-try-${process.pid}`
  try {
    run(['nft', '--version'])
    run(['ip', 'netns', 'add', name])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  run(['ip', 'netns', 'delete', name])
  return undefined
}

/** The privileges of the scanner process: `nobody` can only ping, `raw` also sends ARP. */
export type As = 'nobody' | 'raw'

export const PRIVILEGES: Readonly<Record<As, readonly string[]>> = {
  nobody: ['--no-new-privs', '--bounding-set', '-all'],
  raw: ['--inh-caps', '+net_raw', '--ambient-caps', '+net_raw'],
}

export type LabScanOptions = {
  readonly as?: As
  /** The action on the running scan, by name; see run-scan.ts. */
  readonly deed?: 'cancel' | 'kill' | 'resume'
  /** Enters only the network namespace: `/sys` shows the first namespace. */
  readonly keepsMounts?: boolean
}

/** The output of run-scan.ts. */
export type LabScan = {
  readonly result: string
  readonly message: string
  readonly hosts: readonly FoundHost[]
  readonly notes: readonly string[]
  /** When each stage was last heard of. */
  readonly stageMs: Partial<Record<Stage, number>>
  readonly ms: number
  readonly cpuSeconds: number
  readonly rssMb: number
  readonly cancelMs: number | null
  readonly mostUnresolved: number
  readonly kills: number
}

export type Lab = {
  readonly scanner: string
  readonly hosts: string
  /** Runs a command in one of the two namespaces; throws when it fails. */
  readonly exec: (namespace: string, command: readonly string[], input?: string) => string
  readonly scan: (plan: ScanPlan, options?: LabScanOptions) => Promise<LabScan>
  /** Starts something that runs until the lab is removed. */
  readonly start: (namespace: string, command: readonly string[], input?: string) => void
  readonly flush: () => void
  readonly remove: () => void
}

const linksBatch = (hosts: number, scattered: number): string =>
  [
    ...Array.from({ length: hosts }, (_, i) => FIRST_HOST + i).flatMap((host) => [
      `link add m${host} link lb0 address ${hostMac(host)} type macvlan mode bridge`,
      `addr add 198.18.0.${host}/16 dev m${host}`,
      `link set m${host} up`,
    ]),
    ...IPV6_HOSTS.map((host) => `addr add 2001:db8::${host.toString(16)}/64 dev m${host} nodad`),
    ...Array.from({ length: scattered }, (_, i) => `addr add 198.18.${i + 1}.77/32 dev m${FIRST_HOST}`),
  ].join('\n')

/** Counts arriving packets, and packets to banned addresses. */
const FIREWALL = `table inet lab {
  set banned { type ipv4_addr; flags interval; }
  counter refused {}
  counter arrived {}
  chain before {
    type filter hook prerouting priority -300;
    iifname { "lb0", "lb1" } counter name arrived
    ip daddr @banned counter name refused drop
  }
  chain drops {
    type filter hook input priority 0;
    ip daddr 198.18.0.${NO_PING} icmp type echo-request drop
    ip daddr 198.18.0.${DROPS_ALL} drop
    ip daddr 198.18.0.${DROPS_TCP} meta l4proto tcp drop
  }
}
table arp lab {
  set banned { type ipv4_addr; flags interval; }
  counter asked {}
  chain before {
    type filter hook input priority 0;
    arp daddr ip @banned counter name asked
  }
}
`

/** On-link 198.18.0.0/16 with 50 hosts in the first /24; 198.19.0.0/16 behind a router with 255 hosts. */
export const createLab = ({ hostCount = HOSTS, scattered = 0 } = {}): Lab => {
  const [scanner, hosts] = [`plat-scan-${process.pid}`, `plat-lab-${process.pid}`]
  const started: { kill: (signal: 'SIGKILL') => void }[] = []
  const exec = (namespace: string, command: readonly string[], input?: string): string =>
    run(['ip', 'netns', 'exec', namespace, ...command], input)
  const remove = (): void => {
    for (const one of started) one.kill('SIGKILL')
    for (const name of [scanner, hosts]) spawnSync('ip', ['netns', 'delete', name])
    rmSync(`/etc/netns/${scanner}`, { recursive: true, force: true })
  }
  try {
    // `ip netns exec` shows a file of this folder as the one of the system.
    mkdirSync(`/etc/netns/${scanner}`, { recursive: true })
    writeFileSync(`/etc/netns/${scanner}/resolv.conf`, 'nameserver 198.18.0.40\n')
    run(['ip', 'netns', 'add', scanner])
    run(['ip', 'netns', 'add', hosts])
    run(
      ['ip', '-batch', '-'],
      `link add sc0 netns ${scanner} type veth peer name lb0 netns ${hosts}
link add sc1 netns ${scanner} type veth peer name lb1 netns ${hosts}
`,
    )
    run(
      ['ip', '-n', scanner, '-batch', '-'],
      `link set lo up
addr add 198.18.255.1/16 dev sc0
addr add 2001:db8::1/64 dev sc0 nodad
link set sc0 up
addr add 198.51.100.2/24 dev sc1
link set sc1 up
route add 198.19.0.0/16 via 198.51.100.1
`,
    )
    exec(scanner, ['sysctl', '-qw', 'net.ipv4.ping_group_range=0 2147483647'])
    exec(hosts, [
      'sysctl',
      '-qw',
      'net.ipv4.conf.all.arp_ignore=1',
      'net.ipv4.conf.all.arp_announce=2',
      'net.ipv4.conf.all.rp_filter=0',
      'net.ipv4.conf.default.rp_filter=0',
      'net.ipv4.ip_forward=1',
    ])
    run(
      ['ip', '-n', hosts, '-batch', '-'],
      `link set lo up
link set lb0 up
addr add 198.51.100.1/24 dev lb1
link set lb1 up
${linksBatch(hostCount, scattered)}
route add local 198.19.0.0/24 dev lo
route add blackhole 198.19.0.0/16
`,
    )
    exec(hosts, ['nft', '-f', '-'], FIREWALL)
  } catch (error) {
    remove()
    throw error
  }
  return {
    scanner,
    hosts,
    exec,
    remove,
    flush: () => {
      exec(scanner, ['ip', 'neigh', 'flush', 'all'])
    },
    start: (namespace, command, input) => {
      const child = Bun.spawn(['ip', 'netns', 'exec', namespace, ...command], {
        stdin: input === undefined ? 'ignore' : new Blob([input]),
        stdout: 'ignore',
        stderr: 'ignore',
      })
      started.push(child)
    },
    scan: async (plan, { as = 'nobody', deed, keepsMounts = false } = {}) => {
      // `ip netns exec` mounts the `/sys` of the namespace; `nsenter --net` mounts nothing.
      const enter = keepsMounts ? ['nsenter', `--net=/run/netns/${scanner}`] : ['ip', 'netns', 'exec', scanner]
      const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...PRIVILEGES[as]]
      const runner = [process.execPath, '--no-env-file', join(import.meta.dirname, 'run-scan.ts')]
      const child = Bun.spawn([...enter, ...user, ...runner, deed ?? ''], {
        stdin: new Blob([JSON.stringify(plan)]),
        stdout: 'pipe',
        stderr: 'inherit',
        env: { PATH: process.env.PATH ?? '', PLAT_SCAN_LAB_ONLY: '1', HOME: '/nonexistent' },
      })
      const text = await new Response(child.stdout).text()
      // run-scan.ts prints a LabScan.
      return JSON.parse(text) as LabScan
    },
  }
}
