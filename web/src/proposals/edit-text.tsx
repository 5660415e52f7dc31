/** The title and the description of a proposal. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, TextArea, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { refreshProposals } from './queries.ts'

type Props = { readonly proposal: Proposal; readonly onClose: () => void }

export const EditText = ({ proposal, onClose }: Props) => {
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title="Edit the text" onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {save.error && Object.keys(errors).length === 0 && <Alert>{toAppError(save.error).message}</Alert>}
        <TextField label="Title" value={title} onChange={setTitle} error={errors.title} required />
        <TextArea
          label="Description"
          hint="For all who see the proposal"
          value={description}
          onChange={setDescription}
          error={errors.description}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
