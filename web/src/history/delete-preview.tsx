/** The other objects that a deletion would delete or change, before it is confirmed. */

import { useQuery } from '@tanstack/react-query'
import { KIND_NAMES } from '../../../src/record/history/kind-names.ts'
import type { Change } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { plural } from '../ui/format.ts'
import { Badge, Skeleton } from '../ui/primitives.tsx'
import css from './history.module.css'
import { CHANGE_TONES, CHANGE_WORDS, getShownName, withCapital } from './labels.ts'

const MOST_SHOWN = 6

type ListProps = { readonly change: Change; readonly without?: readonly string[] }

/** The summary of a change, and its first objects. */
export const ChangePreview = ({ change: { summary, counts, items = [] }, without = [] }: ListProps) => {
  const others = items.filter(({ id }) => !without.includes(id))
  const total = Object.values(counts).reduce(
    (sum, kinds) => sum + Object.values(kinds ?? {}).reduce((one, n) => one + n, 0),
    0,
  )
  const more = total - (items.length - others.length) - Math.min(others.length, MOST_SHOWN)
  return (
    <div className={css.preview}>
      <p role="status">{withCapital(summary)}.</p>
      {others.length > 0 && (
        <ul>
          {others.slice(0, MOST_SHOWN).map(({ kind, id, name, change }) => (
            <li key={`${kind} ${id}`}>
              <Badge tone={CHANGE_TONES[change]}>{CHANGE_WORDS[change]}</Badge>{' '}
              <span className="muted">{KIND_NAMES[kind].noun}</span> {getShownName({ id, name })}
            </li>
          ))}
          {more > 0 && <li className="muted">and {plural(more, 'other')}</li>}
        </ul>
      )}
    </div>
  )
}

type Props = {
  /** The objects that are deleted, which the dialog names already. */
  readonly ids: readonly string[]
  readonly load: () => Promise<Change>
}

export const DeletePreview = ({ ids, load }: Props) => {
  const { data, error } = useQuery({
    queryKey: ['delete-preview', ids],
    queryFn: load,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })
  if (error) return <p className="muted">{toAppError(error).message}</p>
  if (!data) return <Skeleton />
  return <ChangePreview change={data} without={ids} />
}
