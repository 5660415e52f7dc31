/** The dialog before a change is undone: shows the changes that the undo would make, or the obstacles. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, getWritten } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { isShown } from '../api/proposing.ts'
import { useProposing, useReport } from '../proposals/known-proposals.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { ChangePreview } from './delete-preview.tsx'
import css from './history.module.css'
import { getUndoPermission, splitAroundId } from './labels.ts'
import { changeQuery, previewUndo, UNDO_PREVIEW } from './queries.ts'
import { refreshAll, reportUndone } from './undo-now.ts'

type ObstaclesProps = { readonly error: unknown; readonly onLeave: () => void }

/** Each obstacle, with a link to the change that is in the way. */
const Obstacles = ({ error, onLeave }: ObstaclesProps) => {
  const { message, details } = toAppError(error)
  const whole = splitAroundId(message)
  const listed = details.map(({ field, message: reason }) => ({ field, ...splitAroundId(reason) }))
  return (
    <Alert>
      <b>It can't be undone.</b>
      <span>
        {whole.before}
        {whole.id !== '' && <ChangeLink id={whole.id} onLeave={onLeave} />}
        {whole.after}
      </span>
      <ul className={css.obstacles}>
        {listed.map(({ field, before, id, after }) => (
          <li key={`${field} ${before} ${id}`}>
            <span className="mono muted">{field}</span> {before}
            {id !== '' && <ChangeLink id={id} onLeave={onLeave} />}
            {after}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

const ChangeLink = ({ id, onLeave }: { readonly id: string; readonly onLeave: () => void }) => (
  <Link to="/history/$id" params={{ id }} className="link" onClick={onLeave}>
    {id}
  </Link>
)

type UndoField = { readonly proposal?: 'open' }
type Props = { readonly id: string; readonly onClose: () => void }

export const UndoDialog = ({ id, onClose }: Props) => {
  const { mayPropose } = usePermit()
  const change = useQuery({ ...changeQuery(id), enabled: mayPropose })
  const proposing = useProposing(change.data?.items?.map(getUndoPermission))
  const report = useReport()
  const preview = useQuery({
    queryKey: [UNDO_PREVIEW, id],
    queryFn: () => previewUndo({ id, ...proposing.field }),
    enabled: !change.isLoading,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })
  const undo = useMutation({
    mutationFn: (field: UndoField) => call(contracts.history.undo, { id, ...field }),
    onSuccess: (undone) => {
      onClose()
      const written = getWritten(undone)
      if (written.proposal === undefined) reportUndone(undone)
      else report('Undone', written)
      if (isShown(written)) refreshAll()
    },
  })
  const error = undo.error ?? preview.error
  return (
    <Dialog title="Undo this change?" onClose={onClose}>
      {error ? (
        <Obstacles error={error} onLeave={onClose} />
      ) : preview.data ? (
        <ChangePreview change={preview.data} />
      ) : (
        <Skeleton />
      )}
      <DialogActions>
        <Button onClick={onClose}>{error ? 'Close' : 'Cancel'}</Button>
        {!error && proposing.isChoice && (
          <Button disabled={!preview.data || undo.isPending} onClick={() => undo.mutate({ proposal: 'open' })}>
            Propose instead
          </Button>
        )}
        {!error && (
          <Button
            look="primary"
            disabled={!preview.data || undo.isPending}
            onClick={() => undo.mutate(proposing.field)}
          >
            {proposing.label('Undo')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
