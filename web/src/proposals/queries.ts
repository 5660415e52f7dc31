/** The queries of proposals, and the calls that decide about them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type Contracts, contracts, type In, type Out, type Proposal } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { rowsQuery } from '../history/queries.ts'
import { PROPOSAL_KEYS } from './known-proposals.ts'

export type ListedProposal = Out<Contracts['proposals']['list']>[number]
export type ProposalItem = Out<Contracts['proposals']['items']>[number]
export type Operation = Proposal['operations'][number]

export type ListFilter = Partial<Pick<In<Contracts['proposals']['list']>, 'state' | 'author' | 'to_review'>>

const PAGE = 50

export const proposalsQuery = (filter: ListFilter) =>
  rowsQuery(['proposals', 'list', filter], contracts.proposals.list, { ...filter, limit: PAGE })

/** @param id or number */
export const proposalQuery = (id: string) =>
  queryOptions({ queryKey: ['proposal', id], queryFn: () => api.proposals.get({ id }), staleTime: 0 })

export const itemsQuery = (id: string, fingerprint: string) =>
  rowsQuery(['proposal', id, 'items', fingerprint], contracts.proposals.items, { id, limit: PAGE })

export const timelineQuery = (id: string) =>
  rowsQuery(['proposal', id, 'timeline'], contracts.proposals.timeline, { id, limit: PAGE })

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

type Caller = { readonly username: string; readonly mayApprove: boolean }

/** True if the caller may change the operations: the author, and an approver who sees all of an open proposal. */
export const canEdit = (proposal: Proposal, { username, mayApprove }: Caller): boolean => {
  const { state, author, operations } = proposal
  if (!isAlive(proposal)) return false
  return author === username || (state === 'open' && mayApprove && operations.every(({ input }) => input !== null))
}
