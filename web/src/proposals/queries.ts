/** The queries of proposals, and the calls that decide about them. */
import { queryOptions } from '@tanstack/react-query'
import { api, send } from '../api/client.ts'
import { type Contracts, contracts, type In, type Me, type Out, type Proposal } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { pagesQuery } from '../history/queries.ts'
import type { TimelineEntry } from './entry-words.ts'
import { PROPOSAL_KEYS } from './known-proposals.ts'

export type ListedProposal = Out<Contracts['proposals']['list']>[number]
export type ProposalItem = Out<Contracts['proposals']['items']>[number]
export type Operation = Proposal['operations'][number]

export type ListFilter = Partial<Pick<In<Contracts['proposals']['list']>, 'state' | 'author' | 'to_review'>>

const PAGE = 50

export const proposalsQuery = (filter: ListFilter) =>
  pagesQuery<ListedProposal>(['proposals', 'list', filter], (offset) =>
    send(contracts.proposals.list, { ...filter, limit: PAGE, offset }),
  )

/** @param id or number */
export const proposalQuery = (id: string) =>
  queryOptions({ queryKey: ['proposal', id], queryFn: () => api.proposals.get({ id }), staleTime: 0 })

export const itemsQuery = (id: string, fingerprint: string) =>
  pagesQuery<ProposalItem>(['proposal', id, 'items', fingerprint], (offset) =>
    send(contracts.proposals.items, { id, limit: PAGE, offset }),
  )

export const timelineQuery = (id: string) =>
  pagesQuery<TimelineEntry>(['proposal', id, 'timeline'], (offset) =>
    send(contracts.proposals.timeline, { id, limit: PAGE, offset }),
  )

/** Requests everything that shows proposals again. */
export const refreshProposals = (): void => {
  for (const key of PROPOSAL_KEYS) void queryClient.invalidateQueries({ queryKey: [key] })
}

/** Requests everything again, because a merge may have changed objects of any kind. */
export const refreshEstate = (): void => {
  // The preview of a dialog that closes would be refused. It is not cached.
  void queryClient.invalidateQueries({ predicate: ({ options }) => options.gcTime !== 0 })
  if (devices.state.get().status !== 'idle') devices.load()
}

/** True while operations may change. */
export const isAlive = ({ state }: Pick<Proposal, 'state'>): boolean => state === 'draft' || state === 'open'

/** True if the user may change the operations: the author, and an approver who sees all of an open proposal. */
export const canEdit = (proposal: Proposal, { username, permissions }: Me): boolean => {
  const { state, author, operations } = proposal
  if (!isAlive(proposal) || !permissions.includes('proposals:create')) return false
  const mayApprove = permissions.includes('proposals:approve')
  return author === username || (state === 'open' && mayApprove && operations.every(({ input }) => input !== null))
}
