/** All kinds with the number of their objects, and the packs of ready-made ones. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { LearnMore } from '../help/lazy-learn-more.tsx'
import { useQuiet } from '../live/use-quiet.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec, type Fields } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { findPack } from '../resource/object/pack-owner.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import ui from '../ui/primitives.module.css'
import { RowLink } from '../ui/row-link.tsx'
import { State } from '../ui/states.tsx'
import { type Tab, Tabs } from '../ui/tabs.tsx'
import { KindIcon } from './icons.tsx'
import { KIND_RESOURCE, fields as kindFields } from './kind-resource.tsx'
import css from './kinds.module.css'
import { type Kind, usageQuery } from './known-kinds.ts'

/** Loaded once the page is quiet: letters that are typed before the form is there would be lost. */
const loadNewKind = () => import('./new-kind.tsx')
const NewKind = lazy(() => loadNewKind().then((module) => ({ default: module.NewKind })))
const loadPacks = () => import('./packs/packs-tab.tsx')
const PacksTab = lazy(() => loadPacks().then((module) => ({ default: module.PacksTab })))
const FirstPacks = lazy(() => loadPacks().then((module) => ({ default: module.FirstPacks })))

const TABS: readonly Tab[] = [
  { id: 'kinds', text: 'Kinds' },
  { id: 'packs', text: 'Packs' },
]

const count = (list: readonly unknown[] | undefined): number => list?.length ?? 0

const FIELDS: Fields<Kind> = {
  ...kindFields,
  objects: {
    label: 'Objects',
    isSearched: false,
    filter: false,
    column: { width: 90, isRight: true },
    sort: ({ objects }) => objects ?? 0,
  },
  fields: {
    label: 'Fields',
    isSearched: false,
    filter: false,
    column: { width: 80, isRight: true },
    sort: ({ fields }) => count(fields),
  },
  managed_by: {
    label: 'From',
    isSearched: false,
    column: { id: 'from', width: 150 },
    text: ({ managed_by }) => findPack(managed_by) ?? managed_by,
    filter: { name: 'from', test: 'begins', hasFacet: true },
  },
}

const ORDER = ['name', 'objects', 'fields', 'description', 'managed_by', 'singular', 'updated_at']
const DEFAULT_COLUMNS = ['name', 'objects', 'fields', 'description', 'from']

const COLUMNS: readonly Column<Kind>[] = buildOwnColumns(FIELDS, ORDER, {
  name: ({ id, name, icon }) => (
    <span className={`${ui.behind} ${css.name}`}>
      <KindIcon name={icon} />
      <RowLink to="kinds" id={id}>
        {name}
      </RowLink>
    </span>
  ),
  objects: ({ objects = 0 }) => <span className="num">{formatCount(objects)}</span>,
  fields: ({ fields }) => <span className="num">{formatCount(count(fields))}</span>,
})

/** The page before there is a kind: an explanation, and the packs. */
const Beginning = ({ tabs }: { readonly tabs: ReactNode }) => {
  const { set } = usePageSearch()
  const { blocked } = usePermit()
  const create = () => void set({ new: '1' })
  const noCreate = blocked('kinds:create')
  useHotkeys(noCreate === undefined ? { c: create } : {})
  return (
    <>
      <PageHead>
        <Button look="primary" onClick={create} blocked={noCreate}>
          <Plus size={15} aria-hidden="true" />
          New kind
        </Button>
      </PageHead>
      {tabs}
      <PageBody>
        <div className={css.empty}>
          <State
            title="No kinds yet"
            text="A kind is a type of objects of your own, such as circuits, contracts or tenants. Its objects are listed, searched, imported and undone as all others."
          >
            <Button onClick={create} blocked={noCreate}>
              Define a kind
            </Button>
            <LearnMore />
          </State>
          <Suspense>
            <FirstPacks />
          </Suspense>
        </div>
      </PageBody>
      <Hints
        hints={[
          [['c'], 'create'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}

export const KindsPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may } = usePermit()
  const query = useQuery({ ...usageQuery, enabled: may('kinds:list') })
  const current = TABS.find(({ id }) => id === search.tab)?.id ?? 'kinds'
  const tabs = <Tabs label="Kinds and packs" tabs={TABS} current={current} />
  const close = () => void set({ new: undefined, edit: undefined })
  const isQuiet = useQuiet()
  useEffect(() => {
    if (isQuiet) loadNewKind().catch(() => {})
  }, [isQuiet])
  const drawer = search.new !== undefined && (
    <Suspense>
      <NewKind onClose={close} />
    </Suspense>
  )
  if (search.edit !== undefined)
    return <Navigate to="/kinds/$id" params={{ id: search.edit }} search={{ tab: 'definition' }} replace />
  if (current === 'packs' && may('kinds:list'))
    return (
      <>
        <PageHead />
        {tabs}
        <Suspense fallback={<PageLoading />}>
          <PacksTab />
        </Suspense>
        <Hints hints={[[['?'], 'all shortcuts']]} />
      </>
    )
  if (query.data?.length === 0)
    return (
      <>
        <Beginning tabs={tabs} />
        {drawer}
      </>
    )
  return (
    <ListPage
      resourceName="kinds"
      resource={KIND_RESOURCE}
      query={query}
      needs="kinds:list"
      spec={SPEC}
      columns={COLUMNS}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name or description"
      empty=""
      deleteWarning="Its fields go with it. A kind with objects stays."
      tabs={tabs}
      open={({ id }) => void navigate({ to: '/kinds/$id', params: { id } })}
      drawer={() => drawer}
    />
  )
}

const SPEC = buildTableSpec(FIELDS)
