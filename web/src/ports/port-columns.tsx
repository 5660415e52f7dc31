/** The columns of the ports of a device. */
import { buildOwnColumns } from '../resource/columns.tsx'
import type { Column } from '../table/column.ts'
import { Badge, TimeAgo } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { buildPortFields, type Port } from './fields.ts'
import { formatVlans } from './labels.ts'

const ORDER = ['name', 'peers', 'kind', 'type', 'speed_mbps', 'vlan_id', 'mac_address', 'enabled', 'description']

export const DEFAULT_COLUMNS = ['name', 'peer', 'kind', 'type', 'speed', 'vlans', 'mac', 'actions']

const PeerCell = ({ port: { peers = [], pass_through } }: { readonly port: Port }) =>
  peers.map(({ side, cable_id, device_id, device, port_id, port }, at) => (
    <span key={cable_id}>
      {at > 0 && ', '}
      {pass_through && <span className="muted">{side} to </span>}
      <RowLink to="devices" id={device_id}>
        {device}
      </RowLink>{' '}
      <RowLink to="ports" id={port_id} className="mono">
        {port}
      </RowLink>
    </span>
  ))

export const buildPortColumns = (ports: readonly Port[]): readonly Column<Port>[] =>
  buildOwnColumns(buildPortFields(ports), ORDER, {
    name: ({ id, name, enabled }) => (
      <>
        <RowLink to="ports" id={id} className="mono">
          {name}
        </RowLink>
        {!enabled && (
          <>
            {' '}
            <Badge tone="idle">disabled</Badge>
          </>
        )}
      </>
    ),
    peers: (port) => <PeerCell port={port} />,
    vlan_id: (port) => <span className="mono">{formatVlans(port)}</span>,
    updated_at: ({ updated_at }) => <TimeAgo at={updated_at} />,
  })
