/** The history of one object: each change with its fields, the newest first. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History, Undo2 } from 'lucide-react'
import { useMemo } from 'react'
import { KIND_NAMES } from '../../../src/record/history/kind-names.ts'
import type { HistoryEntry } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { undoing } from '../shell/palette-state.ts'
import { Button } from '../ui/button.tsx'
import { formatExactMoment } from '../ui/format.ts'
import { Badge, Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Begins } from './begins.tsx'
import { FieldChanges } from './field-changes.tsx'
import css from './history.module.css'
import { ItemName } from './item-row.tsx'
import { CHANGE_TONES, CHANGE_WORDS, formatActor, formatProgram, getUndoPermission, listUndone } from './labels.ts'
import { type ObjectKind, objectHistoryQuery } from './queries.ts'

type EntryProps = {
  readonly entry: HistoryEntry
  readonly isOther: boolean
  readonly isUndone: boolean
}

const Entry = ({ entry, isOther, isUndone }: EntryProps) => {
  const { blocked } = usePermit()
  const { at, change_id: id, change, kind, note, undoes } = entry
  const program = formatProgram(entry)
  return (
    <li className={css.entry}>
      <Link to="/history/$id" params={{ id }} className="link mono" title="The whole change">
        <time dateTime={at}>{formatExactMoment(at)}</time>
      </Link>
      <span>
        <b>{formatActor(entry)}</b> {program !== '' && <span className="muted">with {program}</span>}
      </span>
      <span className={css.change}>
        <Badge tone={CHANGE_TONES[change]}>{CHANGE_WORDS[change]}</Badge>
        {isOther && (
          <>
            <span className="muted">{KIND_NAMES[kind].noun}</span> <ItemName item={entry} asOf={undefined} />
          </>
        )}
        {undoes !== null && (
          <Link to="/history/$id" params={{ id: undoes }} className="link">
            an undo
          </Link>
        )}
        {isUndone && <Badge tone="idle">undone</Badge>}
      </span>
      <span className={css.tools}>
        <Link
          to="."
          search={(old: object) => ({ ...old, as_of: id, tab: undefined })}
          className={css.tool}
          aria-label={`Show the estate as of ${formatExactMoment(at)}`}
          title="As of then"
        >
          <History size={15} aria-hidden="true" />
        </Link>
        {!isUndone && (
          <Button onClick={() => undoing.set(id)} blocked={blocked(getUndoPermission(entry))}>
            <Undo2 size={15} aria-hidden="true" />
            Undo
          </Button>
        )}
      </span>
      <div className={css.details}>
        {note !== '' && <p className={css.note}>{note}</p>}
        <FieldChanges item={entry} />
      </div>
    </li>
  )
}

type Props = { readonly kind: ObjectKind; readonly id: string }

export const ObjectHistory = ({ kind, id }: Props) => {
  const { may } = usePermit()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    objectHistoryQuery(kind, id),
  )
  const entries = useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data])
  const undone = listUndone(entries)
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <Card
      title="History"
      actions={
        may('audit:list') && (
          <Link to="/audit" search={{ resource: kind, resource_id: id }} className="link">
            All in the audit log
          </Link>
        )
      }
    >
      {!data && <Skeleton />}
      {data && entries.length === 0 && <p className="muted">It has not been changed since the history began.</p>}
      <ol>
        {entries.map((entry) => (
          <Entry
            key={`${entry.change_id} ${entry.kind} ${entry.id}`}
            entry={entry}
            isOther={entry.kind !== kind}
            isUndone={undone.has(entry.change_id)}
          />
        ))}
      </ol>
      {hasNextPage && (
        <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
          Show older changes
        </Button>
      )}
      <Begins />
    </Card>
  )
}
