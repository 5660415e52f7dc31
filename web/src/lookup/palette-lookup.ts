/** The first results of the palette for an address, a block, a MAC or a host name. */
import type { LinkProps } from '@tanstack/react-router'
import { parseSubject } from '../../../src/net/subject.ts'
import { api } from '../api/client.ts'
import type { Lookup } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { DEFAULT } from '../spaces/known-control.ts'
import { spacesQuery } from '../spaces/known-spaces.tsx'

export type Answer = {
  readonly text: string
  /** Describes the target of the link. */
  readonly note: string
  readonly link: LinkProps
}

type Target = Omit<Answer, 'text'>

const linkToPage = (to: '/devices/$id' | '/networks/$id' | '/pools/$id', id: string): LinkProps => ({
  to,
  params: { id },
})

const findDeviceTarget = ({ devices = [], conflicts = [], kind, query }: Lookup): Target | undefined => {
  const [device, ...others] = devices
  if (!device || kind === 'cidr') return undefined
  if (others.length === 0) return { note: `open ${device.name}`, link: linkToPage('/devices/$id', device.id) }
  const shared = conflicts.find(({ ip_address }) => ip_address === query)
  if (shared) return { note: 'open the conflict', link: { to: '/conflicts', search: { entry: shared.id } } }
  return { note: 'list them', link: { to: '/devices', search: { q: kind === 'ip' ? `ip:${query}` : query } } }
}

const findDiscoveredTarget = ({ discovered: [host] = [], kind, state }: Lookup): Target | undefined =>
  host && kind !== 'cidr' && state !== 'reserved'
    ? { note: 'open the discovered device', link: { to: '/discovered-devices', search: { entry: host.id } } }
    : undefined

const findBlockTarget = ({ kind, state, query, ways }: Lookup): Target | undefined => {
  if (kind !== 'cidr' || state === 'network') return undefined
  return ways.length > 0
    ? { note: 'create a network', link: { to: '/networks', search: { new: '1', subnet: query } } }
    : { note: 'list the networks', link: { to: '/networks', search: { q: query } } }
}

const findNetworkTarget = ({ pools: [pool] = [], networks: [network] = [], kind }: Lookup): Target | undefined => {
  if (pool && kind === 'ip') return { note: `open the pool ${pool.name}`, link: linkToPage('/pools/$id', pool.id) }
  return network && { note: `open ${network.name}`, link: linkToPage('/networks/$id', network.id) }
}

const findTarget = (lookup: Lookup): Target =>
  findDeviceTarget(lookup) ??
  findDiscoveredTarget(lookup) ??
  findBlockTarget(lookup) ??
  findNetworkTarget(lookup) ?? { note: 'list the networks', link: { to: '/networks' } }

/** A plain word is a valid host name too, so a name must contain a digit, a dot or a hyphen. */
const LOOKS_LIKE_NAME = /[\d.-]/

type Elsewhere = NonNullable<Lookup['elsewhere']>[number]

/** Returns the answer in another space, which leads to a list of that space. */
const toAnswer =
  ({ kind, query }: Lookup) =>
  ({ space_id, space, state, summary }: Elsewhere): Answer => {
    const chosen = space_id ?? DEFAULT
    const isAssigned = kind === 'ip' && state === 'assigned'
    return {
      text: `${space_id === null ? 'Default space' : space}: ${summary}`,
      note: isAssigned ? 'list its devices' : 'list the networks',
      link: isAssigned
        ? { to: '/devices', search: { q: `ip:${query}`, space: chosen } }
        : { to: '/networks', search: { q: query, space: chosen } },
    }
  }

/** Returns the summary, with the space if addresses of several spaces may be meant. */
const formatSummary = async ({ summary, space_id, elsewhere = [] }: Lookup): Promise<string> => {
  if (space_id === undefined) return elsewhere.length > 0 ? `Default space: ${summary}` : summary
  const spaces = await queryClient.ensureQueryData(spacesQuery).catch(() => [])
  return `${spaces.find(({ id }) => id === space_id)?.name ?? space_id}: ${summary}`
}

/** Returns none for other texts, and for an unknown name. */
export const findAnswers = async (typed: string): Promise<readonly Answer[]> => {
  const subject = parseSubject(typed)
  if (!subject || (subject.kind === 'hostname' && !LOOKS_LIKE_NAME.test(typed))) return []
  const answer = await api.lookup.show({ query: typed })
  if (subject.kind === 'hostname' && !answer.known) return []
  return [
    { text: await formatSummary(answer), ...findTarget(answer) },
    ...(answer.elsewhere ?? []).map(toAnswer(answer)),
  ]
}
