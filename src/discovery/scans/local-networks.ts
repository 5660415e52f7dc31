/** The IPv4 networks that this server is in, as it could scan them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Ctx } from '../../kernel/ctx.ts'
import { countUsableAddresses, formatCidr, parseCidr, parseCidrOrThrow } from '../../net/cidr.ts'
import { findLocalRange } from '../../net/local.ts'
import { getGuests } from '../../net/words/container-bridge.ts'
import type { LocalNetworks } from '../schema.ts'
import { blockIssue, type ScanLimits } from './scan-rules.ts'

type Link = { readonly subnet: string; readonly interface: string; readonly address: string }
type Interfaces = Readonly<NodeJS.Dict<readonly NetworkInterfaceInfo[]>>

/** Returns the links of the interfaces that are up, without loopback and link-local addresses, and without single addresses. */
export const listLinks = (interfaces: Interfaces): Link[] =>
  Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos.flatMap(({ family, internal, cidr, address }): Link[] => {
      const block = family === 'IPv4' && !internal && cidr !== null ? parseCidr(cidr) : undefined
      if (!block || block.prefix === 32 || findLocalRange(block) !== undefined) return []
      return [{ subnet: formatCidr(block), interface: name, address }]
    }),
  )

/**
 * Returns the interface of the default route of the lowest metric.
 * @param routes the lines of `/proc/net/route` (proc_net(5)): interface, destination, gateway, flags, ..., metric, mask
 */
export const findDefaultInterface = (routes: string): string | undefined => {
  const defaults = routes.split('\n').flatMap((line) => {
    const [name = '', destination, , , , , metric, mask] = line.split('\t').map((part) => part.trim())
    return destination === '00000000' && mask === '00000000' ? [{ name, metric: Number(metric) }] : []
  })
  return defaults.sort((a, b) => a.metric - b.metric)[0]?.name
}

/** Orders links: the default route first, bridges to guests of this machine last. Each subnet is there once. */
export const orderLinks = (links: readonly Link[], defaultInterface: string | undefined): Link[] => {
  const getRank = ({ interface: name }: Link): number => {
    if (name === defaultInterface) return 0
    return getGuests(name) === undefined ? 1 : 2
  }
  const ordered = [...links].sort((a, b) => getRank(a) - getRank(b))
  return [...Map.groupBy(ordered, ({ subnet }) => subnet).values()].flatMap(([first]) => first ?? [])
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // There is no such file on other systems than Linux.
    return ''
  }
}

/** Files by which the container runtimes mark a container: Docker, Podman, Kubernetes. */
const MARKS = ['.dockerenv', 'run/.containerenv', 'var/run/secrets/kubernetes.io']

/** Types of interfaces that are on the network of the host although the container has its own. */
const ON_NETWORK = /^DEVTYPE=(macvlan|ipvlan)$/m

/**
 * Returns true in a container that does not see the network of its host: it has no hardware interface, as with host networking, and no
 * macvlan or ipvlan.
 * @param root of the file system
 */
export const isInContainer = (root = '/'): boolean => {
  if (!MARKS.some((mark) => existsSync(join(root, mark)))) return false
  const folder = join(root, 'sys/class/net')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return !names.some(
    (name) => existsSync(join(folder, name, 'device')) || ON_NETWORK.test(readText(join(folder, name, 'uevent'))),
  )
}

/** Returns the ids of the networks of the default address space by their subnets, as far as the caller may list networks. */
const findNetworkIds = async (ctx: Ctx, subnets: readonly string[]): Promise<Map<string, string>> => {
  if (subnets.length === 0 || !ctx.canListAll('networks')) return new Map()
  const query = ctx.db
    .selectFrom('networks')
    .select(['id', 'subnet'])
    .where('subnet', 'in', subnets)
    .where('space_id', 'is', null)
    .orderBy('id', 'desc')
  return new Map((await query.execute()).map(({ id, subnet }) => [subnet, id]))
}

/** Answers from the interfaces as they are now. */
export const listLocalNetworks = async (ctx: Ctx, limits: ScanLimits): Promise<LocalNetworks> => {
  ctx.require('networks:create')
  const links = orderLinks(listLinks(networkInterfaces()), findDefaultInterface(readText('/proc/net/route')))
  const ids = await findNetworkIds(
    ctx,
    links.map(({ subnet }) => subnet),
  )
  return {
    in_container: isInContainer(),
    networks: links.map((link) => {
      const reason = blockIssue(link, limits)?.message ?? ''
      return {
        ...link,
        total_hosts: countUsableAddresses(parseCidrOrThrow(link.subnet)),
        network_id: ids.get(link.subnet) ?? null,
        is_scannable: reason === '',
        reason,
      }
    }),
  }
}
