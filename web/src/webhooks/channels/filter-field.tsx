/** The filter of a webhook: tags, datacenters and networks of the objects of its events. */
import { useState } from 'react'
import { ReferencesField } from '../../resource/form/reference-field.tsx'
import fieldCss from '../../ui/field.module.css'
import { TextField } from '../../ui/field.tsx'
import type { Webhook } from '../queries.ts'

type Filter = Webhook['filter']

/** Formats the filter as the text of a form field. */
export const formatFilter = (value: unknown): string => JSON.stringify(value ?? {})

/** @param text of `formatFilter`, or '' in a new form */
export const parseFilter = (text: string): Filter =>
  // `formatFilter` has written it.
  JSON.parse(text || '{}') as Filter

const splitTags = (text: string): string[] => text.split(',').flatMap((tag) => tag.trim() || [])

type TagsProps = {
  readonly tags: readonly string[]
  readonly onTags: (tags: string[]) => void
  readonly error: string | undefined
}

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly errors: Readonly<Record<string, string>>
}

/** Keeps the text as it is typed: spaces, and a comma after which no tag stands yet. */
const TagsInput = ({ tags, onTags, error }: TagsProps) => {
  const [text, setText] = useState(tags.join(', '))
  const change = (next: string) => {
    setText(next)
    onTags(splitTags(next))
  }
  return (
    <TextField
      label="With one of the tags"
      hint="Separated by commas"
      value={splitTags(text).join() === tags.join() ? text : tags.join(', ')}
      onChange={change}
      error={error}
    />
  )
}

export const FilterField = ({ value, onChange, errors }: Props) => {
  const filter = parseFilter(value)
  const change = (part: Filter) => onChange(formatFilter({ ...filter, ...part }))
  return (
    <div className={fieldCss.fields}>
      <TagsInput
        tags={filter.tags ?? []}
        onTags={(tags) => change({ tags })}
        error={errors['filter.tags'] ?? errors['filter.tags[0]']}
      />
      <ReferencesField
        label="In one of the datacenters"
        hint="With the datacenters below them"
        to="datacenters"
        value={filter.datacenter_ids ?? []}
        onChange={(ids) => change({ datacenter_ids: [...ids] })}
        error={errors['filter.datacenter_ids']}
      />
      <ReferencesField
        label="In one of the networks"
        to="networks"
        value={filter.network_ids ?? []}
        onChange={(ids) => change({ network_ids: [...ids] })}
        error={errors['filter.network_ids']}
      />
    </div>
  )
}
