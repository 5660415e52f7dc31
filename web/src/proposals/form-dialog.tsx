/** The dialog of a short form, and the one that asks for the reason of a decision. */
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, TextArea } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'

type Props = {
  readonly title: string
  readonly action: string
  readonly isPending: boolean
  readonly isDanger?: boolean | undefined
  readonly isWide?: boolean
  /** An error that no field shows. */
  readonly error?: unknown
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export const FormDialog = (props: Props) => {
  const { title, action, isPending, isDanger, isWide = false, error, onSubmit, onClose, children } = props
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

type ReasonProps = Omit<Props, 'children' | 'onSubmit'> & { readonly onSubmit: (text: string) => void }

/** The reason may stay empty. */
export const ReasonDialog = ({ onSubmit, ...props }: ReasonProps) => {
  const [text, setText] = useState('')
  return (
    <FormDialog {...props} onSubmit={() => onSubmit(text)}>
      <TextArea label="Reason" hint="For all who see the proposal" value={text} onChange={setText} />
    </FormDialog>
  )
}
