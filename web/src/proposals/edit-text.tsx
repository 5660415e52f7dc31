/** The title and the description of a proposal. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { getFieldErrors } from '../api/errors.ts'
import { FormDialog } from '../resource/form/form-dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { refreshProposals } from './queries.ts'

type Props = { readonly proposal: Proposal; readonly onClose: () => void }

export const EditText = ({ proposal, onClose }: Props) => {
  const [title, setTitle] = useState(proposal.title)
  const [description, setDescription] = useState(proposal.description)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.proposals.update({ id: String(proposal.number), title, description }),
    onSuccess: () => {
      refreshProposals()
      onClose()
    },
  })
  const errors = getFieldErrors(error)
  return (
    <FormDialog
      title="Edit the text"
      action="Save"
      isBlocked={isPending}
      error={Object.keys(errors).length === 0 && error}
      onSubmit={mutate}
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
