/** The parts of proposals that all pages have: the right to propose, the toast of a proposal, and the numbers in the navigation. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { canPropose } from '../api/client.ts'
import { createStore, useStore } from '../api/store.ts'
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
    toast(`Proposed as ${number}`, { action: { text: 'Review', run } })
    for (const key of PROPOSAL_KEYS) void client.invalidateQueries({ queryKey: [key] })
  }
}

/** The number of proposals that wait for a review of the user. */
export const toReview = createStore(0)

/** True once there is a proposal that the user sees. */
export const isOneSeen = createStore(false)

/** Returns whether the pages of proposals concern the user, who may propose or sees one. */
export const useHasProposals = (): boolean => {
  const isSeen = useStore(isOneSeen)
  return useMe().permissions.includes('proposals:create') || isSeen
}

/** The number of own proposals with entries of others since then. */
export const news = createStore(0)
