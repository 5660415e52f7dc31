/** Asks before a source is deleted, and whether its objects go along. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../api/client.ts'
import { FormDialog } from '../resource/form/form-dialog.tsx'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { SOURCE_KEYS, type Source } from './queries.ts'
import { refreshInventory } from './refresh.ts'
import css from './sources.module.css'

type Fate = 'keep' | 'delete'

const FATES: readonly (readonly [Fate, string, string])[] = [
  ['keep', 'Keep its objects', 'They stay in the inventory, without an owner.'],
  [
    'delete',
    'Delete its objects too',
    'Only those that it made, and that nothing else needs. A change that can be undone.',
  ],
]

type Props = { readonly source: Source; readonly onClose: () => void; readonly onDeleted: () => unknown }

export const DeleteSource = ({ source, onClose, onDeleted }: Props) => {
  const { id, name, counts } = source
  const client = useQueryClient()
  const group = useId()
  const [fate, setFate] = useState<Fate>('keep')
  const remove = useMutation({
    mutationFn: () => api.sources.delete({ id, objects: fate }),
    onSuccess: async () => {
      onClose()
      toast(`Deleted ${name}`)
      await onDeleted()
      client.removeQueries({ queryKey: ['source', id] })
      if (fate === 'delete') refreshInventory()
      else for (const key of [...SOURCE_KEYS, 'me']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <FormDialog
      title={`Delete ${name}?`}
      action="Delete source"
      isDanger
      isBlocked={remove.isPending}
      error={remove.error}
      onSubmit={remove.mutate}
      onClose={onClose}
    >
      <p>It is no longer read. Its secrets and its runs are deleted, and can’t be brought back.</p>
      {counts.objects > 0 && (
        <fieldset className={css.fates}>
          <legend>{plural(counts.objects, 'object')}</legend>
          {FATES.map(([one, text, note]) => (
            <label key={one}>
              <input type="radio" name={group} checked={one === fate} onChange={() => setFate(one)} />
              <span>
                <b>{text}</b> <span className="muted">{note}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
  )
}
