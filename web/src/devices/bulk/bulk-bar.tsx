/** The actions for the selected devices. Floats over the rows, which stay where they are. */
import { X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { LazyLabelDialog, MOST_LABELS } from '../../print/lazy-labels.tsx'
import { useHasRacks } from '../../racks/known-racks.ts'
import { usePermit } from '../../shell/me.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { isMatching, type Selected } from '../window/server-filter.ts'
import { BulkDelete } from './bulk-delete.tsx'

const BulkEdit = lazy(() => import('./bulk-edit.tsx').then((module) => ({ default: module.BulkEdit })))
const PlaceDialog = lazy(() =>
  import('../../racks/place/place-dialog.tsx').then((module) => ({ default: module.PlaceDialog })),
)

type Props = {
  readonly ids: Selected
  readonly filter: string
  /** Returns the ids of the whole list in its order. */
  readonly loadOrder: () => Promise<readonly string[]>
  readonly onDone: () => void
}

export const BulkBar = ({ ids, filter, loadOrder, onDone }: Props) => {
  const { blocked } = usePermit()
  const hasRacks = useHasRacks()
  const [open, setOpen] = useState<'edit' | 'place' | 'labels' | 'delete'>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    onDone()
  }
  const dialog = { ids, onClose: close, onDone: done }
  return (
    <div className={tableCss.bulk} role="toolbar" aria-label="Selected devices">
      <b>{formatCount(ids.size)} selected</b>
      <Button onClick={() => setOpen('edit')} blocked={blocked('devices:update')}>
        Edit {formatCount(ids.size)}
      </Button>
      {hasRacks && (
        <Button onClick={() => setOpen('place')} blocked={blocked('devices:update')}>
          Place in rack…
        </Button>
      )}
      <Button
        onClick={() => setOpen('labels')}
        blocked={isMatching(ids) || ids.size > MOST_LABELS ? `At most ${MOST_LABELS} labels at a time` : undefined}
      >
        Print labels…
      </Button>
      <Button look="danger" onClick={() => setOpen('delete')} blocked={blocked('devices:delete')}>
        Delete {formatCount(ids.size)}
      </Button>
      <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onDone}>
        <X size={15} aria-hidden="true" />
      </Button>
      <Suspense>
        {open === 'edit' && <BulkEdit {...dialog} />}
        {open === 'place' && <PlaceDialog {...dialog} loadOrder={loadOrder} />}
        {open === 'labels' && !isMatching(ids) && <LazyLabelDialog kind="device" ids={[...ids]} onClose={close} />}
        {open === 'delete' && <BulkDelete {...dialog} filter={filter} />}
      </Suspense>
    </div>
  )
}
