/** A dialog with a form of a few fields, and the one that asks for a reason. */
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
  readonly isWide?: boolean
  readonly isPending: boolean
  /** An error that no field shows. */
  readonly error?: unknown
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export const FormDialog = (props: Props) => {
  const { title, action, isDanger, isWide = false, isPending, error, onSubmit, onClose, children } = props
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {Boolean(error) && <Alert>{toAppError(error).message}</Alert>}
        {children}
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

type ReasonProps = Pick<Props, 'title' | 'action' | 'isDanger' | 'onClose'> & {
  readonly onSubmit: (reason: string) => void
}

/** Asks for the reason of a decision, which may stay empty. */
export const ReasonDialog = ({ onSubmit, ...rest }: ReasonProps) => {
  const [text, setText] = useState('')
  return (
    <FormDialog {...rest} isPending={false} onSubmit={() => onSubmit(text.trim())}>
      <TextArea label="Reason" hint="For all who see the proposal" value={text} onChange={setText} />
    </FormDialog>
  )
}
