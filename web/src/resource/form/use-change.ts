/** A change of many selected objects that runs: its progress, its note and its errors. */
import { type SubmitEvent, useRef, useState } from 'react'
import type { Written } from '../../api/proposing.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { type BatchOptions, getItemErrors } from '../batch.ts'

type Done = {
  readonly written: readonly Written[]
  readonly text: string
}

/** Makes the change. @returns the results of its calls, and a text for the toast */
export type Run = (options: BatchOptions) => Promise<Done>

export type Errors = Readonly<Record<string, string>>

export type ChangeProps = {
  readonly isReady: boolean
  /** The permission of the change; undefined for one that cannot be proposed. */
  readonly needs?: string
  readonly run: Run
  readonly onClose: () => void
  readonly onDone: () => void
  /** Earlier calls of a failed run hold. */
  readonly onFailed: () => void
}

const NO_ERRORS: Errors = {}

/** All calls of the change go into one proposal. */
const PROPOSED = { proposal: 'open' } as const

export const useChange = ({ isReady, needs, run, onClose, onDone, onFailed }: ChangeProps) => {
  /** The number of objects that are changed already; undefined while nothing runs. */
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const [note, setNote] = useState('')
  const stop = useRef(new AbortController())
  const proposing = useProposing(needs)
  const report = useReport()
  const start = async (proposes: boolean) => {
    setError(undefined)
    setDone(0)
    try {
      const options = {
        onProgress: setDone,
        signal: stop.current.signal,
        ...(note !== '' && { note }),
        ...(proposes && PROPOSED),
      }
      const { text, written } = await run(options)
      report(text, written)
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
      if (isReady && !isRunning) void start(proposing.isOnly)
    },
    proposing,
    propose: () => {
      if (isReady && !isRunning) void start(true)
    },
    close: () => {
      stop.current.abort()
      onClose()
    },
  }
}
