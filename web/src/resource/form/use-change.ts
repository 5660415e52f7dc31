/** A change of many selected objects that runs: its progress, its note and its errors. */
import { type SubmitEvent, useRef, useState } from 'react'
import { toast } from '../../ui/toast.tsx'
import { type BatchOptions, getItemErrors } from '../batch.ts'
import { createUndo } from '../object/undo.ts'

/** Makes the change. @returns the ids of its changes, and a text for the toast */
export type Run = (options: BatchOptions) => Promise<{ readonly changes: readonly unknown[]; readonly text: string }>

export type Errors = Readonly<Record<string, string>>

export type ChangeProps = {
  readonly isReady: boolean
  readonly run: Run
  readonly onClose: () => void
  readonly onDone: () => void
  /** Earlier calls of a failed run hold. */
  readonly onFailed: () => void
}

const NO_ERRORS: Errors = {}

export const useChange = ({ isReady, run, onClose, onDone, onFailed }: ChangeProps) => {
  /** The number of objects that are changed already; undefined while nothing runs. */
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
  return {
    done,
    isRunning,
    error,
    /** Of the last try, by the fields of an object. */
    errors: error === undefined ? NO_ERRORS : getItemErrors(error),
    note,
    setNote,
    submit: (event: SubmitEvent) => {
      event.preventDefault()
      if (isReady && !isRunning) void start()
    },
    close: () => {
      stop.current.abort()
      onClose()
    },
  }
}
