/** One port: the path from it, its facts and its history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { contracts } from '../api/contracts.ts'
import { PortPath } from '../cables/trace-strip.tsx'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { deviceQuery } from '../devices/queries.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { type Fact, MissingObject, ObjectPage, type Parent } from '../resource/object/object-page.tsx'
import { relate } from '../resource/object/object-side.tsx'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { MenuItem } from '../ui/menu.tsx'
import { Card, Facts } from '../ui/primitives.tsx'
import type { Port } from './fields.ts'
import { formatPeer } from './labels.ts'
import { ConnectDrawer, findFreeSide, useDisconnect } from './port-actions.tsx'
import { listPortFacts } from './port-panel.tsx'
import { devicePortsQuery, portQuery } from './queries.ts'
import { buildPortResource, DELETE_WARNING } from './resource.ts'

const route = getRouteApi('/app/ports/$id')
const DEVICES: Parent = { text: 'Devices', link: { to: '/devices' } }
const NONE: readonly Port[] = []

/** The strip has the device and these many other facts. */
const IN_STRIP = 7

const Overview = ({ port, facts }: { readonly port: Port; readonly facts: readonly Fact[] }) => {
  const { may } = usePermit()
  return (
    <>
      {may('cables:read') && (
        <Card title="Path">
          <PortPath portId={port.id} none="It has no cable." />
        </Card>
      )}
      {facts.length > IN_STRIP && (
        <Card title="Details">
          <Facts facts={facts.slice(IN_STRIP)} />
        </Card>
      )}
      <CustomFacts resource="ports" object={port} />
    </>
  )
}

const toPort = (id: string) => ({ to: '/ports/$id', params: { id } }) as const

export const PortPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const { search, set } = usePageSearch()
  const { data, error, refetch } = useQuery(portQuery(id))
  const port = data?.value
  const deviceId = port?.device_id ?? ''
  const { data: device } = useQuery({ ...deviceQuery(deviceId), enabled: port !== undefined && may('devices:read') })
  const { data: ports = NONE } = useQuery({
    ...devicePortsQuery(deviceId),
    enabled: port !== undefined && may('ports:list'),
  })
  const { disconnect, dialog } = useDisconnect()
  if (!port) return <MissingObject noun="port" parent={DEVICES} error={error} refetch={refetch} />
  const name = device?.value.name ?? deviceId
  const parent: Parent = {
    text: name,
    link: { to: '/devices/$id', params: { id: deviceId }, search: { tab: 'ports' } },
  }
  // The list knows the peers.
  const shown = ports.find((one) => one.id === id) ?? port
  const close = () => void set({ new: undefined })
  const facts = listPortFacts(shown, ports)
  const owner = relate({ to: '/devices/$id', params: { id: deviceId } }, name, 'device')
  const outer = ports.find((one) => one.id === port.parent_id)
  return (
    <ObjectPage
      noun="port"
      parent={parent}
      id={id}
      title={port.name}
      managedBy={port.managed_by}
      get={contracts.ports.get}
      resource={buildPortResource(ports, id)}
      edit={{ blocked: blocked('ports:update') }}
      remove={{ blocked: blocked('ports:delete') && 'ports:delete', warning: DELETE_WARNING }}
      actions={
        findFreeSide(shown) === undefined
          ? []
          : [{ text: 'Connect…', onSelect: () => void set({ new: 'cable' }), blocked: blocked('cables:create') }]
      }
      menu={shown.peers?.map((peer) => (
        <MenuItem
          key={peer.cable_id}
          onSelect={() => disconnect(peer)}
          blocked={may('cables:delete') ? undefined : 'cables:delete'}
        >
          Disconnect from {formatPeer(peer)}
        </MenuItem>
      ))}
      strip={[['Device', owner.link], ...facts.slice(0, IN_STRIP)]}
      side={{
        kind: 'port',
        related: [
          owner,
          ...(shown.peers ?? []).map((peer) => relate(toPort(peer.port_id), formatPeer(peer), 'other end')),
          ...(outer ? [relate(toPort(outer.id), outer.name, 'part of')] : []),
          ...ports.flatMap((one) => (one.parent_id === id ? [relate(toPort(one.id), one.name, 'in it')] : [])),
        ],
      }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview port={port} facts={facts} /> },
        { id: 'history', text: 'History', content: <HistoryTab kind="port" id={id} /> },
      ]}
    >
      {search.new !== undefined && <ConnectDrawer device={{ id: deviceId, name }} port={shown} onClose={close} />}
      {dialog}
    </ObjectPage>
  )
}
