/** The overview of a device: the facts of its strip, its addresses and details, and the objects that it is related to. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { isPast } from '../api/as-of.ts'
import type { Device } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { zonesQuery } from '../dns/zones-query.ts'
import { listFacts } from '../resource/columns.tsx'
import type { Fact } from '../resource/object/object-page.tsx'
import { type RelatedItem, relate } from '../resource/object/object-side.tsx'
import { useIsInUse, usePermit, usePermitted } from '../shell/me.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'
import { AddressNetworks, deviceNetworksQuery } from './address-networks.tsx'
import { StatusBadge } from './columns.tsx'
import css from './devices.module.css'
import { buildDeviceFields, DEVICE_ORDER } from './fields.ts'
import { relationshipsQuery } from './queries.ts'
import { formatLink } from './relationship-badge.tsx'
import { SeenCard } from './seen-card.tsx'

const MOST_SHOWN = 8
/** The strip and the card of addresses have these fields. */
const ELSEWHERE = Object.fromEntries(
  [
    ...['status', 'hostname', 'addresses', 'make_model', 'device_type_id', 'os', 'datacenter_id', 'mount'],
    'updated_at',
  ].map((name) => [name, '']),
)

const DeviceNames = lazy(() => import('../dns/device-names.tsx').then((module) => ({ default: module.DeviceNames })))
const SaidCard = lazy(() => import('../sources/objects/said-card.tsx').then((module) => ({ default: module.SaidCard })))
const DevicePosition = lazy(() =>
  import('../racks/device-position.tsx').then((module) => ({ default: module.DevicePosition })),
)
const DeviceTypeName = lazy(() =>
  import('../device-types/device-type-name.tsx').then((module) => ({ default: module.DeviceTypeName })),
)
const fields = buildDeviceFields()

/** Returns the facts below the head, and the objects that the device names or is related to. */
/** @param isShown the overview is seen. The strip of another tab has the datacenter if its name is known. */
export const useDeviceParts = (device: Device, isShown: boolean) => {
  const { may } = usePermit()
  const { data: datacenters } = useQuery({ ...datacentersQuery, enabled: isShown && may('datacenters:list') })
  const { data: links } = useQuery({
    ...relationshipsQuery(device.id),
    enabled: isShown && may('relationships:list'),
  })
  const { data: networks = [] } = usePermitted('networks:list', {
    ...deviceNetworksQuery(device.id),
    enabled: isShown && device.addresses.length > 0,
  })
  const { status, hostname, addresses, mount, device_type_id, datacenter_id, make_model, os } = device
  const [first] = addresses
  const datacenter = datacenters?.find(({ id }) => id === datacenter_id)
  const place = datacenter && relate(toLink('datacenters', datacenter.id), datacenter.name, 'datacenter')
  const position = mount && { key: 'rack', link: <DevicePosition mount={mount} />, why: 'rack' }
  const type = device_type_id && { key: 'type', link: <DeviceTypeName id={device_type_id} />, why: 'device type' }
  const strip: readonly Fact[] = [
    ['Status', <StatusBadge key="status" status={status} />],
    [
      'Address',
      first && (
        <>
          <CopyText text={first.ip} label={first.ip} />
          {addresses.length > 1 && <span className="muted"> +{addresses.length - 1}</span>}
        </>
      ),
    ],
    ['Host name', hostname !== '' && <CopyText text={hostname} label="host name" />],
    ['Datacenter', place?.link],
    ['Rack', position && <Suspense key="rack">{position.link}</Suspense>],
    type ? ['Device type', <Suspense key="type">{type.link}</Suspense>] : ['Model', make_model],
    ['OS', os],
    ['Changed', <TimeAgo key="changed" at={device.updated_at} />],
  ]
  const related: readonly RelatedItem[] | undefined =
    links === undefined && may('relationships:list')
      ? undefined
      : [
          ...[place, position, type].flatMap((one) => one || []),
          ...[...new Map(networks.map(({ id, name }) => [id, name]))].map(([id, name]) =>
            relate(toLink('networks', id), name, 'network'),
          ),
          ...(links ?? []).map((link) => relate(toLink('devices', link.otherId), link.otherName, formatLink(link))),
        ]
  return { strip, related }
}

const toLink = (page: 'datacenters' | 'devices' | 'networks', id: string) =>
  ({ to: `/${page}/$id`, params: { id } }) as const

type Props = {
  readonly device: Device
  /** No drawer is over it. */
  readonly isShown: boolean
}

const Addresses = ({ device, isShown }: Props) => {
  return (
    <Card title="Addresses">
      {device.addresses.length === 0 && <p className="muted">This device has no address.</p>}
      <ul className={css.links}>
        {device.addresses
          .slice(0, MOST_SHOWN)
          .map(({ ip, space_id, label, role, dns_name, interface: own, switch_port }) => {
            const notes = [label, role, dns_name, own !== label && own, switch_port].filter(Boolean)
            return (
              <li key={`${space_id} ${ip} ${label}`} className={css.link}>
                <CopyText text={ip} label={ip} />
                <SpaceBadge space_id={space_id} />
                {notes.length > 0 && <span className="muted">{notes.join(' · ')}</span>}
                {isShown && <AddressNetworks deviceId={device.id} address={{ ip, space_id }} />}
              </li>
            )
          })}
      </ul>
      {device.addresses.length > MOST_SHOWN && (
        <p className="muted">and {device.addresses.length - MOST_SHOWN} others</p>
      )}
    </Card>
  )
}

export const DeviceOverview = ({ device, isShown }: Props) => {
  const { may } = usePermit()
  const hasZones = useIsInUse('dns-zones')
  const hasSources = useIsInUse('sources')
  const { data: zones = [] } = useQuery({ ...zonesQuery, enabled: hasZones && may('dns:read') })
  return (
    <>
      <Addresses device={device} isShown={isShown} />
      <Card title="Details">
        <Facts
          facts={listFacts(fields, device, DEVICE_ORDER.detail, {
            ...ELSEWHERE,
            // The strip has the type in the place of the model.
            ...(device.device_type_id && { make_model: device.make_model }),
            ...(device.tags.length > 0 && { tags: <Tags tags={device.tags} /> }),
            id: <CopyText text={device.id} label="ID" />,
            created_at: <TimeAgo at={device.created_at} />,
          })}
        />
      </Card>
      <CustomFacts resource="devices" object={device} />
      {hasSources && !isPast() && (
        <Suspense>
          <SaidCard deviceId={device.id} />
        </Suspense>
      )}
      <SeenCard device={device} />
      {zones.length > 0 && (
        <Suspense>
          <DeviceNames device={device} zones={zones} />
        </Suspense>
      )}
    </>
  )
}
