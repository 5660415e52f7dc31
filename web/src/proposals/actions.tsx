/** The buttons of a proposal, for its author and for reviewers. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { getFieldErrors } from '../api/errors.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { FormDialog, ReasonDialog } from './form-dialog.tsx'
import { refreshProposals } from './queries.ts'
import { describeRefusal, useMerge, useReject } from './use-decide.ts'

type Asked = 'reject' | 'close' | 'text'

const useRun = (done: string, run: (text: string) => Promise<unknown>) =>
  useMutation({
    mutationFn: run,
    onSuccess: () => toast(done),
    onError: (error) => toast(describeRefusal(error), { type: 'error' }),
    // A refusal may have stored another preview.
    onSettled: refreshProposals,
  })

/** @returns why nothing can be approved */
const blockApproval = ({ errors, fingerprint }: Proposal): string | undefined => {
  if (errors > 0) return 'A rule refuses one of its operations'
  return fingerprint === '' ? 'It changes nothing' : undefined
}

type EditProps = { readonly proposal: Proposal; readonly onClose: () => void }

const EditText = ({ proposal, onClose }: EditProps) => {
  const [title, setTitle] = useState(proposal.title)
  const [description, setDescription] = useState(proposal.description)
  const save = useMutation({
    mutationFn: () => api.proposals.update({ id: String(proposal.number), title, description }),
    onSuccess: () => {
      refreshProposals()
      onClose()
    },
  })
  const errors = getFieldErrors(save.error)
  return (
    <FormDialog
      title="Edit the text"
      action="Save"
      isPending={save.isPending}
      error={Object.keys(errors).length === 0 && save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <TextField label="Title" value={title} onChange={setTitle} error={errors.title} required />
      <TextArea
        label="Description"
        hint="For all who see the proposal"
        value={description}
        onChange={setDescription}
        error={errors.description}
      />
    </FormDialog>
  )
}

type Props = { readonly proposal: Proposal; readonly isEditable: boolean }

export const Actions = ({ proposal, isEditable }: Props) => {
  const { number, title, state, author, co_authors, fingerprint, operations, blockers } = proposal
  const id = String(number)
  const { username } = useMe()
  const { may } = usePermit()
  const [asked, setAsked] = useState<Asked>()
  const merge = useMerge()
  const reject = useReject()
  const open = useRun('Opened for review', () => api.proposals.open({ id }))
  const approve = useRun('Approved', () => api.proposals.approve({ id, fingerprint }))
  const close = useRun('Withdrawn', (text) => api.proposals.close({ id, ...(text !== '' && { text }) }))
  const isAuthor = author === username && may('proposals:create')
  const isReviewer = may('proposals:approve') && author !== username && !co_authors.includes(username)
  const isOpen = state === 'open'
  const stop = () => setAsked(undefined)
  const isBusy = [merge, reject, open, approve, close].some(({ isPending }) => isPending)
  // An approval that the caller could give is given by the merge.
  const [inTheWay] = blockers.map(({ message }) => message)
  const startMerge = () =>
    merge.mutate([proposal], {
      onSuccess: ({ refusals }) => {
        const refusal = refusals.get(number)
        if (refusal !== undefined) toast(refusal, { type: 'error' })
      },
    })
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
          onClick={() => open.mutate('')}
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
          <Button onClick={() => approve.mutate('')} disabled={isBusy} blocked={blockApproval(proposal)}>
            Approve
          </Button>
        </>
      )}
      {isOpen && (
        <Button look="primary" onClick={startMerge} disabled={isBusy} blocked={inTheWay}>
          Merge
        </Button>
      )}
      {asked === 'reject' && (
        <ReasonDialog
          title={`Reject ${title}?`}
          action="Reject"
          isDanger
          isPending={reject.isPending}
          onClose={stop}
          onSubmit={(text) => {
            stop()
            reject.mutate({ all: [proposal], text })
          }}
        />
      )}
      {asked === 'close' && (
        <ReasonDialog
          title={`Withdraw ${title}?`}
          action="Withdraw"
          isPending={close.isPending}
          onClose={stop}
          onSubmit={(text) => {
            stop()
            close.mutate(text.trim())
          }}
        />
      )}
      {asked === 'text' && <EditText proposal={proposal} onClose={stop} />}
    </>
  )
}
