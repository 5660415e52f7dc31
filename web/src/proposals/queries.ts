/** The queries of proposals, and the calls that decide about them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, send } from '../api/client.ts'
import { type Contracts, contracts, type In, type Out, type Proposal } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { computeNextOffset, readRows } from '../history/queries.ts'
import type { TimelineEntry } from './entry-words.ts'
import { PROPOSAL_KEYS } from './known-proposals.ts'

export type ListedProposal = Out<Contracts['proposals']['list']>[number]
export type ProposalItem = Out<Contracts['proposals']['items']>[number]
export type Operation = Proposal['operations'][number]

export type ListFilter = Partial<Pick<In<Contracts['proposals']['list']>, 'state' | 'author' | 'to_review'>>

const PAGE = 50

export const proposalsQuery = (filter: ListFilter) =>
  infiniteQueryOptions({
    queryKey: ['proposals', 'list', filter],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) =>
      readRows<ListedProposal>(await send(contracts.proposals.list, { ...filter, limit: PAGE, offset })),
    getNextPageParam: computeNextOffset,
    staleTime: 0,
  })

/** @param id or number */
export const proposalQuery = (id: string) =>
  queryOptions({ queryKey: ['proposal', id], queryFn: () => api.proposals.get({ id }), staleTime: 0 })

export const itemsQuery = (id: string, fingerprint: string) =>
  infiniteQueryOptions({
    queryKey: ['proposal', id, 'items', fingerprint],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) =>
      readRows<ProposalItem>(await send(contracts.proposals.items, { id, limit: PAGE, offset })),
    getNextPageParam: computeNextOffset,
    staleTime: 0,
  })

export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['proposal', id, 'timeline'],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) =>
      readRows<TimelineEntry>(await send(contracts.proposals.timeline, { id, limit: PAGE, offset })),
    getNextPageParam: computeNextOffset,
    staleTime: 0,
  })

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
