/** Chooses the moment that all pages show. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { answeredAsOf, asOf } from '../api/as-of.ts'
import { Button } from '../ui/button.tsx'
import { formatExactMoment, formatLocalMoment } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import css from './history.module.css'
import { MomentInput } from './moments/moment-field.tsx'
import { parseMoment } from './moments/moments.ts'
import { useBackToNow } from './past.tsx'
import { extentQuery } from './queries.ts'

const HOUR_MS = 3_600_000

const QUICK = [
  ['An hour ago', HOUR_MS],
  ['A day ago', 24 * HOUR_MS],
  ['A week ago', 168 * HOUR_MS],
] as const

const formatMoment = (at: string): string => formatLocalMoment(at).replace('T', ' ')

const formatAgo = (ms: number): string => formatMoment(new Date(Date.now() - ms).toISOString())

/** Returns the shown moment. Without it an hour ago, or the beginning of the history if that is later. */
const getInitialText = (beginsAt: string | undefined): string => {
  const shown = answeredAsOf.get() ?? asOf.get() ?? ''
  if (!Number.isNaN(Date.parse(shown))) return formatMoment(shown)
  // Later by less than the second that the text ends with.
  const begunMs = beginsAt === undefined ? 0 : Date.parse(beginsAt) + 999
  return formatMoment(new Date(Math.max(Date.now() - HOUR_MS, begunMs)).toISOString())
}

/** @returns why the estate of this moment cannot be shown */
const validateMoment = (text: string, beginsAt: string | undefined): string | undefined => {
  const ms = parseMoment(text, new Date())?.getTime()
  if (ms === undefined) return 'is no moment, such as 2026-11-28 14:05, 14:05, 24h or Yesterday'
  if (ms > Date.now()) return 'must not be in the future'
  return beginsAt !== undefined && ms < Date.parse(beginsAt)
    ? `must not be before ${formatExactMoment(beginsAt)}, when the history begins`
    : undefined
}

export const ClockDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const navigate = useNavigate()
  const back = useBackToNow()
  const { data } = useQuery(extentQuery)
  const [chosen, setChosen] = useState<string>()
  const text = chosen ?? getInitialText(data?.begins_at)
  const [error, setError] = useState<string>()
  const choose = (next: string) => {
    setChosen(next)
    setError(undefined)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const problem = validateMoment(text, data?.begins_at)
    setError(problem)
    const moment = parseMoment(text, new Date())
    if (problem !== undefined || !moment) return
    const search = (old: object) => ({ ...old, as_of: moment.toISOString() })
    void navigate({ to: '.', search })
    onClose()
  }
  const leave = () => {
    back()
    onClose()
  }
  return (
    <Dialog title="Show the estate as of" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <MomentInput
          label="Moment"
          value={text}
          onType={choose}
          error={error}
          hint={data ? `History begins on ${formatExactMoment(data.begins_at)}.` : undefined}
        />
        <div className={css.quick}>
          {QUICK.filter(([, ms]) => validateMoment(formatAgo(ms), data?.begins_at) === undefined).map(([name, ms]) => (
            <Button key={name} onClick={() => choose(formatAgo(ms))}>
              {name}
            </Button>
          ))}
        </div>
        <DialogActions>
          {asOf.get() === undefined ? (
            <Button onClick={onClose}>Cancel</Button>
          ) : (
            <Button onClick={leave}>Back to now</Button>
          )}
          <Button type="submit" look="primary">
            Show
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
