/** The actions on selected findings: retire ghosts, document shadows, delete reservations. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { putAll, runOperations } from '../devices/bulk/batch.ts'
import { DocumentMany } from '../discovery/inbox/document-many.tsx'
import { useNewPermit } from '../discovery/inbox/document-one.tsx'
import type { DiscoveredDevice } from '../discovery/shapes.ts'
import { writeEach } from '../resource/batch.ts'
import { ChangeDialog, type Run } from '../resource/change-dialog.tsx'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import type { Finding } from './queries.ts'

/** Most items of the inbox in one answer. */
const ITEMS_AT_ONCE = 1000

/** Returns the discovered devices with these ids that wait in the inbox. */
const loadShadows = async (ids: ReadonlySet<string>): Promise<readonly DiscoveredDevice[]> => {
  const found: DiscoveredDevice[] = []
  for (let offset = 0; found.length < ids.size; offset += ITEMS_AT_ONCE) {
    const items = await api.inbox.list({ bucket: 'new', limit: ITEMS_AT_ONCE, offset })
    found.push(...items.flatMap(({ id, discovered }) => (ids.has(id) ? [discovered] : [])))
    if (items.length < ITEMS_AT_ONCE) break
  }
  return found
}

/** Deletes reservations one after the other; there is no call for many. */
const removeReservations =
  (ids: readonly string[]): Run =>
  async (options) => {
    const inputs = ids.map((id) => ({ id }))
    const written = await writeEach(contracts.reservations.delete, inputs, options)
    return { written, text: `Deleted ${plural(written.length, 'reservation')}` }
  }

type DialogProps = {
  readonly chosen: readonly Finding[]
  readonly onClose: () => void
  readonly onDone: () => void
  /** Some of them may be done. */
  readonly onFailed: () => void
}

const listObjectIds = (chosen: readonly Finding[]): string[] => [
  ...new Set(chosen.map(({ resource_id }) => resource_id)),
]

const Retire = ({ chosen, onClose, onDone, onFailed }: DialogProps) => {
  const ids = listObjectIds(chosen)
  return (
    <ChangeDialog
      title={`Decommission ${plural(ids.length, 'device')}?`}
      action={`Decommission ${formatCount(ids.length)}`}
      total={ids.length}
      isReady
      needs="devices:update"
      onClose={onClose}
      onDone={onDone}
      onFailed={onFailed}
      run={runOperations(ids, (id) => ({ op: 'update', id, device: { status: 'decommissioned' } }), putAll)}
    >
      <p>They keep their addresses and their history, and are ghosts no more.</p>
    </ChangeDialog>
  )
}

const DeleteReservations = ({ chosen, onClose, onDone, onFailed }: DialogProps) => {
  const ids = listObjectIds(chosen)
  return (
    <ChangeDialog
      title={`Delete ${plural(ids.length, 'reservation')}?`}
      action={`Delete ${formatCount(ids.length)}`}
      total={ids.length}
      isReady
      needs="reservations:delete"
      isDanger
      onClose={onClose}
      onDone={onDone}
      onFailed={onFailed}
      run={removeReservations(ids)}
    >
      <p>Their addresses are free again.</p>
    </ChangeDialog>
  )
}

const Document = ({ chosen, onClose, onDone }: DialogProps) => {
  const ids = listObjectIds(chosen)
  const { data } = useQuery({
    queryKey: ['reports', 'shadows of', ids],
    queryFn: () => loadShadows(new Set(ids)),
  })
  return data ? <DocumentMany discovered={data} onClose={onClose} onDone={onDone} /> : null
}

/** The action of a report on its selected findings; undefined for a report without one. */
const ACTIONS = {
  ghosts: { text: 'Decommission', permission: 'devices:update', Dialog: Retire, look: undefined },
  shadows: { text: 'Document', permission: undefined, Dialog: Document, look: undefined },
  'stale-reservations': {
    ...{ text: 'Delete', permission: 'reservations:delete', Dialog: DeleteReservations },
    look: 'danger',
  },
} as const

const isActionable = (name: string): name is keyof typeof ACTIONS => Object.hasOwn(ACTIONS, name)

export const hasAction = (name: string): boolean => isActionable(name)

type Props = { readonly name: string; readonly chosen: readonly Finding[]; readonly onClear: () => void }

export const BulkActions = ({ name, chosen, onClear }: Props) => {
  const { blocked } = usePermit()
  const noNew = useNewPermit()
  const client = useQueryClient()
  // An action applies to the selection at its start.
  const [asked, setAsked] = useState<readonly Finding[]>()
  if (!isActionable(name)) return null
  const { text, permission, Dialog, look } = ACTIONS[name]
  const refresh = () => {
    for (const key of ['reports', 'dashboard', 'reservations', 'pools'])
      void client.invalidateQueries({ queryKey: [key] })
  }
  const done = () => {
    refresh()
    onClear()
  }
  return (
    <>
      {chosen.length > 0 && (
        <div className={tableCss.bulk} role="toolbar" aria-label="Selected findings">
          <b>{formatCount(chosen.length)} selected</b>
          <Button
            {...(look && { look })}
            onClick={() => setAsked(chosen)}
            blocked={permission === undefined ? noNew : blocked(permission)}
          >
            {text} {formatCount(chosen.length)}
          </Button>
          <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onClear}>
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      )}
      {asked && <Dialog chosen={asked} onClose={() => setAsked(undefined)} onDone={done} onFailed={refresh} />}
    </>
  )
}
