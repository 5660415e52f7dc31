/** A new source: a tile for each kind, then the form of the chosen one. */
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ResourceForm } from '../../resource/resource-form.tsx'
import { useOpened } from '../../resource/use-opened.ts'
import { usePermit } from '../../shell/me.ts'
import { Hints, PageHead } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { noteMade } from '../just-made.ts'
import { kindsQuery, type SourceKind } from '../queries.ts'
import css from '../sources.module.css'
import { buildSourceResource } from './source-resource.tsx'

const GONE = { decommission: 'decommissioned', delete: 'deleted', keep: 'only shown' } as const

const formatGone = ({ when_gone, gone_after_hours }: SourceKind): string =>
  gone_after_hours === 0 ? `${GONE[when_gone]} at once` : `${GONE[when_gone]} after ${gone_after_hours} hours`

/** The most types that are named. A document may have any resource. */
const MOST_TYPES = 6

const KindCard = ({ kind }: { readonly kind: SourceKind }) => (
  <Card title={kind.title}>
    <p className={css.about}>{kind.description}.</p>
    <Facts
      facts={[
        ['Needs', kind.needs],
        ['Reads', kind.types.length > MOST_TYPES ? 'whatever it contains' : kind.types.join(', ')],
        ['What is gone there', `is ${formatGone(kind)}, unless you say otherwise`],
      ]}
    />
    <p className="muted">
      It is only read: nothing is ever written there. What it says is shown first, and applied when you say so.
    </p>
  </Card>
)

type FormProps = { readonly kind: SourceKind; readonly onBack: () => void }

const NewForm = ({ kind, onBack }: FormProps) => {
  const navigate = useNavigate()
  const { blocked } = usePermit()
  const spaces = useSpaces()
  const resource = useMemo(() => buildSourceResource({ kind, stored: undefined, spaces }), [kind, spaces])
  const { opened, reload } = useOpened(resource, undefined)
  if (!opened) return <PageLoading />
  return (
    <div className={css.editor}>
      <section className={css.form} aria-label="Source">
        <ResourceForm
          resource={resource}
          id={undefined}
          opened={opened}
          draftKey={`source.new ${kind.kind}`}
          onClose={onBack}
          onReload={() => void reload()}
          onSaved={({ id, url }) => {
            if (url !== '' || kind.default_url !== '') noteMade(id)
            void navigate({ to: '/sources/$id', params: { id } })
          }}
          blocked={blocked('sources:create')}
          isFocused
        />
      </section>
      <div className={css.beside}>
        <KindCard kind={kind} />
      </div>
    </div>
  )
}

type TilesProps = { readonly kinds: readonly SourceKind[]; readonly onChoose: (kind: string) => void }

const Tiles = ({ kinds, onChoose }: TilesProps) => (
  <section className={css.step} aria-label="Kinds of sources">
    <p className="muted">
      A source is a system that knows machines already. Plat reads it again and again, and never writes to it.
    </p>
    <ul className={css.tiles}>
      {kinds.map(({ kind, title, description }) => (
        <li key={kind}>
          <button type="button" className={css.tile} onClick={() => onChoose(kind)}>
            <b>{title}</b>
            <span className="muted">{description}</span>
          </button>
        </li>
      ))}
    </ul>
  </section>
)

const LIST = { text: 'Sources', link: { to: '/sources', search: {} } satisfies LinkProps } as const

export const NewSource = ({ chosen }: { readonly chosen: string }) => {
  const { set } = usePageSearch()
  const { data: kinds, error, refetch } = useQuery(kindsQuery)
  const kind = kinds?.find((one) => one.kind === chosen)
  return (
    <>
      <PageHead title={kind ? `New source: ${kind.title}` : 'New source'} parent={LIST}>
        {kind && <Button onClick={() => void set({ new: '1' })}>Another kind</Button>}
      </PageHead>
      {!kinds && error && <Failure error={error} onRetry={() => void refetch()} />}
      {!kinds && !error && <PageLoading />}
      {kinds && !kind && <Tiles kinds={kinds} onChoose={(one) => void set({ new: one })} />}
      {kind && <NewForm key={kind.kind} kind={kind} onBack={() => void set({ new: undefined })} />}
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
