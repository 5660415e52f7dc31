/** The buttons of a proposal, for its author and for reviewers. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { EditText } from './edit-text.tsx'
import { refreshProposals } from './queries.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { describeRefusal, useDecide } from './use-decide.ts'

type Step = { readonly done: string; readonly call: () => Promise<unknown> }

/** @returns why nothing can be approved */
const blockApproval = ({ errors, fingerprint }: Proposal): string | undefined => {
  if (errors > 0) return 'A rule refuses one of its operations'
  return fingerprint === '' ? 'It changes nothing' : undefined
}

type Props = { readonly proposal: Proposal; readonly isEditable: boolean }

export const Actions = ({ proposal, isEditable }: Props) => {
  const { number, title, state, author, co_authors, fingerprint, operations, blockers } = proposal
  const id = String(number)
  const { username } = useMe()
  const { may } = usePermit()
  const [asked, setAsked] = useState<'reject' | 'close' | 'text'>()
  const decide = useDecide()
  const step = useMutation({
    mutationFn: ({ call }: Step) => call(),
    onSuccess: (_, { done }) => toast(done),
    onError: (error) => toast(describeRefusal(error), { type: 'error' }),
    // A refusal may have stored another preview.
    onSettled: refreshProposals,
  })
  const isBusy = decide.isPending || step.isPending
  const isAuthor = author === username && may('proposals:create')
  const isReviewer = may('proposals:approve') && author !== username && !co_authors.includes(username)
  const isOpen = state === 'open'
  const stop = () => setAsked(undefined)
  // An approval that the caller could give is given by the merge.
  const [inTheWay] = blockers.map(({ message }) => message)
  const startDecide = (reason?: string) =>
    decide.mutate(
      { all: [proposal], ...(reason !== undefined && { reason }) },
      {
        onSuccess: ({ refusals }) => {
          const refusal = refusals.get(number)
          if (refusal !== undefined) toast(refusal, { type: 'error' })
        },
      },
    )
  return (
    <>
      {isEditable && <Button onClick={() => setAsked('text')}>Edit text</Button>}
      {isAuthor && (isOpen || state === 'draft') && (
        <Button onClick={() => setAsked('close')} disabled={isBusy}>
          Withdraw
        </Button>
      )}
      {isAuthor && (state === 'draft' || state === 'closed') && (
        <Button
          look="primary"
          onClick={() => step.mutate({ done: 'Opened for review', call: () => api.proposals.open({ id }) })}
          disabled={isBusy}
          blocked={operations.length === 0 ? 'It has no operation yet' : undefined}
        >
          Open for review
        </Button>
      )}
      {isOpen && isReviewer && (
        <>
          <Button look="danger" onClick={() => setAsked('reject')} disabled={isBusy}>
            Reject
          </Button>
          <Button
            onClick={() => step.mutate({ done: 'Approved', call: () => api.proposals.approve({ id, fingerprint }) })}
            disabled={isBusy}
            blocked={blockApproval(proposal)}
          >
            Approve
          </Button>
        </>
      )}
      {isOpen && (
        <Button look="primary" onClick={() => startDecide()} disabled={isBusy} blocked={inTheWay}>
          Merge
        </Button>
      )}
      {asked === 'reject' && (
        <ReasonDialog
          title={`Reject ${title}?`}
          action="Reject"
          isDanger
          onClose={stop}
          onSubmit={(reason) => {
            stop()
            startDecide(reason)
          }}
        />
      )}
      {asked === 'close' && (
        <ReasonDialog
          title={`Withdraw ${title}?`}
          action="Withdraw"
          onClose={stop}
          onSubmit={(text) => {
            stop()
            step.mutate({ done: 'Withdrawn', call: () => api.proposals.close({ id, ...(text !== '' && { text }) }) })
          }}
        />
      )}
      {asked === 'text' && <EditText proposal={proposal} onClose={stop} />}
    </>
  )
}
