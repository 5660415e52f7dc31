/** The details of a device, on one page. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Device } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { zonesQuery } from '../dns/zones-query.ts'
import { listFacts } from '../resource/columns.tsx'
import { useIsInUse, usePermit } from '../shell/me.ts'
import { Card, CopyText, Facts, Skeleton, Tags, TimeAgo } from '../ui/primitives.tsx'
import { StatusBadge } from './columns.tsx'
import css from './devices.module.css'
import { buildDeviceFields, DEVICE_ORDER } from './fields.ts'
import { relationshipsQuery } from './queries.ts'
import { RelationshipBadge } from './relationship-badge.tsx'
import { SeenCard } from './seen-card.tsx'

const MOST_SHOWN = 8

const DeviceNames = lazy(() => import('../dns/device-names.tsx').then((module) => ({ default: module.DeviceNames })))
const DevicePosition = lazy(() =>
  import('../racks/device-position.tsx').then((module) => ({ default: module.DevicePosition })),
)
const DeviceTypeName = lazy(() =>
  import('../device-types/device-type-name.tsx').then((module) => ({ default: module.DeviceTypeName })),
)
const fields = buildDeviceFields()

const Related = ({ device }: { readonly device: Device }) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...relationshipsQuery(device.id), enabled: may('relationships:list') })
  if (!may('relationships:list')) return null
  return (
    <Card title="Relationships">
      {!data && <Skeleton />}
      {data?.length === 0 && <p className="muted">It has no relationships yet.</p>}
      <ul className={css.links}>
        {data?.slice(0, MOST_SHOWN).map((link) => (
          <li key={`${link.parent_id} ${link.child_id} ${link.type}`} className={css.link}>
            <RelationshipBadge link={link} />
            <Link to="/devices/$id" params={{ id: link.otherId }}>
              {link.otherName}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const Addresses = ({ device }: { readonly device: Device }) =>
  device.addresses.length === 0 ? null : (
    <ul>
      {device.addresses.slice(0, MOST_SHOWN).map(({ ip, label, dns_name, interface: own, switch_port }) => (
        <li key={`${ip} ${label}`}>
          <CopyText
            text={ip}
            label={ip}
            note={
              <span className="muted">
                {[label, dns_name, own !== label && own, switch_port].filter(Boolean).map((text) => ` · ${text}`)}
              </span>
            }
          />
        </li>
      ))}
    </ul>
  )

export const DeviceOverview = ({ device }: { readonly device: Device }) => {
  const { may } = usePermit()
  const { data: datacenters } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const hasZones = useIsInUse('dns-zones')
  const { data: zones = [] } = useQuery({ ...zonesQuery, enabled: hasZones && may('dns:read') })
  const datacenter = datacenters?.find(({ id }) => id === device.datacenter_id)?.name ?? device.datacenter_id
  return (
    <div className={css.overview}>
      <Card>
        <Suspense>
          <Facts
            facts={listFacts(fields, device, DEVICE_ORDER.detail, {
              status: <StatusBadge status={device.status} />,
              id: <CopyText text={device.id} label="ID" />,
              ...(device.hostname === '' ? {} : { hostname: <CopyText text={device.hostname} label="host name" /> }),
              addresses: <Addresses device={device} />,
              datacenter_id: datacenter,
              ...(device.device_type_id && { device_type_id: <DeviceTypeName id={device.device_type_id} /> }),
              ...(device.mount && { mount: <DevicePosition mount={device.mount} /> }),
              ...(device.tags.length === 0 ? {} : { tags: <Tags tags={device.tags} /> }),
              created_at: <TimeAgo at={device.created_at} />,
              updated_at: <TimeAgo at={device.updated_at} />,
            })}
          />
        </Suspense>
      </Card>
      <div className={css.side}>
        <CustomFacts resource="devices" object={device} />
        <Related device={device} />
        <SeenCard device={device} />
        {zones.length > 0 && (
          <Suspense>
            <DeviceNames device={device} zones={zones} />
          </Suspense>
        )}
      </div>
    </div>
  )
}
