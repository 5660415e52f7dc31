/**
 * Sites with one subnet, 198.18.7.0/24, in network namespaces: each has a scanner behind a router that hides its addresses (nft
 * masquerade). The server is in the namespace where the routers meet. Needs root, `ip` and `nft`.
 */
import { spawnSync } from 'node:child_process'
import { run } from './lab.ts'

export const SITE_SUBNET = '198.18.7.0/24'
export const SERVER_ADDRESS = '198.51.100.254'

export type Site = {
  /** The namespace of its scanner. */
  readonly scanner: string
  /** The address of its router, as the server sees it. */
  readonly address: string
  /** The MAC addresses of its hosts, by their addresses. */
  readonly hosts: ReadonlyMap<string, string>
  /** Cuts the link to the server, or mends it. */
  readonly setLink: (state: 'up' | 'down') => void
}

export type Sites = {
  /** The namespace of the server. */
  readonly hub: string
  readonly all: readonly Site[]
  readonly remove: () => void
}

const inside = (namespace: string): string[] => ['ip', 'netns', 'exec', namespace]

const formatMac = (site: number, host: number): string =>
  `52:54:00:00:${site.toString(16).padStart(2, '0')}:${host.toString(16).padStart(2, '0')}`

const makeSite = (hub: string, names: readonly string[], { site, from, count }: SiteOptions): Site => {
  const [scanner = '', router = '', hosts = ''] = names
  const address = `198.51.100.${site}`
  run(
    ['ip', '-batch', '-'],
    `link add lan0 netns ${scanner} type veth peer name lan1 netns ${hosts}
link add up0 netns ${scanner} type veth peer name in0 netns ${router}
link add out0 netns ${router} type veth peer name site${site} netns ${hub}
`,
  )
  run(
    ['ip', '-n', scanner, '-batch', '-'],
    `link set lo up
addr add 198.18.7.1/24 dev lan0
link set lan0 up
addr add 198.19.0.2/24 dev up0
link set up0 up
route add default via 198.19.0.1
`,
  )
  run(
    ['ip', '-n', router, '-batch', '-'],
    `link set lo up
addr add 198.19.0.1/24 dev in0
link set in0 up
addr add ${address}/24 dev out0
link set out0 up
`,
  )
  run([...inside(router), 'sysctl', '-qw', 'net.ipv4.ip_forward=1'])
  run(
    [...inside(router), 'nft', '-f', '-'],
    'table ip nat { chain after { type nat hook postrouting priority 100; oifname "out0" masquerade; }; }',
  )
  run(['ip', '-n', hub, '-batch', '-'], `link set site${site} master hub0\nlink set site${site} up\n`)
  const numbers = Array.from({ length: count }, (_, i) => from + i)
  run([...inside(hosts), 'sysctl', '-qw', 'net.ipv4.conf.all.arp_ignore=1', 'net.ipv4.conf.all.arp_announce=2'])
  run(
    ['ip', '-n', hosts, '-batch', '-'],
    [
      'link set lo up\nlink set lan1 up',
      ...numbers.flatMap((host) => [
        `link add m${host} link lan1 address ${formatMac(site, host)} type macvlan mode bridge`,
        `addr add 198.18.7.${host}/24 dev m${host}`,
        `link set m${host} up`,
      ]),
    ].join('\n'),
  )
  return {
    scanner,
    address,
    hosts: new Map(numbers.map((host) => [`198.18.7.${host}`, formatMac(site, host)])),
    setLink: (state) => {
      run(['ip', '-n', hub, 'link', 'set', `site${site}`, state])
    },
  }
}

type SiteOptions = { readonly site: number; readonly from: number; readonly count: number }

export const createSites = (options: readonly Omit<SiteOptions, 'site'>[]): Sites => {
  const hub = `plat-hub-${process.pid}`
  const names = options.map((_, i) => ['scan', 'router', 'hosts'].map((part) => `plat-${part}${i + 1}-${process.pid}`))
  const remove = (): void => {
    for (const name of [hub, ...names.flat()]) spawnSync('ip', ['netns', 'delete', name])
  }
  try {
    for (const name of [hub, ...names.flat()]) run(['ip', 'netns', 'add', name])
    run(
      ['ip', '-n', hub, '-batch', '-'],
      `link set lo up
link add hub0 type bridge
addr add ${SERVER_ADDRESS}/24 dev hub0
link set hub0 up
`,
    )
    return { hub, all: options.map((one, i) => makeSite(hub, names[i] ?? [], { ...one, site: i + 1 })), remove }
  } catch (error) {
    remove()
    throw error
  }
}
