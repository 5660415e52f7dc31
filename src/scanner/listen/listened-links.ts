/** The interfaces that have listened networks, and the networks that an address heard there belongs to. */
import type { NetworkInterfaceInfo } from 'node:os'
import { type Cidr, cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import { openTargets, PlanError, type Targets } from '../targets.ts'
import type { ListenedNetwork, ListenPlan } from '../wire.ts'

type Interfaces = Readonly<NodeJS.Dict<readonly NetworkInterfaceInfo[]>>

export type OpenNetwork = { readonly id: string; readonly targets: Targets }

export type ListenedLink = {
  readonly name: string
  /** IPv4 addresses of the interface. */
  readonly addresses: readonly string[]
  readonly networks: readonly OpenNetwork[]
}

export type ListenedLinks = {
  readonly links: readonly ListenedLink[]
  /** True for addresses and MACs of this machine. */
  readonly isOwn: (text: string) => boolean
}

const NO_MAC = '00:00:00:00:00:00'

/** Opens a network. One that a scan could not take has nothing to listen to. */
const openNetwork = ({ network_id: id, subnet, excludes }: ListenedNetwork): OpenNetwork | undefined => {
  try {
    return { id, targets: openTargets(subnet, excludes) }
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}

const listBlocks = (infos: readonly NetworkInterfaceInfo[]): Cidr[] =>
  infos.flatMap(({ internal, cidr }) => (internal || cidr === null ? [] : (parseCidr(cidr) ?? [])))

const isIn = (network: Cidr | undefined, blocks: readonly Cidr[]): boolean =>
  network !== undefined &&
  blocks.some((one) => one.family === network.family && one.first <= network.last && one.last >= network.first)

/** Finds the interfaces with an address in one of the networks. Opens only these networks: a plan may have many more. */
export const findListenedLinks = ({ networks }: ListenPlan, interfaces: Interfaces): ListenedLinks => {
  const all = networks.map((network) => ({ network, block: parseCidr(network.subnet) }))
  const open = new Map<ListenedNetwork, OpenNetwork | undefined>()
  const own = new Set<string>()
  const links: ListenedLink[] = []
  for (const [name, infos = []] of Object.entries(interfaces)) {
    for (const { address, mac } of infos) for (const text of [address, mac]) if (text !== NO_MAC) own.add(text)
    const blocks = listBlocks(infos)
    const here = all.flatMap(({ network, block }) => {
      if (!isIn(block, blocks)) return []
      if (!open.has(network)) open.set(network, openNetwork(network))
      return open.get(network) ?? []
    })
    const addresses = infos.flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []))
    if (here.length > 0) links.push({ name, addresses, networks: here })
  }
  return { links, isOwn: (text) => own.has(text) }
}

/**
 * Returns the most specific networks with an address, unless they exclude it. Several have the same subnet in different address spaces.
 */
export const selectNetworks = (networks: readonly OpenNetwork[], text: string): OpenNetwork[] => {
  const ip = parseIp(text)
  if (ip === undefined) return []
  const holding = networks.filter(({ targets }) => cidrHolds(targets.block, ip))
  const longest = Math.max(...holding.map(({ targets }) => targets.block.prefix))
  return holding.filter(({ targets }) => targets.block.prefix === longest && targets.indexOf(text) !== undefined)
}
