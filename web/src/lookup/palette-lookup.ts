/** What the palette says first of an address, a block, a MAC or a host name, and where Enter leads. */
import type { LinkProps } from '@tanstack/react-router'
import { subjectOf } from '../../../src/net/subject.ts'
import { api } from '../api/client.ts'
import type { Lookup } from '../api/contracts.ts'

export type Answer = {
  readonly text: string
  /** Where Enter leads, in words. */
  readonly note: string
  readonly link: LinkProps
}

type Target = Omit<Answer, 'text'>

const page = (to: '/devices/$id' | '/networks/$id' | '/pools/$id', id: string): LinkProps => ({ to, params: { id } })

const ofDevices = ({ devices = [], conflicts = [], kind, query }: Lookup): Target | undefined => {
  const [device, ...others] = devices
  if (!device || kind === 'cidr') return undefined
  if (others.length === 0) return { note: `open ${device.name}`, link: page('/devices/$id', device.id) }
  const shared = conflicts.find(({ ip_address }) => ip_address === query)
  if (shared) return { note: 'open the conflict', link: { to: '/conflicts', search: { entry: shared.id } } }
  return { note: 'list them', link: { to: '/devices', search: { q: kind === 'ip' ? `ip:${query}` : query } } }
}

const ofDiscovered = ({ discovered: [host] = [], kind, state }: Lookup): Target | undefined =>
  host && kind !== 'cidr' && state !== 'reserved'
    ? { note: 'open what was found', link: { to: '/found', search: { entry: host.id } } }
    : undefined

const ofBlock = ({ kind, state, query, ways }: Lookup): Target | undefined => {
  if (kind !== 'cidr' || state === 'network') return undefined
  return ways.length > 0
    ? { note: 'begin a network', link: { to: '/networks', search: { new: '1', subnet: query } } }
    : { note: 'list the networks', link: { to: '/networks', search: { q: query } } }
}

const ofPlace = ({ pools: [pool] = [], networks: [network] = [], kind }: Lookup): Target | undefined => {
  if (pool && kind === 'ip') return { note: `open the pool ${pool.name}`, link: page('/pools/$id', pool.id) }
  return network && { note: `open ${network.name}`, link: page('/networks/$id', network.id) }
}

const targetOf = (lookup: Lookup): Target =>
  ofDevices(lookup) ??
  ofDiscovered(lookup) ??
  ofBlock(lookup) ??
  ofPlace(lookup) ?? { note: 'list the networks', link: { to: '/networks' } }

/** A word that is searched for is a host name too, as far as its letters go. */
const LOOKS_LIKE_NAME = /[\d.-]/

/** Null for what is none of the four, and for a name that nothing has. */
export const lookUp = async (typed: string): Promise<Answer | null> => {
  const subject = subjectOf(typed)
  if (!subject || (subject.kind === 'hostname' && !LOOKS_LIKE_NAME.test(typed))) return null
  const answer = await api.lookup.show({ query: typed })
  if (subject.kind === 'hostname' && !answer.known) return null
  return { text: answer.summary, ...targetOf(answer) }
}
