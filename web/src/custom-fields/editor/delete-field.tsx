/** Asks before a definition is deleted. One with values wants its name typed, because the values go with it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import { write } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { plural } from '../../ui/format.ts'
import { Confirm } from '../../ui/layers.tsx'
import { toastError } from '../../ui/toast.tsx'
import { CHANGED_KEYS } from '../definition-resource.tsx'

type Props = { readonly field: CustomField; readonly onClose: () => void }

export const DeleteField = ({ field, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('custom-fields:delete')
  const { id, name, label, resource, objects = 0 } = field
  const isUsed = objects > 0
  const remove = useMutation({
    mutationFn: (field: { readonly proposal?: 'open' }) =>
      write(contracts.customFields.delete, { id, ...(isUsed && { force: true }), ...field }),
    onSuccess: (written) => {
      if (!report(`Deleted ${label}`, written)) return
      for (const key of [...CHANGED_KEYS, 'history']) void client.invalidateQueries({ queryKey: [key] })
      // The values of objects go without an event for each.
      if (isUsed && resource === 'devices' && devices.state.get().status === 'ready') devices.load()
    },
    onError: (error) => toastError(`${label} is still there`, error),
  })
  return (
    <Confirm
      title={`Delete ${label}?`}
      action={proposing.label('Delete custom field')}
      typed={isUsed ? name : undefined}
      onConfirm={() => remove.mutate(proposing.field)}
      other={
        proposing.isChoice
          ? { text: 'Propose instead', onSelect: () => remove.mutate({ proposal: 'open' }) }
          : undefined
      }
      onClose={onClose}
    >
      {isUsed ? (
        <p>
          <b>{plural(objects, 'object')}</b> {objects === 1 ? 'has' : 'have'} a value of it. The values are deleted too.
        </p>
      ) : (
        <p>No object has a value of it.</p>
      )}
    </Confirm>
  )
}
