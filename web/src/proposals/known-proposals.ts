/** The parts of proposals that all pages have: the right to propose, the toast of a proposal, and the numbers in the navigation. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { asOf } from '../api/as-of.ts'
import { canPropose, send } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { createStore, useStore } from '../api/store.ts'
import { isQuiet } from '../live/use-live.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { toast } from '../ui/toast.tsx'

/** First parts of the keys of the queries of proposals. */
export const PROPOSAL_KEYS = ['proposals', 'proposal'] as const

export type Proposing = {
  /** The write can be proposed. */
  readonly isOffered: boolean
  /** It can be proposed, and not made. */
  readonly isOnly: boolean
}

/** @param needs the permission of the write */
export const useProposing = (needs: string | undefined): Proposing => {
  const { may, mayPropose, blockedForm } = usePermit()
  const isOffered = mayPropose && needs !== undefined && blockedForm(needs) === undefined
  return { isOffered, isOnly: isOffered && !may(needs) }
}

/** Returns the permission of an operation that can be proposed. */
export const findNeeds = (op: AnyOperation | undefined): string | undefined =>
  op && canPropose(op) && typeof op.access === 'string' ? op.access : undefined

/** Returns a function that tells of a proposal that was just made, with the way to it. */
export const useReport = (): ((number: number | undefined) => void) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  return (number) => {
    if (number === undefined) return
    const run = () => void navigate({ to: '/proposals/$id', params: { id: String(number) } })
    toast(`Proposed as ${number}`, { action: { text: 'Show', run } })
    for (const key of PROPOSAL_KEYS) void client.invalidateQueries({ queryKey: [key] })
  }
}

type CountFilter = { readonly to_review?: true }

/** Counts proposals without reading them. */
const countQuery = (filter: CountFilter) =>
  queryOptions({
    queryKey: ['proposals', 'count', filter],
    queryFn: async () => {
      const response = await send(contracts.proposals.list, { ...filter, limit: 1 })
      await response.body?.cancel()
      return Number(response.headers.get('x-total-count') ?? 0)
    },
    staleTime: 3000,
  })

/** Returns how many proposals wait for a review of the user. */
export const useToReview = (): number => {
  const { permissions } = useMe()
  const isPresent = useStore(asOf) === undefined
  const isEnabled =
    useStore(isQuiet) && isPresent && ['proposals:approve', 'proposals:list'].every((one) => permissions.includes(one))
  return useQuery({ ...countQuery({ to_review: true }), enabled: isEnabled }).data ?? 0
}

/** Returns whether the pages of proposals concern the user, who may propose or sees one. */
export const useHasProposals = (): boolean => {
  const { permissions } = useMe()
  const isQuietNow = useStore(isQuiet)
  const isPresent = useStore(asOf) === undefined
  const mayCreate = permissions.includes('proposals:create')
  const isAsked = !mayCreate && permissions.includes('proposals:list')
  const { data = 0 } = useQuery({ ...countQuery({}), enabled: isQuietNow && isAsked && isPresent })
  return mayCreate || (isAsked && data > 0)
}

/** The number of own proposals with entries of others since then. */
export const news = createStore(0)
