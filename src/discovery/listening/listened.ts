/** The networks that are listened to: their rules are enabled and say so, and the server or a label of a scanner is to scan them. */
import type { NetworkInterfaceInfo } from 'node:os'
import type { DbScope } from '../../kernel/ctx.ts'
import { formatCidr, parseCidr, parseCidrOrThrow } from '../../net/cidr.ts'
import type { ListenedNetwork } from '../../scanner/wire.ts'
import { splitExcludes } from '../scans/scan-rules.ts'

/** The routes of the server lead into no space that is not reachable: it would hear the same addresses elsewhere. */
const selectListened = (ctx: DbScope) =>
  ctx.db
    .selectFrom('discovery_rules')
    .innerJoin('networks', 'networks.id', 'discovery_rules.network_id')
    .leftJoin('spaces', 'spaces.id', 'networks.space_id')
    .select(['networks.id', 'networks.subnet', 'networks.space_id', 'discovery_rules.exclude_ips'])
    .where('discovery_rules.enabled', '=', 1)
    .where('discovery_rules.listen', '=', 1)
    .where(({ eb, or }) =>
      or([eb('networks.scanner', '<>', ''), eb('spaces.reachable', 'is', null), eb('spaces.reachable', '=', 1)]),
    )

/** Returns the networks that scanners with one of these labels listen to, or the server. */
export const listListened = async (ctx: DbScope, labels: readonly string[] | 'server'): Promise<ListenedNetwork[]> => {
  const named = labels === 'server' ? [''] : labels.filter((label) => label !== '')
  if (named.length === 0) return []
  const rows = await selectListened(ctx).where('networks.scanner', 'in', named).orderBy('networks.id').execute()
  return rows.map(({ id, subnet, exclude_ips }) => ({
    network_id: id,
    subnet: formatCidr(parseCidrOrThrow(subnet)),
    excludes: splitExcludes(exclude_ips),
  }))
}

export type ListenedRow = Awaited<ReturnType<ReturnType<typeof selectListened>['execute']>>[number]

/** Finds a network; undefined where it is not listened to. */
export const findListened = (ctx: DbScope, networkId: string): Promise<ListenedRow | undefined> =>
  selectListened(ctx).where('networks.id', '=', networkId).executeTakeFirst()

export type Interfaces = Readonly<NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, 'internal' | 'cidr'>[]>>

/** Returns the networks that one of the interfaces is in. */
export const filterLinked = (networks: readonly ListenedNetwork[], interfaces: Interfaces): ListenedNetwork[] => {
  const links = Object.values(interfaces).flatMap((infos = []) =>
    infos.flatMap(({ internal, cidr }) => (internal || cidr === null ? [] : (parseCidr(cidr) ?? []))),
  )
  return networks.filter(({ subnet }) => {
    const { family, first, last } = parseCidrOrThrow(subnet)
    return links.some((link) => link.family === family && link.first <= last && link.last >= first)
  })
}
