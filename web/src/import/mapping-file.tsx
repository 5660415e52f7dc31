/** Saves the fields of the columns as a file, and loads one. */
import { useRef } from 'react'
import { DESCRIBED } from '../../../src/base/sheets/described.ts'
import type { ResourceName } from '../export/fields.ts'
import { save } from '../export/save.ts'
import { Button } from '../ui/button.tsx'
import { toastError } from '../ui/toast.tsx'
import type { Mapping } from './kept-mapping.ts'
import { formatMapping, parseMapping } from './kept-mapping.ts'
import { listFieldOptions } from './labels.ts'

type Props = {
  readonly resource: ResourceName
  /** Columns of custom fields. */
  readonly custom: readonly string[]
  readonly columns: readonly string[]
  readonly mapping: Mapping
  readonly onChange: (mapping: Mapping) => void
}

export const MappingFile = ({ resource, custom, columns, mapping, onChange }: Props) => {
  const file = useRef<HTMLInputElement>(null)
  const load = async (chosen: File | undefined) => {
    if (!chosen) return
    try {
      onChange(
        await parseMapping(await chosen.text(), {
          resource,
          columns,
          fields: [...listFieldOptions(resource, custom).map(({ field }) => field), DESCRIBED],
        }),
      )
    } catch (error) {
      toastError('The mapping was not loaded', error)
    }
  }
  const download = () => save(`${resource}-mapping.json`, 'application/json', formatMapping(resource, columns, mapping))
  return (
    <span>
      <Button onClick={download}>Download mapping</Button>{' '}
      <Button onClick={() => file.current?.click()}>Load mapping</Button>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="Mapping file"
        onChange={(event) => {
          const [chosen] = event.target.files ?? []
          event.target.value = ''
          void load(chosen)
        }}
      />
    </span>
  )
}
