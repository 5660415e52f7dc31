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

/** The reasons why proposals were not merged or rejected, by their numbers. */
export type Refusals = ReadonlyMap<number, string>

/** Returns the message of a refusal, with all that it names. */
export const describeRefusal = (error: unknown): string => {
  const { message, details } = toAppError(error)
  if (isCode(error, 'PRECONDITION_FAILED'))
    return 'It would do something else now than what is shown. Look at it again.'
  return [message, ...details.map(({ field, message: reason }) => `${field}: ${reason}`)].join('. ')
}

const runAll = async (all: readonly Decided[], run: (one: Decided) => Promise<Proposal>) => {
  const done: Proposal[] = []
  const refusals = new Map<number, string>()
  for (const one of all)
    try {
      done.push(await run(one))
    } catch (error) {
      refusals.set(one.number, describeRefusal(error))
    }
  return { done, refusals }
}

const name = (done: readonly Proposal[]): string => {
  const [first] = done
  return done.length === 1 && first ? `${first.number}, ${first.title}` : plural(done.length, 'proposal')
}

export const useMerge = () =>
  useMutation({
    mutationFn: (all: readonly Decided[]) =>
      runAll(all, ({ number, fingerprint }) => api.proposals.merge({ id: String(number), fingerprint })),
    onSuccess: ({ done }) => {
      if (done.length > 0) toast(`Merged ${name(done)}`, createUndo(done.map(({ change_id }) => change_id)))
      refreshEstate()
    },
  })

export const useReject = () =>
  useMutation({
    mutationFn: ({ all, text }: { readonly all: readonly Decided[]; readonly text: string }) =>
      runAll(all, ({ number }) =>
        api.proposals.reject({ id: String(number), ...(text.trim() !== '' && { text: text.trim() }) }),
      ),
    onSuccess: ({ done }) => {
      if (done.length > 0) toast(`Rejected ${name(done)}`)
      refreshProposals()
    },
  })
