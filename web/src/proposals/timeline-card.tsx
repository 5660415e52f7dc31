/** The entries of a proposal, oldest first, and the field of a comment. */
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { Proposal } from '../api/contracts.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { getKindNoun } from '../history/labels.ts'
import { ShowMore } from '../history/show-more.tsx'
import { Button } from '../ui/button.tsx'
import { Alert, TextArea } from '../ui/field.tsx'
import { Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { formatEntry, type TimelineEntry } from './entry-words.ts'
import css from './proposals.module.css'
import { refreshProposals, timelineQuery } from './queries.ts'

/** The item that a comment is about. */
export type Target = { readonly kind: string; readonly id: string; readonly name: string }

const Entry = ({ entry }: { readonly entry: TimelineEntry }) => (
  <li className={css.operation}>
    <p className={css.rowHead}>
      <span>
        {formatEntry(entry)}
        {entry.object_id !== '' && <span className="muted"> On a {getKindNoun(entry.kind)}.</span>}
        {entry.type === 'approved' && !entry.is_current && (
          <span className="muted"> Not counted: it would do something else now.</span>
        )}
      </span>
      <span className={css.since}>
        <TimeAgo at={entry.at} />
      </span>
    </p>
    {entry.text !== '' && <p className={css.description}>{entry.text}</p>}
  </li>
)

type FormProps = { readonly id: string; readonly target: Target | undefined; readonly onDone: () => void }

const CommentForm = ({ id, target, onDone }: FormProps) => {
  const [text, setText] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (target) form.current?.querySelector('textarea')?.focus()
  }, [target])
  const send = useMutation({
    mutationFn: () => api.proposals.comment({ id, text, ...(target && { kind: target.kind, object_id: target.id }) }),
    onSuccess: () => {
      setText('')
      onDone()
      refreshProposals()
    },
  })
  const errors = getFieldErrors(send.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (text.trim() !== '') send.mutate()
  }
  return (
    <form ref={form} onSubmit={submit} className={css.form} noValidate>
      {send.error && errors.text === undefined && <Alert>{toAppError(send.error).message}</Alert>}
      <TextArea
        label={target ? `Comment on ${target.name}` : 'Comment'}
        hint="For all who see the proposal"
        value={text}
        onChange={setText}
        error={errors.text}
      />
      <p className={css.tools}>
        <Button type="submit" disabled={send.isPending || text.trim() === ''}>
          Comment
        </Button>
        {target && (
          <Button
            isIcon
            look="quiet"
            aria-label={`Comment on the proposal, and not on ${target.name}`}
            onClick={onDone}
          >
            <X size={14} aria-hidden="true" />
          </Button>
        )}
      </p>
    </form>
  )
}

type Props = {
  readonly proposal: Proposal
  readonly target: Target | undefined
  readonly onDone: () => void
  readonly mayComment: boolean
}

export const TimelineCard = ({ proposal, target, onDone, mayComment }: Props) => {
  const id = String(proposal.number)
  const query = useInfiniteQuery(timelineQuery(id))
  const entries = query.data?.pages.flatMap(({ rows }) => rows)
  return (
    <Card title="Timeline">
      {!entries && <Skeleton />}
      {entries?.length === 0 && <p className="muted">Nothing has happened yet.</p>}
      <ol className={css.operations}>
        {entries?.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <ShowMore query={query} />
      {mayComment && <CommentForm id={id} target={target} onDone={onDone} />}
    </Card>
  )
}
