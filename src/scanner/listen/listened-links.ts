/** The interfaces that have listened networks, and the networks that an address heard there belongs to. */
import type { NetworkInterfaceInfo } from 'node:os'
import { parseCidr } from '../../net/cidr.ts'
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

/** A network that a scan could not take has nothing to listen to. */
const openNetwork = ({ network_id: id, subnet, excludes }: ListenedNetwork): OpenNetwork[] => {
  try {
    return [{ id, targets: openTargets(subnet, excludes) }]
  } catch (error) {
    if (error instanceof PlanError) return []
    throw error
  }
}

/** Finds the interfaces with an address in one of the networks. */
export const findListenedLinks = ({ networks }: ListenPlan, interfaces: Interfaces): ListenedLinks => {
  const open = networks.flatMap(openNetwork)
  const own = new Set<string>()
  const links: ListenedLink[] = []
  for (const [name, infos = []] of Object.entries(interfaces)) {
    const blocks = infos.flatMap(({ internal, cidr }) => (internal || cidr === null ? [] : (parseCidr(cidr) ?? [])))
    const here = open.filter(({ targets: { family, block } }) =>
      blocks.some((one) => one.family === family && one.first <= block.last && one.last >= block.first),
    )
    const addresses = infos.flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []))
    if (here.length > 0) links.push({ name, addresses, networks: here })
    for (const { address, mac } of infos) for (const text of [address, mac]) if (text !== NO_MAC) own.add(text)
  }
  return { links, isOwn: (text) => own.has(text) }
}

/** Returns the most specific networks with an address. Several have the same subnet in different address spaces. */
export const selectNetworks = (networks: readonly OpenNetwork[], ip: string): OpenNetwork[] => {
  const holding = networks.filter(({ targets }) => targets.indexOf(ip) !== undefined)
  const longest = Math.max(...holding.map(({ targets }) => targets.block.prefix))
  return holding.filter(({ targets }) => targets.block.prefix === longest)
}
