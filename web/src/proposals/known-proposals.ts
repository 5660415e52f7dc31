/** The parts of proposals that all pages have: the right to propose, the toast of a proposal, and the numbers in the navigation. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { canPropose } from '../api/client.ts'
import { isShown, type Written } from '../api/proposing.ts'
import { createStore, useStore } from '../api/store.ts'
import { createUndo } from '../resource/object/undo.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { type Note, toast } from '../ui/toast.tsx'

/** First parts of the keys of the queries of proposals. */
export const PROPOSAL_KEYS = ['proposals', 'proposal'] as const

export type Proposing = {
  /** The write can be made, and can be proposed instead. */
  readonly isChoice: boolean
  /** It can be proposed, and not made. */
  readonly isOnly: boolean
  /** The field that proposes a call, if it can only be proposed or the user has chosen it. */
  readonly field: { readonly proposal?: 'open' }
  /** Notes whether a user who may do both proposes the next call. */
  readonly choose: (isProposed: boolean) => void
  /** Returns the text of the button of the write. */
  readonly label: (action: string) => string
}

/** @param needs the permission of the write, or its permissions */
export const useProposing = (needs: string | readonly string[] | undefined): Proposing => {
  const { may, mayNow, mayPropose } = usePermit()
  const all = [needs ?? []].flat()
  const isOffered = mayPropose && all.length > 0 && all.every(may)
  const isOnly = isOffered && !all.every(mayNow)
  const isChosen = useRef(false)
  return {
    isChoice: isOffered && !isOnly,
    isOnly,
    get field(): Proposing['field'] {
      return isOnly || isChosen.current ? { proposal: 'open' } : {}
    },
    choose: (isProposed) => {
      isChosen.current = isProposed
    },
    label: (action) => (isOnly ? 'Propose' : action),
  }
}

/** Returns the permission of an operation that can be proposed. */
export const findNeeds = (op: AnyOperation | undefined): string | undefined =>
  op && canPropose(op) && typeof op.access === 'string' ? op.access : undefined

/** Tells of a write. @returns true if the pages show its result */
export type Report = (text: string, written: Written | readonly Written[], note?: Note) => boolean

/** Returns a function that tells of a write: with its undo, or with the way to the proposal that has taken it. */
export const useReport = (): Report => {
  const client = useQueryClient()
  const navigate = useNavigate()
  return (text, written, note = {}) => {
    const all = [written].flat()
    const proposed = all.find(({ proposal }) => proposal !== undefined)
    if (!proposed) {
      toast(text, { ...note, ...createUndo(all.map(({ change }) => change)) })
      return true
    }
    const id = String(proposed.proposal)
    const run = () => void navigate({ to: '/proposals/$id', params: { id } })
    toast(`${isShown(proposed) ? 'Added to proposal' : 'Proposed as'} ${id}`, { action: { text: 'Review', run } })
    for (const key of PROPOSAL_KEYS) void client.invalidateQueries({ queryKey: [key] })
    return isShown(proposed)
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
