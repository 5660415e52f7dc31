/** The buttons above the changes of a source, for the selected ones or for all of them. */
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { toastError } from '../../ui/toast.tsx'
import type { Source } from '../queries.ts'
import css from '../sources.module.css'
import { formatPortion, MOST_NAMED, takePortion } from './portion.ts'
import type { ObjectState, SourceObject } from './queries.ts'
import { type ObjectKey, type Terms, toKey, useLink } from './use-apply.ts'
import { isApplicable } from './words.ts'

type Props = {
  readonly source: Source
  readonly state: ObjectState
  /** The selected objects. */
  readonly chosen: readonly SourceObject[]
  readonly isPending: boolean
  readonly onApply: (terms: Terms) => void
  /** Called with the objects that were linked. */
  readonly onDone: (objects: readonly ObjectKey[]) => void
}

const HINTS: Readonly<Partial<Record<ObjectState, string>>> = {
  unclear: 'The source may mean an object that you have. Nothing is written of these until it is linked.',
  kept: 'A person has changed these, or another owner manages them. They stay until you take the value of the source.',
  failed: 'A rule has refused these. They are tried again by each run.',
}

export const ChangesBar = ({ source, state, chosen, isPending, onApply, onDone }: Props) => {
  const { blocked } = usePermit()
  const link = useLink(source)
  const taken = state === 'unclear' ? chosen : chosen.filter(isApplicable)
  const objects = takePortion(taken).map(toKey)
  const { counts, mode, is_running } = source
  const isNone = chosen.length === 0
  const noApply = blocked('sources:run')
  const isBusy = isPending || is_running
  const makeNew = () =>
    link.mutate(
      { objects, object_id: '' },
      { onSuccess: () => onDone(objects), onError: (error) => toastError('Not linked', error) },
    )
  return (
    <div className={css.bar}>
      {HINTS[state] !== undefined && <p className="muted">{HINTS[state]}</p>}
      {(state === 'changed' || state === 'gone') && isNone && (
        <>
          <Button look="primary" onClick={() => onApply({})} blocked={noApply} disabled={isBusy}>
            {isPending ? 'Applying …' : 'Apply all'}
          </Button>
          {mode === 'review' && (
            <Button
              onClick={() => onApply({ keepsInSync: true })}
              blocked={noApply ?? blocked('sources:update')}
              disabled={isBusy}
            >
              Apply and keep in sync
            </Button>
          )}
          {counts.changed > 0 && counts.gone > 0 && (
            <span className="muted">All: also the objects that are gone and due.</span>
          )}
        </>
      )}
      {state !== 'kept' && state !== 'unclear' && (state === 'failed' || !isNone) && (
        <Button
          look="primary"
          onClick={() => onApply({ objects })}
          blocked={noApply}
          disabled={isBusy || objects.length === 0}
        >
          {isPending ? 'Applying …' : `Apply ${formatPortion(taken.length)}`}
        </Button>
      )}
      {state === 'kept' && (
        <Button
          look="primary"
          onClick={() => onApply({ objects, overwrite: true })}
          blocked={noApply}
          disabled={isBusy || objects.length === 0}
        >
          {isPending ? 'Applying …' : 'Take the source’s value'}
        </Button>
      )}
      {state === 'unclear' && (
        <Button onClick={makeNew} blocked={blocked('sources:update')} disabled={isNone || link.isPending}>
          {isNone ? 'Make new objects of the selected' : `Make ${formatPortion(taken.length)} new`}
        </Button>
      )}
      {taken.length > MOST_NAMED && (
        <span className="muted">{formatCount(MOST_NAMED)} at once; the others stay selected.</span>
      )}
    </div>
  )
}
