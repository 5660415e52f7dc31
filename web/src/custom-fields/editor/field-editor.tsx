/** The editor of the custom fields of one resource or kind: its definitions by group, beside them the form that they make. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import { kindsQuery } from '../../kinds/known-kinds.ts'
import { ResourceDrawer } from '../../resource/resource-drawer.tsx'
import { useIsInUse, usePermit } from '../../shell/me.ts'
import { PageBody } from '../../shell/page.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { Card } from '../../ui/primitives.tsx'
import css from '../custom-fields.module.css'
import { buildDefinitionResource } from '../definition-resource.tsx'
import { FieldControls } from '../value-fields.tsx'
import { DeleteField } from './delete-field.tsx'
import { FieldList } from './field-list.tsx'
import { filterFields, type useDefinitions } from './use-definitions.ts'

const Preview = ({ fields }: { readonly fields: readonly CustomField[] }) => {
  const [value, setValue] = useState('')
  return (
    <Card title="The form">
      <div className={css.form}>
        <FieldControls definitions={fields} value={value} onChange={setValue} errors={{}} isNew />
      </div>
    </Card>
  )
}

const NO_KINDS: readonly never[] = []

type DrawerProps = {
  /** All definitions. */
  readonly all: readonly CustomField[]
  readonly resource: string
  /** True on a page of this resource alone. */
  readonly isOwn: boolean
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly onClose: () => void
  readonly onSaved?: (field: CustomField) => void
}

/** The form of a definition. */
export const FieldDrawer = ({ all, resource, isOwn, id, onClose, onSaved }: DrawerProps) => {
  const { blocked } = usePermit()
  const { data: kinds = NO_KINDS } = useQuery({ ...kindsQuery, enabled: useIsInUse('kinds') })
  const form = useMemo(() => buildDefinitionResource(all, { kinds, isOwn }), [all, kinds, isOwn])
  const last = Math.max(-1, ...filterFields(all, resource).map(({ position }) => position))
  return (
    <ResourceDrawer
      key={id ?? 'new'}
      resource={form}
      id={id}
      given={{ resource, position: String(last + 1) }}
      onClose={onClose}
      onSaved={(field) => onSaved?.(field)}
      blocked={blocked(id === undefined ? 'custom-fields:create' : 'custom-fields:update')}
    />
  )
}

type Props = Pick<DrawerProps, 'all' | 'resource' | 'isOwn'> &
  Pick<ReturnType<typeof useDefinitions>, 'reorder'> & {
    /** In the place of a list without fields. */
    readonly empty: ReactNode
    /** Above the form. */
    readonly beside?: ReactNode
    readonly onSaved?: (field: CustomField) => void
  }

export const FieldEditor = ({ all, resource, isOwn, reorder, empty, beside, onSaved }: Props) => {
  const { search, set } = usePageSearch()
  const { blocked } = usePermit()
  const [pendingDelete, setPendingDelete] = useState<CustomField>()
  const fields = useMemo(() => filterFields(all, resource), [all, resource])
  const hasBody = fields.length > 0 || beside !== undefined
  return (
    <>
      {!hasBody && empty}
      {hasBody && (
        <PageBody>
          <div className={css.editor}>
            <div className={css.sections}>
              {fields.length === 0 && empty}
              <FieldList
                fields={fields}
                onMove={(id, place) => void reorder(fields, id, place)}
                onEdit={({ id }) => void set({ edit: id })}
                onDelete={setPendingDelete}
                noUpdate={blocked('custom-fields:update')}
                noDelete={blocked('custom-fields:delete')}
              />
            </div>
            <div className={css.sections}>
              {beside}
              {fields.length > 0 && <Preview key={resource} fields={fields} />}
            </div>
          </div>
        </PageBody>
      )}
      {(search.new !== undefined || search.edit !== undefined) && (
        <FieldDrawer
          {...{ all, resource, isOwn }}
          id={search.edit}
          onClose={() => void set({ new: undefined, edit: undefined })}
          {...(onSaved && { onSaved })}
        />
      )}
      {pendingDelete && <DeleteField field={pendingDelete} onClose={() => setPendingDelete(undefined)} />}
    </>
  )
}
