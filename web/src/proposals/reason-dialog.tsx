/** Asks for the reason of a decision, which may stay empty. */
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, TextArea } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'

type Props = {
  readonly title: string
  readonly action: string
  readonly isDanger?: boolean
  readonly isPending: boolean
  readonly error?: unknown
  readonly onSubmit: (text: string) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

export const ReasonDialog = ({ title, action, isDanger, isPending, error, onSubmit, onClose, children }: Props) => {
  const [text, setText] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) onSubmit(text)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {error !== undefined && error !== null && <Alert>{toAppError(error).message}</Alert>}
        {children}
        <TextArea label="Reason" hint="For all who see the proposal" value={text} onChange={setText} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'dangerFill' : 'primary'} disabled={isPending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
