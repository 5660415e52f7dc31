/** The actions for the selected devices. Floats over the rows, which stay where they are. */
import { X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { usePermit } from '../../shell/me.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import type { Selected } from '../window/server-filter.ts'
import { BulkDialog } from './bulk-dialogs.tsx'

const BulkFieldDialog = lazy(() =>
  import('./bulk-field-dialog.tsx').then((module) => ({ default: module.BulkFieldDialog })),
)

type Props = {
  readonly ids: Selected
  readonly filter: string
  /** True if devices have custom fields. */
  readonly hasFields: boolean
  readonly onDone: () => void
}

export const BulkBar = ({ ids, filter, hasFields, onDone }: Props) => {
  const { blocked } = usePermit()
  const [open, setOpen] = useState<'tag' | 'move' | 'field' | 'delete'>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    onDone()
  }
  return (
    <div className={tableCss.bulk} role="toolbar" aria-label="Selected devices">
      <b>{formatCount(ids.size)} selected</b>
      <Button onClick={() => setOpen('tag')} blocked={blocked('devices:update')}>
        Tag
      </Button>
      <Button onClick={() => setOpen('move')} blocked={blocked('devices:update')}>
        Move
      </Button>
      {hasFields && (
        <Button onClick={() => setOpen('field')} blocked={blocked('devices:update')}>
          Set field
        </Button>
      )}
      <Button look="danger" onClick={() => setOpen('delete')} blocked={blocked('devices:delete')}>
        Delete {formatCount(ids.size)}
      </Button>
      <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onDone}>
        <X size={15} aria-hidden="true" />
      </Button>
      {open && (
        <Suspense>
          {open === 'field' ? (
            <BulkFieldDialog ids={ids} onClose={close} onDone={done} />
          ) : (
            <BulkDialog kind={open} ids={ids} filter={filter} onClose={close} onDone={done} />
          )}
        </Suspense>
      )}
    </div>
  )
}
