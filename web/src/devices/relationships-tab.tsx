/** The relationships of a device: a list one can add to and take from. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { write } from '../api/client.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './devices.module.css'
import { relationshipsQuery } from './queries.ts'
import { RelationshipBadge } from './relationship-badge.tsx'

/** Its code is loaded when it is opened. */
const RelateDialog = lazy(() => import('./relate-dialog.tsx').then((module) => ({ default: module.RelateDialog })))

export const RelationshipsTab = ({ device }: { readonly device: Device }) => {
  const client = useQueryClient()
  const report = useReport()
  const { blocked } = usePermit()
  const query = relationshipsQuery(device.id)
  const { data, error, refetch } = useQuery(query)
  const [isAdding, setAdding] = useState(false)
  const changed = () => client.invalidateQueries({ queryKey: ['device'] })
  const remove = useMutation({
    mutationFn: (link: NonNullable<typeof data>[number]) =>
      write(contracts.relationships.delete, {
        device_id: link.parent_id,
        child_id: link.child_id,
        type: link.type,
      }),
    onSuccess: (written) => {
      report('Removed the relationship', written)
      return changed()
    },
    onError: (cause) => toastError('The relationship is still there', cause),
  })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <Card
      title="Relationships"
      actions={
        <Button onClick={() => setAdding(true)} blocked={blocked('relationships:create')}>
          <Plus size={15} aria-hidden="true" />
          Relate to a device
        </Button>
      }
    >
      {!data && <Skeleton />}
      {data?.length === 0 && (
        <p className="muted">
          It has no relationships yet. Add one: a rack contains it, a link connects it, or it depends on another device.
        </p>
      )}
      <ul className={css.links}>
        {data?.map((link) => (
          <li key={`${link.parent_id} ${link.child_id} ${link.type}`} className={css.link}>
            <RelationshipBadge link={link} />
            <Link to="/devices/$id" params={{ id: link.otherId }}>
              {link.otherName}
            </Link>
            <span className="muted">{link.notes}</span>
            <Button
              isIcon
              look="quiet"
              aria-label={`Remove the relationship with ${link.otherName}`}
              blocked={blocked('relationships:delete')}
              onClick={() => remove.mutate(link)}
            >
              <Trash2 size={15} aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      {isAdding && (
        <Suspense>
          <RelateDialog device={device} onClose={() => setAdding(false)} onDone={changed} />
        </Suspense>
      )}
    </Card>
  )
}
