/** Gives all selected devices one value of a custom field, or takes it from them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import { toList } from '../../custom-fields/control.ts'
import { definitionsQuery } from '../../custom-fields/definitions.ts'
import type { FormValue } from '../../custom-fields/known-text.ts'
import { ValueControl } from '../../custom-fields/value-control.tsx'
import { toColumnId } from '../../custom-fields/values.ts'
import { ChangeDialog } from '../../resource/change-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { devices } from '../window/device-list-client.ts'
import { type BulkOperation, putAll, runOperations } from './batch.ts'
import type { DialogProps } from './bulk-dialogs.tsx'

const NONE: readonly CustomField[] = []

const toOption = ({ name, label, group }: CustomField): readonly [string, string] => [
  name,
  group === '' ? label : `${group}: ${label}`,
]

export const BulkFieldDialog = ({ ids, onClose, onDone }: DialogProps) => {
  const { data = NONE } = useQuery(definitionsQuery)
  const fields = data.filter(({ resource }) => resource === 'devices')
  const [name, setName] = useState('')
  const [value, setValue] = useState<FormValue>('')
  const chosen = fields.find((one) => one.name === name) ?? fields[0]
  if (!chosen) return null
  const given = toList(value).filter((one) => one.trim() !== '')
  const isEmpty = given.length === 0
  // A list is replaced whole.
  const sent = isEmpty ? null : typeof value === 'string' ? value : [...value]
  const operation = (id: string): BulkOperation => ({ op: 'update', id, device: { custom: { [chosen.name]: sent } } })
  const isOfField = (field: string) => field.startsWith(toColumnId(chosen.name))
  return (
    <ChangeDialog
      title={`Set a field of ${plural(ids.size, 'device')}`}
      action={isEmpty && !chosen.required ? 'Clear field' : 'Set field'}
      total={ids.size}
      isReady={!(isEmpty && chosen.required)}
      hasError={isOfField}
      run={runOperations(ids, operation, putAll)}
      onClose={onClose}
      onDone={onDone}
      onFailed={devices.load}
    >
      {(errors) => (
        <>
          <SelectField
            label="Custom field"
            value={chosen.name}
            onChange={(next) => {
              setName(next)
              setValue('')
            }}
            options={fields.map(toOption)}
          />
          <ValueControl
            key={chosen.name}
            definition={chosen}
            value={value}
            onChange={setValue}
            error={Object.entries(errors).find(([field]) => isOfField(field))?.[1]}
          />
          <p className="muted" role="status">
            {isEmpty
              ? chosen.required
                ? 'A required field needs a value.'
                : `${chosen.label} is taken from each of them.`
              : `Each of them gets this ${chosen.label}, in the place of its own.`}
          </p>
        </>
      )}
    </ChangeDialog>
  )
}
