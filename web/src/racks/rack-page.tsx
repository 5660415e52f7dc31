/** One rack: what is mounted on its front and its rear, and its use of space and of power. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { contracts, type Datacenter } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { LazyDeviceDrawer } from '../devices/form/lazy-drawer.tsx'
import { writeMount } from '../devices/form/mount-values.ts'
import { listFacts } from '../resource/columns.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { cx } from '../ui/cx.ts'
import { CopyText, TimeAgo } from '../ui/primitives.tsx'
import css from './elevation.module.css'
import { ElevationTab } from './elevation-tab.tsx'
import { buildRackFields } from './fields.ts'
import type { Elevation } from './geometry.ts'
import { parseNewPosition } from './new-position.ts'
import { elevationQuery } from './queries.ts'
import { buildRackResource, DELETE_WARNING } from './resource.ts'
import { formatPower, formatSpace, PowerMeter, SpaceMeter } from './usage.tsx'

const PlaceDevice = lazy(() => import('./place/place-device.tsx').then((module) => ({ default: module.PlaceDevice })))

const route = getRouteApi('/app/racks/$id')
const fields = buildRackFields()
const PARENT = { text: 'Racks', link: { to: '/racks' } } as const
const FACTS = ['datacenter_id', 'location', 'description', 'updated_at', 'id']
/** Left out on a phone, where the drawing needs the room. */
const ROOMY: ReadonlySet<string> = new Set([fields.updated_at.label, fields.id.label])
const NONE: readonly Datacenter[] = []

const Use = ({
  name,
  text,
  children,
}: {
  readonly name: string
  readonly text: string
  readonly children: ReactNode
}) => (
  <div className={css.use}>
    <dt>{name}</dt>
    <dd>
      {children}
      <span className="muted">{text}</span>
    </dd>
  </div>
)

const Head = ({ elevation, datacenters }: { elevation: Elevation; datacenters: readonly Datacenter[] }) => {
  const { rack, usage } = elevation
  const { datacenter_id } = rack
  const datacenter = datacenter_id !== null && (
    <Link to="/datacenters/$id" params={{ id: datacenter_id }} className="link">
      {datacenters.find(({ id }) => id === datacenter_id)?.name ?? datacenter_id}
    </Link>
  )
  const facts = listFacts(fields, rack, FACTS, {
    datacenter_id: datacenter || '–',
    location: rack.location || '–',
    updated_at: <TimeAgo at={rack.updated_at} />,
    created_at: '',
    id: <CopyText text={rack.id} label="ID" />,
  })
  return (
    <dl className={css.facts}>
      <Use name="Space" text={formatSpace(usage)}>
        <SpaceMeter usage={usage} name={rack.name} />
      </Use>
      <Use name="Power" text={usage.max_power_w === null ? 'No maximum is known' : formatPower(usage)}>
        <PowerMeter usage={usage} name={rack.name} />
      </Use>
      {facts.map(
        ([name, value]) =>
          value !== '' && (
            <div key={name} className={cx(name === fields.description.label && css.wide, ROOMY.has(name) && css.roomy)}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      <CustomFacts resource="racks" object={rack} isPlain />
    </dl>
  )
}

/** The form of a device that begins at a free place. */
const NewDevice = ({ rack }: Pick<Elevation, 'rack'>) => {
  const { search, set } = usePageSearch()
  const place = parseNewPosition(search.new ?? '')
  if (search.new === undefined) return null
  const { face = 'front', position = '', slot = '1/1', height = '' } = place ?? {}
  const mount = writeMount({ rack_id: rack.id, face, slot, position: String(position), height: String(height) })
  return (
    <LazyDeviceDrawer
      id={undefined}
      given={{ mount, datacenter_id: rack.datacenter_id ?? '' }}
      onClose={() => void set({ new: undefined })}
    />
  )
}

/** The choice of a device for a free place. */
const PlacedDevice = ({ elevation }: { readonly elevation: Elevation }) => {
  const { search, set } = usePageSearch()
  const target = parseNewPosition(search.place ?? '')
  if (!target) return null
  return (
    <Suspense>
      <PlaceDevice elevation={elevation} target={target} onClose={() => void set({ place: undefined })} />
    </Suspense>
  )
}

export const RackPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const { data: elevation, error, refetch } = usePermitted('racks:read', elevationQuery(id))
  const { data: datacenters = NONE } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  if (!elevation) return <MissingObject noun="rack" parent={PARENT} error={error} refetch={refetch} />
  const { rack } = elevation
  return (
    <ObjectPage
      noun="rack"
      parent={PARENT}
      id={id}
      title={rack.name}
      managedBy={rack.managed_by}
      get={contracts.racks.get}
      resource={buildRackResource(datacenters)}
      edit={{ blocked: blocked('racks:update') }}
      remove={{ blocked: may('racks:delete') ? undefined : 'racks:delete', warning: DELETE_WARNING }}
      above={<Head elevation={elevation} datacenters={datacenters} />}
      tabs={[
        { id: 'elevation', text: 'Elevation', content: <ElevationTab elevation={elevation} />, isFull: true },
        { id: 'history', text: 'History', content: <HistoryTab kind="rack" id={id} /> },
      ]}
      hints={[
        [['↑', '↓', '←', '→'], 'go to a place'],
        [['m'], 'move'],
      ]}
    >
      <NewDevice rack={rack} />
      <PlacedDevice elevation={elevation} />
    </ObjectPage>
  )
}
