/**
 * A branch behind NAT, in network namespaces: a hub for the server, a router that masquerades, a machine for a scanner, and hosts in a subnet
 * of any size. Needs root, `ip` and `nft`.
 */
import { spawnSync } from 'node:child_process'
import { run } from './lab.ts'

export type Branch = {
  /** The namespace of the server. */
  readonly hub: string
  /** The namespace of the scanner's machine. */
  readonly scanner: string
  /** The namespace of the router. */
  readonly router: string
  /** The namespace of the hosts. */
  readonly hosts: string
  /** The address of the hub as the branch reaches it. */
  readonly hubAddress: string
  /** The addresses of its hosts. */
  readonly addresses: readonly string[]
  /** Packets that have arrived at the hosts. */
  readonly countArrived: () => number
  /** Takes the link to the hub down, or up again. */
  readonly setLink: (state: 'up' | 'down') => void
  readonly remove: () => void
}

export type BranchOptions = {
  readonly hostsEach?: number
  /** The length of the prefix of the subnet 198.18.0.0. */
  readonly prefix?: number
  /** The length of the prefix of the part over which the hosts are spread; by default the whole subnet. */
  readonly spread?: number
}

/** Writes lines for `ip -batch`, and runs them in a namespace. */
const batch = (namespace: string, lines: readonly string[]): void => {
  run(['ip', '-n', namespace, '-batch', '-'], `${lines.join('\n')}\n`)
}

const toHex = (value: number): string => value.toString(16).padStart(2, '0')

/** Locally administered. */
const buildMac = (host: number): string => `02:00:5e:00:${toHex(host >> 8)}:${toHex(host & 255)}`

/** Returns the address of a host: they are spread over the subnet, from the tenth address on. */
const buildAddress = (
  host: number,
  { hostsEach, spread }: Pick<Required<BranchOptions>, 'hostsEach' | 'spread'>,
): string => {
  const size = 2 ** (32 - spread)
  const step = Math.max(1, Math.floor((size - 20) / hostsEach))
  const at = 10 + host * step
  return `198.18.${at >> 8}.${at & 255}`
}

const COUNTER = `table inet branch {
  counter arrived {}
  chain before { type filter hook prerouting priority -300; iifname "lb0" counter name arrived; }
}
table arp branch {
  counter asked {}
  chain before { type filter hook input priority 0; counter name asked; }
}
`

const NAT = `table ip branch {
  chain after { type nat hook postrouting priority srcnat; oifname "up0" masquerade; }
}
`

const readCounter = (text: string): number => Number(/packets (\d+)/.exec(text)?.[1] ?? Number.NaN)

const exec = (namespace: string, command: readonly string[], input?: string): string =>
  run(['ip', 'netns', 'exec', namespace, ...command], input)

/** Returns the branch that `createBranch` has made under this id, also for a process in one of its namespaces. */
export const openBranch = (
  id: string,
  { hostsEach = 50, prefix = 24, spread = prefix }: BranchOptions = {},
): Branch => {
  const [hub, scanner, router, hosts] = [`plat-hub-${id}`, `plat-scan-${id}`, `plat-nat-${id}`, `plat-lan-${id}`]
  return {
    ...{ hub, scanner, router, hosts, hubAddress: '198.51.100.1' },
    addresses: Array.from({ length: hostsEach }, (_, host) => buildAddress(host, { hostsEach, spread })),
    countArrived: () =>
      readCounter(exec(hosts, ['nft', 'list', 'counter', 'inet', 'branch', 'arrived'])) +
      readCounter(exec(hosts, ['nft', 'list', 'counter', 'arp', 'branch', 'asked'])),
    setLink: (state) => batch(router, [`link set up0 ${state}`]),
    remove: () => {
      for (const name of [hub, scanner, router, hosts]) spawnSync('ip', ['netns', 'delete', name])
    },
  }
}

/** Creates the namespaces. `remove` deletes them. */
export const createBranch = (id: string, options: BranchOptions = {}): Branch => {
  const branch = openBranch(id, options)
  const { hub, scanner, router, hosts, hubAddress, addresses } = branch
  const { prefix = 24 } = options
  try {
    for (const name of [hub, scanner, router, hosts]) run(['ip', 'netns', 'add', name])
    run(
      ['ip', '-batch', '-'],
      `link add hub0 netns ${hub} type veth peer name up0 netns ${router}
link add sc0 netns ${scanner} type veth peer name ps0 netns ${router}
link add lb0 netns ${hosts} type veth peer name ph0 netns ${router}
`,
    )
    batch(hub, ['link set lo up', `addr add ${hubAddress}/30 dev hub0`, 'link set hub0 up'])
    batch(router, [
      'link set lo up',
      'link add br0 type bridge',
      ...['ps0', 'ph0'].flatMap((port) => [`link set ${port} master br0`, `link set ${port} up`]),
      `addr add 198.18.0.1/${prefix} dev br0`,
      'link set br0 up',
      'addr add 198.51.100.2/30 dev up0',
      'link set up0 up',
    ])
    exec(router, ['sysctl', '-qw', 'net.ipv4.ip_forward=1'])
    exec(router, ['nft', '-f', '-'], NAT)
    batch(scanner, [
      'link set lo up',
      `addr add 198.18.0.2/${prefix} dev sc0`,
      'link set sc0 up',
      'route add default via 198.18.0.1',
    ])
    exec(scanner, ['sysctl', '-qw', 'net.ipv4.ping_group_range=0 2147483647'])
    exec(hosts, ['sysctl', '-qw', 'net.ipv4.conf.all.arp_ignore=1', 'net.ipv4.conf.all.arp_announce=2'])
    batch(hosts, [
      'link set lo up',
      'link set lb0 up',
      ...addresses.flatMap((address, host) => [
        `link add m${host} link lb0 address ${buildMac(host)} type macvlan mode bridge`,
        `addr add ${address}/${prefix} dev m${host}`,
        `link set m${host} up`,
      ]),
    ])
    exec(hosts, ['nft', '-f', '-'], COUNTER)
    return branch
  } catch (error) {
    branch.remove()
    throw error
  }
}
