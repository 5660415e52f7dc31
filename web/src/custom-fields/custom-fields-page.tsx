/** The custom fields of each resource. Fields of kinds are on the pages of their kinds. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { LearnMore } from '../help/lazy-learn-more.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Failure, State } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import css from './custom-fields.module.css'
import { RESOURCE_TITLES } from './definition-titles.ts'
import { FieldEditor } from './editor/field-editor.tsx'
import { useDefinitions } from './editor/use-definitions.ts'

const HINTS: readonly Hint[] = [
  [['c'], 'create'],
  [['Alt', '↑', '↓'], 'move the focused field'],
  [['?'], 'all shortcuts'],
]

const NONE: readonly CustomField[] = []

export const CustomFieldsPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data, error, refetch, reorder } = useDefinitions()
  const all = data ?? NONE
  const tabs = Object.entries(RESOURCE_TITLES).map(([id, text]) => ({
    id,
    text,
    count: all.filter(({ resource }) => resource === id).length || undefined,
  }))
  const resource = tabs.find(({ id }) => id === search.tab)?.id ?? 'devices'
  const create = () => void set({ new: '1' })
  /** A field of a kind is on the page of the kind. */
  const leadTo = ({ resource: of }: CustomField) =>
    Object.hasOwn(RESOURCE_TITLES, of)
      ? void set({ tab: of, new: undefined, edit: undefined })
      : void navigate({ to: '/kinds/$id', params: { id: of }, search: { tab: 'definition' } })
  const noCreate = blocked('custom-fields:create')
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
  return (
    <>
      <PageHead>
        {may('kinds:list') && (
          <Link to="/kinds" className="link">
            Kinds and packs
          </Link>
        )}
        <span className={css.menus}>
          <CommandMenu getCall={() => ({ list: contracts.customFields, q: '' })} />
          <ExportMenu name="custom-fields" count={all.length} load={async () => all} />
        </span>
        {button}
      </PageHead>
      <Tabs label="Objects with custom fields" tabs={tabs} current={resource} />
      {failure && <Failure error={failure} onRetry={() => void refetch()} />}
      {!failure && !data && <PageLoading />}
      {!failure && data && (
        <FieldEditor
          {...{ all, resource, reorder }}
          isOwn={false}
          empty={
            <State
              title={all.length === 0 ? 'No custom fields yet' : `No custom fields of ${title} yet`}
              text="A custom field is a value of your own that objects have, such as the owner, the cost center or the end of the warranty."
            >
              {button}
              <LearnMore />
            </State>
          }
          onSaved={leadTo}
        />
      )}
      <Hints hints={HINTS} />
    </>
  )
}
