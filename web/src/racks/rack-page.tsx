/** One rack: what is mounted on its front and its rear, and its use of space and of power. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { contracts, type Datacenter } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { LazyDeviceDrawer } from '../devices/form/lazy-drawer.tsx'
import { writeMount } from '../devices/form/mount-values.ts'
import { listFacts } from '../resource/columns.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { ObjectSide, relate } from '../resource/object/object-side.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { ElevationTab } from './elevation-tab.tsx'
import { buildRackFields } from './fields.ts'
import type { Elevation } from './geometry.ts'
import { parseNewPosition } from './new-position.ts'
import { elevationQuery } from './queries.ts'
import { DELETE_WARNING, RACK_RESOURCE } from './resource.ts'
import { formatPower, formatSpace, PowerMeter, SpaceMeter } from './usage.tsx'

const PlaceDevice = lazy(() => import('./place/place-device.tsx').then((module) => ({ default: module.PlaceDevice })))

const route = getRouteApi('/app/racks/$id')
const fields = buildRackFields()
const PARENT = { text: 'Racks', link: { to: '/racks' } } as const
const FACTS = ['description', 'id']
/** The strip has these fields. */
const ELSEWHERE = { datacenter_id: '', location: '' }
const NONE: readonly Datacenter[] = []

const Details = ({ rack }: Pick<Elevation, 'rack'>) => (
  <>
    <Card title="Details">
      <Facts
        facts={listFacts(fields, rack, FACTS, {
          ...ELSEWHERE,
          created_at: <TimeAgo at={rack.created_at} />,
          updated_at: <TimeAgo at={rack.updated_at} />,
          id: <CopyText text={rack.id} label="ID" />,
        })}
      />
    </Card>
    <CustomFacts resource="racks" object={rack} />
  </>
)

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
  const naming = useRelated(elevation && { resource: 'racks', id, name: elevation.rack.name })
  if (!elevation) return <MissingObject noun="rack" parent={PARENT} error={error} refetch={refetch} />
  const { rack, usage } = elevation
  const place = datacenters.find((one) => one.id === rack.datacenter_id)
  const datacenter = place && relate({ to: '/datacenters/$id', params: { id: place.id } }, place.name, 'datacenter')
  return (
    <ObjectPage
      noun="rack"
      parent={PARENT}
      id={id}
      title={rack.name}
      managedBy={rack.managed_by}
      get={contracts.racks.get}
      resource={RACK_RESOURCE}
      edit={{ blocked: blocked('racks:update') }}
      remove={{ blocked: blocked('racks:delete') && 'racks:delete', warning: DELETE_WARNING }}
      strip={[
        [
          'Units',
          <div key="units">
            <SpaceMeter usage={usage} name={rack.name} />
            <span className="muted">{formatSpace(usage)}</span>
          </div>,
        ],
        [
          'Power',
          usage.max_power_w === null ? (
            `${formatPower(usage)}, no maximum`
          ) : (
            <div key="power">
              <PowerMeter usage={usage} name={rack.name} />
              <span className="muted">{formatPower(usage)}</span>
            </div>
          ),
        ],
        ['Datacenter', datacenter?.link],
        ['Location', rack.location],
      ]}
      tabs={[
        {
          id: 'elevation',
          text: 'Overview',
          content: (
            <ElevationTab
              elevation={elevation}
              side={
                <>
                  <Details rack={rack} />
                  <ObjectSide kind="rack" id={id} related={datacenter ? [datacenter] : []} more={naming.more} />
                </>
              }
            />
          ),
          isFull: true,
        },
        ...naming.tabs,
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
