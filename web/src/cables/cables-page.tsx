/** All cables. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildListQuery } from '../resource/facts/lists.ts'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Badge, type Tone, Withheld } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { CableDetails } from './cable-details.tsx'
import css from './cables.module.css'
import { type Cable, type CableEnd, fields, STATUSES } from './fields.ts'
import { CABLE, DELETE_WARNING } from './resource.tsx'
import { formatLength } from './trace.ts'

const ORDER = ['a', 'b', 'label', 'type', 'length_m', 'color', 'status', 'description']
const DEFAULT_COLUMNS = ['a', 'b', 'label', 'type', 'length', 'color', 'status']
const SPEC = buildTableSpec(fields)

const TONES: Readonly<Record<Cable['status'], Tone>> = { connected: 'ok', planned: 'info', decommissioned: 'idle' }

const EndCell = ({ end: { device_id, device, port_id, port, side } }: { readonly end: CableEnd }) => (
  <>
    {device === '' ? (
      <Withheld permission="devices:list" />
    ) : (
      <RowLink to="devices" id={device_id}>
        {device}
      </RowLink>
    )}{' '}
    {port === '' ? (
      <Withheld permission="ports:list" />
    ) : (
      <RowLink to="ports" id={port_id} className="mono">
        {side === 'rear' ? `${port} rear` : port}
      </RowLink>
    )}
  </>
)

const COLUMNS = buildOwnColumns(fields, ORDER, {
  a: ({ a }) => <EndCell end={a} />,
  b: ({ b }) => <EndCell end={b} />,
  length_m: ({ length_m }) => <span className="num">{formatLength(length_m)}</span>,
  // Any text is allowed; only a color of CSS is shown.
  color: ({ color }) =>
    color !== '' && (
      <>
        <span className={css.swatch} style={{ background: color }} />
        {color}
      </>
    ),
  status: ({ status }) => <Badge tone={TONES[status]}>{STATUSES.find(([one]) => one === status)?.[1]}</Badge>,
})

const cablesQuery = buildListQuery('cables')

export const CablesPage = () => {
  const { may } = usePermit()
  const { set } = usePageSearch()
  const query = useQuery({ ...cablesQuery, enabled: may('cables:list') })
  const resource = useMemo(() => {
    const found = new Map((query.data ?? []).map((cable) => [cable.id, cable]))
    return { ...CABLE, below: (id: string) => <CableDetails id={id} cable={found.get(id)} /> }
  }, [query.data])
  return (
    <ListPage
      resourceName="cables"
      resource={resource}
      query={query}
      needs="cables:list"
      spec={SPEC}
      columns={COLUMNS}
      defaultColumns={DEFAULT_COLUMNS}
      sort="a"
      placeholder="Device, port, label or type"
      empty="A cable connects two ports. Ports that are not there are made with it."
      deleteWarning={DELETE_WARNING}
      open={({ id }) => void set({ edit: id })}
    />
  )
}
