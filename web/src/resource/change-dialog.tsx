/** The dialog of a change of many selected objects, with its progress, its note and its errors. */
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react'
import { toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { formatCount } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import { type BatchOptions, getItemErrors } from './batch.ts'
import { NoteField } from './note-field.tsx'
import { createUndo } from './object/undo.ts'

/** Makes the change. @returns the ids of its changes, and what was done */
export type Run = (options: BatchOptions) => Promise<{ readonly changes: readonly unknown[]; readonly text: string }>

type Errors = Readonly<Record<string, string>>

type Props = {
  readonly title: string
  readonly action: string
  /** The number of objects. */
  readonly total: number
  /** Gets the errors of the last try, by the fields of an object. */
  readonly children: ReactNode | ((errors: Errors) => ReactNode)
  /** True for the fields with errors that the children show. */
  readonly hasError?: (field: string) => boolean
  readonly isReady: boolean
  readonly isDanger?: boolean
  readonly run: Run
  readonly onClose: () => void
  readonly onDone: () => void
  /** Earlier calls of a failed run hold. */
  readonly onFailed: () => void
}

export const ChangeDialog = (props: Props) => {
  const { title, action, total, children, hasError, isReady, isDanger, run, onClose, onDone, onFailed } = props
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const [note, setNote] = useState('')
  const stop = useRef(new AbortController())
  const start = async () => {
    setError(undefined)
    setDone(0)
    try {
      const options = { onProgress: setDone, signal: stop.current.signal, ...(note === '' ? {} : { note }) }
      const { changes, text } = await run(options)
      toast(text, createUndo(changes))
      onDone()
    } catch (cause) {
      setError(cause)
      onFailed()
      setDone(undefined)
    }
  }
  const isRunning = done !== undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isReady && !isRunning) void start()
  }
  const close = () => {
    stop.current.abort()
    onClose()
  }
  const errors = error === undefined ? {} : getItemErrors(error)
  const isShownBelow = hasError !== undefined && Object.keys(errors).some(hasError)
  return (
    <Dialog title={title} onClose={close}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {error !== undefined && !isShownBelow && <Alert>{toAppError(error).message}</Alert>}
        {typeof children === 'function' ? children(errors) : children}
        <NoteField value={note} onChange={setNote} />
        {isRunning && (
          <p role="status" className="muted">
            {formatCount(done)} of {formatCount(total)}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look={isDanger ? 'dangerFill' : 'primary'} disabled={isRunning || !isReady}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
