/** The columns of discovered devices. */
import { Link } from '@tanstack/react-router'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { Networks } from './discovered-devices-spec.ts'
import { getDiscoveredName } from './labels.ts'
import { Confidence, DiscoveredDeviceStatus } from './marks.tsx'
import type { DiscoveredDevice } from './shapes.ts'

/** The drawer shows the others. */
const PORTS_SHOWN = 8

const Address = ({ discovered: { ip, addresses } }: { readonly discovered: DiscoveredDevice }) => (
  <span className="mono" title={addresses.map((one) => one.ip).join(', ')}>
    {ip}
    {addresses.length > 1 && <span className="muted"> +{addresses.length - 1}</span>}
  </span>
)

const Os = ({ discovered: { os_guess, os_confidence } }: { readonly discovered: DiscoveredDevice }) =>
  os_guess === '' ? null : (
    <span title={`${os_guess}, ${os_confidence} % sure`}>
      {os_guess} <span className="muted num">{os_confidence}%</span>
    </span>
  )

const Ports = ({ discovered: { open_ports } }: { readonly discovered: DiscoveredDevice }) => (
  <span className="mono" title={open_ports.join(', ')}>
    {open_ports.slice(0, PORTS_SHOWN).join(' ')}
    {open_ports.length > PORTS_SHOWN && <span className="muted"> +{open_ports.length - PORTS_SHOWN}</span>}
  </span>
)

export const buildDiscoveredDevicesColumns = (networks: Networks): readonly Column<DiscoveredDevice>[] => [
  {
    id: 'address',
    text: 'Address',
    width: 128,
    least: 126,
    isSortable: true,
    isEssential: true,
    cell: (discovered) => (
      <Link to="." search={(old: object) => ({ ...old, entry: discovered.id })} tabIndex={-1}>
        <Address discovered={discovered} />
        <SpaceBadge space_id={networks.get(discovered.network_id)?.space_id} />
      </Link>
    ),
  },
  {
    id: 'name',
    text: 'Name',
    width: 100,
    isSortable: true,
    isEssential: true,
    cell: ({ hostname }) => <span title={hostname}>{hostname}</span>,
  },
  {
    id: 'status',
    text: 'Status',
    width: 72,
    least: 72,
    isSortable: true,
    isEssential: true,
    cell: ({ status }) => <DiscoveredDeviceStatus status={status} />,
  },
  {
    id: 'confidence',
    text: 'Confidence',
    width: 96,
    isSortable: true,
    cell: (discovered) => (
      <Confidence value={discovered.confidence} label={`How sure ${getDiscoveredName(discovered)} is there`} />
    ),
  },
  {
    id: 'mac',
    text: 'MAC',
    width: 134,
    isSortable: true,
    cell: ({ mac_address }) => <span className="mono">{mac_address}</span>,
  },
  {
    id: 'vendor',
    text: 'Vendor',
    width: 100,
    isSortable: true,
    cell: ({ vendor }) => <span title={vendor}>{vendor}</span>,
  },
  { id: 'os', text: 'OS', width: 104, isSortable: true, cell: (discovered) => <Os discovered={discovered} /> },
  {
    id: 'ports',
    text: 'Open ports',
    width: 100,
    isSortable: true,
    cell: (discovered) => <Ports discovered={discovered} />,
  },
  {
    id: 'network',
    text: 'Network',
    width: 96,
    isSortable: true,
    cell: ({ network_id }) => (
      <RowLink to="networks" id={network_id}>
        {networks.get(network_id)?.name ?? network_id}
      </RowLink>
    ),
  },
  {
    id: 'documented',
    text: 'Documented',
    width: 104,
    isSortable: true,
    cell: ({ matched_device_id }) =>
      matched_device_id === null ? (
        <span className="muted">no</span>
      ) : (
        <RowLink to="devices" id={matched_device_id}>
          device
        </RowLink>
      ),
  },
  buildTimeColumn({ id: 'seen', text: 'Last seen', width: 92, at: ({ last_seen }) => last_seen }),
  buildTimeColumn({ id: 'first', text: 'First seen', width: 110, at: ({ first_seen }) => first_seen }),
]

export const DISCOVERED_DEFAULT_COLUMNS = [
  ...['address', 'name', 'status', 'confidence', 'mac', 'vendor', 'os', 'ports', 'documented', 'seen'],
]
