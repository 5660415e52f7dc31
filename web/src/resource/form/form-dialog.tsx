/** A dialog with a form of a few fields. */
import type { ReactNode, SubmitEvent } from 'react'
import { toAppError } from '../../api/errors.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'

export type FormDialogProps = {
  readonly title: string
  readonly action: string
  readonly isDanger?: boolean
  readonly isWide?: boolean
  /** True while it is sent, and while a field lacks its value. */
  readonly isBlocked: boolean
  /** An error that no field shows. */
  readonly error?: unknown
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export const FormDialog = (props: FormDialogProps) => {
  const { title, action, isDanger, isWide = false, isBlocked, error, onSubmit, onClose, children } = props
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isBlocked) onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {Boolean(error) && <Alert>{toAppError(error).message}</Alert>}
        {children}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'dangerFill' : 'primary'} disabled={isBlocked}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
