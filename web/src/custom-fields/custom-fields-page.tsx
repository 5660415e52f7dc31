/** The editor of custom fields: the definitions of each resource, beside them the form that they make. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { api } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { LearnMore } from '../help/lazy-learn-more.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/primitives.tsx'
import { Failure, State } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './custom-fields.module.css'
import { buildDefinitionResource, CHANGED_KEYS } from './definition-resource.tsx'
import { RESOURCE_TITLES } from './definition-titles.ts'
import { DeleteField } from './delete-field.tsx'
import { FieldList } from './field-list.tsx'
import { type Moved, move, type Place } from './order.ts'
import { FieldControls } from './value-fields.tsx'

const HINTS: readonly Hint[] = [
  [['c'], 'create'],
  [['Alt', '↑', '↓'], 'move the focused field'],
  [['?'], 'all shortcuts'],
]

const USAGE = ['custom-fields', 'usage']
const NONE: readonly CustomField[] = []

const useDefinitions = () => {
  const client = useQueryClient()
  const { may } = usePermit()
  const query = useQuery({
    queryKey: USAGE,
    queryFn: () => api.customFields.list({ include: ['usage'] }),
    enabled: may('custom-fields:list'),
  })
  const pending = useRef(0)
  const saved = useRef(Promise.resolve())
  const save = async (moved: readonly Moved[]): Promise<void> => {
    try {
      for (const one of moved) await api.customFields.update(one)
    } catch (error) {
      toastError('The order was not saved', error)
    }
    pending.current--
    // An answer from before a later move would undo it on the page.
    if (pending.current > 0) return
    for (const key of [...CHANGED_KEYS, 'history']) void client.invalidateQueries({ queryKey: [key] })
  }
  /** Shows the new order at once. The fields that changed are saved in the order of the moves. */
  const reorder = async (fields: readonly CustomField[], id: string, place: Place): Promise<void> => {
    // A read under way has the order from before.
    await client.cancelQueries({ queryKey: USAGE })
    const moved = new Map(move(fields, id, place).map((one) => [one.id, one]))
    client.setQueryData<readonly CustomField[]>(USAGE, (all = NONE) =>
      all.map((one) => ({ ...one, ...moved.get(one.id) })),
    )
    pending.current++
    saved.current = saved.current.then(() => save([...moved.values()]))
    await saved.current
  }
  return { ...query, reorder }
}

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

const compareByPlace = (a: CustomField, b: CustomField): number =>
  a.group === b.group ? a.position - b.position || (a.name < b.name ? -1 : 1) : a.group < b.group ? -1 : 1

export const CustomFieldsPage = () => {
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const { data, error, refetch, reorder } = useDefinitions()
  const [pendingDelete, setPendingDelete] = useState<CustomField>()
  const all = data ?? NONE
  const tabs = Object.entries(RESOURCE_TITLES).map(([id, text]) => ({
    id,
    text,
    count: all.filter(({ resource }) => resource === id).length || undefined,
  }))
  const resource = tabs.find(({ id }) => id === search.tab)?.id ?? 'devices'
  const fields = useMemo(() => all.filter((one) => one.resource === resource).sort(compareByPlace), [all, resource])
  const form = useMemo(() => buildDefinitionResource(all), [all])
  const create = () => void set({ new: '1' })
  const noCreate = blocked('custom-fields:create')
  const noUpdate = blocked('custom-fields:update')
  useHotkeys(noCreate === undefined ? { c: create } : {})
  const title = RESOURCE_TITLES[resource as keyof typeof RESOURCE_TITLES]
  const button = (
    <Button look="primary" onClick={create} blocked={noCreate}>
      <Plus size={15} aria-hidden="true" />
      New custom field
    </Button>
  )
  const denied = may('custom-fields:list') ? undefined : createForbidden('custom-fields:list')
  const failure = denied ?? (data ? undefined : error)
  const last = Math.max(-1, ...fields.map(({ position }) => position))
  return (
    <>
      <PageHead>
        <span className={css.menus}>
          <CommandMenu getCall={() => ({ list: contracts.customFields, q: '' })} />
          <ExportMenu name="custom-fields" count={all.length} load={async () => all} />
        </span>
        {button}
      </PageHead>
      <Tabs label="Objects with custom fields" tabs={tabs} current={resource} />
      {failure ? (
        <Failure error={failure} onRetry={() => void refetch()} />
      ) : !data ? (
        <PageLoading />
      ) : fields.length === 0 ? (
        <State
          title={all.length === 0 ? 'No custom fields yet' : `No custom fields of ${title} yet`}
          text="A custom field is a value of your own that objects have, such as the owner, the cost center or the end of the warranty."
        >
          {button}
          <LearnMore />
        </State>
      ) : (
        <PageBody>
          <div className={css.editor}>
            <div className={css.sections}>
              <FieldList
                fields={fields}
                onMove={(id, place) => void reorder(fields, id, place)}
                onEdit={({ id }) => void set({ edit: id })}
                onDelete={setPendingDelete}
                noUpdate={noUpdate}
                noDelete={blocked('custom-fields:delete')}
              />
            </div>
            <Preview key={resource} fields={fields} />
          </div>
        </PageBody>
      )}
      <Hints hints={HINTS} />
      {(search.new !== undefined || search.edit !== undefined) && (
        <ResourceDrawer
          key={search.edit ?? 'new'}
          resource={form}
          id={search.edit}
          given={{ resource, position: String(last + 1) }}
          onClose={() => void set({ new: undefined, edit: undefined })}
          onSaved={(saved) => void set({ tab: saved.resource, new: undefined, edit: undefined })}
          blocked={search.edit === undefined ? noCreate : noUpdate}
        />
      )}
      {pendingDelete && <DeleteField field={pendingDelete} onClose={() => setPendingDelete(undefined)} />}
    </>
  )
}
