/** The differences between a source and the inventory: a plan with rows that are applied, linked or overruled. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePermit } from '../../shell/me.ts'
import { PageLoading } from '../../shell/page-loading.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { PlanFilters } from '../../table/plan/plan-filters.tsx'
import { type PlanRow, PlanTable } from '../../table/plan/plan-table.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Confirm } from '../../ui/layers.tsx'
import { Failure, State } from '../../ui/states.tsx'
import type { Source } from '../queries.ts'
import css from '../sources.module.css'
import { ChangesBar } from './changes-bar.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { ObjectLink } from './object-link.tsx'
import { buildId, type ObjectState, objectsQuery, parseState, type SourceObject, STATES } from './queries.ts'
import { type ObjectKey, type Terms, useApply } from './use-apply.ts'
import { getSubtitle, getVerdict, isApplicable, listNotes, listObjectValues } from './words.ts'

type OpenState = Exclude<ObjectState, 'synced'>
const isOpenState = (state: ObjectState | undefined): state is OpenState => state !== undefined && state !== 'synced'

const listOpenStates = ({ counts }: Source) =>
  STATES.flatMap(([value, text]) =>
    isOpenState(value) && counts[value] > 0 ? [{ value, text, count: counts[value] }] : [],
  )

const NOTHING: ReadonlySet<string> = new Set()

/** An object that has none in the inventory, or in doubt, can be linked by a person. */
const isLinkable = ({ state, action, resource }: SourceObject): boolean =>
  resource !== 'relationships' && (state === 'unclear' || (state === 'changed' && action === 'create'))

const InSync = ({ source }: { readonly source: Source }) => (
  <State
    title={source.last_success_at === null ? 'It was not read yet' : 'Nothing differs'}
    text={
      source.last_success_at === null
        ? 'What it says is shown here before anything is changed.'
        : 'The inventory is what the source says.'
    }
  />
)

type ListProps = { readonly source: Source; readonly state: OpenState }

const StateList = ({ source, state }: ListProps) => {
  const { blocked } = usePermit()
  const [selected, setSelected] = useState(NOTHING)
  const [linked, setLinked] = useState<SourceObject>()
  const [held, setHeld] = useState<{ readonly message: string; readonly terms: Terms }>()
  const query = useInfiniteQuery(objectsQuery({ source_id: source.id, state }))
  const apply = useApply(source, (message, terms) => setHeld({ message, terms }))
  const objects = query.data?.pages.flatMap(({ rows }) => rows) ?? []
  const total = query.data?.pages.at(-1)?.total ?? 0
  const chosen = objects.filter(({ id }) => selected.has(id))
  const select = (keys: readonly string[], isOn: boolean) => {
    const changed = new Set(keys)
    setSelected((old) => new Set(isOn ? [...old, ...keys] : [...old].filter((key) => !changed.has(key))))
  }
  const unselect = (named: readonly ObjectKey[]) => select(named.map(buildId), false)
  const run = (terms: Terms) =>
    apply.mutate(terms, { onSuccess: () => (terms.objects ? unselect(terms.objects) : setSelected(NOTHING)) })
  const toRow = (object: SourceObject): PlanRow => ({
    ...{ key: object.id, title: object.name, lead: object.type, noun: getSubtitle(object) },
    name: <ObjectLink {...object} />,
    result: getVerdict(object),
    messages: listNotes(object),
    isWrong: object.state === 'failed',
    values: listObjectValues(object),
    isSelectable: isApplicable(object) || object.state === 'unclear',
    actions: isLinkable(object) && (
      <Button
        look="quiet"
        onClick={() => setLinked(object)}
        blocked={blocked('sources:update')}
        aria-label={`Link ${object.name}`}
      >
        Link …
      </Button>
    ),
  })
  if (!query.data)
    return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <PageLoading />
  return (
    <>
      <ChangesBar
        source={source}
        state={state}
        chosen={chosen}
        isPending={apply.isPending}
        onApply={run}
        onDone={unselect}
      />
      {objects.length === 0 ? (
        <p className="muted">No object is in this state any more.</p>
      ) : (
        <PlanTable
          label="What differs"
          verb="Select"
          lead="Type"
          rows={objects.map(toRow)}
          isSelected={(key) => selected.has(key)}
          onSelect={select}
        />
      )}
      {query.hasNextPage && (
        <p>
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>{' '}
          <span className="muted">
            {formatCount(objects.length)} of {plural(total, 'object')}
          </span>
        </p>
      )}
      {linked && <LinkDialog source={source} object={linked} onClose={() => setLinked(undefined)} />}
      {held && (
        <Confirm
          title="Apply although so much is gone?"
          action="Apply anyway"
          onConfirm={() => run({ ...held.terms, force: true })}
          onClose={() => setHeld(undefined)}
        >
          {held.message}
        </Confirm>
      )}
    </>
  )
}

export const ChangesTab = ({ source }: { readonly source: Source }) => {
  const { search, set } = usePageSearch()
  const states = listOpenStates(source)
  const wanted = parseState(search.status)
  const state = isOpenState(wanted) ? wanted : states[0]?.value
  if (state === undefined) return <InSync source={source} />
  return (
    <section className={css.step} aria-label="Changes">
      <PlanFilters
        label="Shown objects"
        filters={states}
        current={state}
        onChange={(status) => void set({ status }, { isReplace: true })}
      />
      <StateList key={`${source.id} ${state}`} source={source} state={state} />
    </section>
  )
}
