/** Merges and rejects proposals, one after the other, and tells the results. */
import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { isCode, toAppError } from '../api/errors.ts'
import { createUndo } from '../resource/object/undo.ts'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { refreshEstate, refreshProposals } from './queries.ts'

type Decided = Pick<Proposal, 'number' | 'title' | 'fingerprint'>

/** Returns the message of a refusal, with all that it names. */
export const describeRefusal = (error: unknown): string => {
  const { message, details } = toAppError(error)
  if (isCode(error, 'PRECONDITION_FAILED'))
    return 'It would do something else now than what is shown. Look at it again.'
  return [message, ...details.map(({ field, message: reason }) => `${field}: ${reason}`)].join('. ')
}

const name = (done: readonly Proposal[]): string => {
  const [first] = done
  return done.length === 1 && first ? `${first.number}, ${first.title}` : plural(done.length, 'proposal')
}

type Decision = {
  readonly all: readonly Decided[]
  /** Of a rejection; undefined for a merge. */
  readonly reason?: string
}

const decide = ({ number, fingerprint }: Decided, reason: string | undefined): Promise<Proposal> => {
  const id = String(number)
  return reason === undefined
    ? api.proposals.merge({ id, fingerprint })
    : api.proposals.reject({ id, ...(reason !== '' && { text: reason }) })
}

export const useDecide = () =>
  useMutation({
    mutationFn: async ({ all, reason }: Decision) => {
      const done: Proposal[] = []
      const refusals = new Map<number, string>()
      for (const one of all)
        try {
          done.push(await decide(one, reason))
        } catch (error) {
          refusals.set(one.number, describeRefusal(error))
        }
      return { done, refusals }
    },
    onSuccess: ({ done }, { reason }) => {
      const isMerge = reason === undefined
      if (done.length > 0)
        toast(`${isMerge ? 'Merged' : 'Rejected'} ${name(done)}`, createUndo(done.map(({ change_id }) => change_id)))
      if (isMerge) refreshEstate()
      else refreshProposals()
    },
  })
