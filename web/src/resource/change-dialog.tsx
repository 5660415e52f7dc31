/** The dialog of a change of many selected objects, with its progress, its note and its errors. */
import type { ReactNode } from 'react'
import { toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { formatCount } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { type ChangeProps, type Errors, useChange } from './form/use-change.ts'
import { NoteField } from './note-field.tsx'

export type { Run } from './form/use-change.ts'

type Props = ChangeProps & {
  readonly title: string
  readonly action: string
  /** The number of objects. */
  readonly total: number
  /** Gets the errors of the last try, by the fields of an object. */
  readonly children: ReactNode | ((errors: Errors) => ReactNode)
  /** True for the fields with errors that the children show. */
  readonly hasError?: (field: string) => boolean
  readonly isDanger?: boolean
  readonly isWide?: boolean
}

export const ChangeDialog = (props: Props) => {
  const { title, action, total, children, hasError, isReady, isDanger, isWide } = props
  const { done, isRunning, error, errors, note, setNote, submit, close, proposing, propose } = useChange(props)
  const isShownBelow = hasError !== undefined && Object.keys(errors).some(hasError)
  return (
    <Dialog title={title} onClose={close} isWide={isWide === true}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {error !== undefined && !isShownBelow && <Alert>{toAppError(error).message}</Alert>}
        {typeof children === 'function' ? children(errors) : children}
        <NoteField value={note} onChange={setNote} />
        {isRunning && (
          <p role="status" className="muted">
            {formatCount(done ?? 0)} of {formatCount(total)}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          {proposing.isChoice && (
            <Button onClick={propose} disabled={isRunning || !isReady}>
              Propose instead
            </Button>
          )}
          <Button type="submit" look={isDanger ? 'dangerFill' : 'primary'} disabled={isRunning || !isReady}>
            {proposing.label(action)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
