/** The columns of scans, and how scans are searched and sorted. */

import { Link } from '@tanstack/react-router'
import { toSortKey } from '../../../../src/net/name-order.ts'
import type { Network } from '../../api/contracts.ts'
import { SpaceBadge } from '../../spaces/known-spaces.tsx'
import type { Column } from '../../table/column.ts'
import type { TableSpec } from '../../table/engine.ts'
import { formatCount } from '../../ui/format.ts'
import { TimeAgo } from '../../ui/primitives.tsx'
import { formatDuration, formatOfTotal, formatWait } from '../labels.ts'
import { Progress, ScanStatus, scanStatusText } from '../marks.tsx'
import { isActive } from '../queries.ts'
import css from '../scans.module.css'
import type { Scan } from '../shapes.ts'
import { ScanTools } from './scan-actions.tsx'

export type Networks = ReadonlyMap<string, Network>

export const getNetworkName = (networks: Networks, id: string): string => networks.get(id)?.name ?? id

const formatNetwork = (networks: Networks, id: string): string => {
  const network = networks.get(id)
  return network ? `${network.name} ${network.subnet}` : id
}

const computeDurationMs = ({ started_at, completed_at }: Scan): number =>
  started_at === null || completed_at === null ? 0 : Date.parse(completed_at) - Date.parse(started_at)

export const scanSpec = (networks: Networks): TableSpec<Scan> => ({
  id: ({ id }) => id,
  text: ({ network_id, scan_type, status, error_message, created_by, scanner_name }) =>
    [
      ...[formatNetwork(networks, network_id), scan_type, scanStatusText(status)],
      ...[error_message, created_by, scanner_name],
    ].join('\n'),
  sorts: {
    // Newest first by default. A descending sort starts with the oldest.
    created: ({ created_at }) => -Date.parse(created_at),
    network: ({ network_id }) => toSortKey(getNetworkName(networks, network_id)),
    type: ({ scan_type }) => scan_type,
    status: ({ status }) => status,
    progress: ({ progress_percent }) => progress_percent,
    found: ({ found_hosts }) => found_hosts,
    rate: ({ hosts_per_second }) => hosts_per_second,
    duration: computeDurationMs,
    scanner: ({ scanner_name }) => toSortKey(scanner_name),
  },
  fields: {
    network: ({ network_id }, value) => formatNetwork(networks, network_id).toLowerCase().includes(value),
    type: ({ scan_type }, value) => scan_type.startsWith(value),
    status: ({ status }, value) => scanStatusText(status).startsWith(value) || status.startsWith(value),
    scanner: ({ scanner_name }, value) => scanner_name.toLowerCase().startsWith(value),
    // Links and saved views of before say `by:rule`.
    by: ({ created_by, rule_id }, value) =>
      (rule_id === null ? [created_by.toLowerCase()] : ['schedule', 'rule']).some((one) => one.startsWith(value)),
  },
  facets: {
    network: ({ network_id }) => [getNetworkName(networks, network_id)],
    type: ({ scan_type }) => [scan_type],
    status: ({ status }) => [scanStatusText(status)],
    scanner: ({ scanner_name }) => (scanner_name === '' ? [] : [scanner_name]),
    by: ({ created_by, rule_id }) => [rule_id === null ? created_by : 'schedule'],
  },
})

type Tools = {
  readonly networks: Networks
  readonly nowMs: number
  readonly onCancel: (id: string) => void
  readonly onDelete: (scan: Scan) => void
}

const Who = ({ scan: { rule_id, created_by } }: { readonly scan: Scan }) =>
  rule_id === null ? created_by : <span className="muted">its schedule</span>

type TakerProps = { readonly scan: Scan; readonly label: string | undefined }

/** The scanner that took the scan, or whom it waits for; nothing for the server. */
const Taker = ({ scan: { status, scanner_name }, label = '' }: TakerProps) =>
  status === 'pending' && label !== '' ? <span className="muted">{formatWait(label)}</span> : scanner_name

export const scanColumns = ({ networks, nowMs, onCancel, onDelete }: Tools): readonly Column<Scan>[] => [
  {
    id: 'network',
    text: 'Network',
    width: 190,
    isSortable: true,
    isEssential: true,
    cell: ({ id, network_id }) => (
      <>
        <Link to="/scans/$id" params={{ id }} tabIndex={-1}>
          {getNetworkName(networks, network_id)}
        </Link>{' '}
        <span className="mono muted">{networks.get(network_id)?.subnet}</span>
        <SpaceBadge space_id={networks.get(network_id)?.space_id} />
      </>
    ),
  },
  { id: 'type', text: 'Type', width: 64, isSortable: true, cell: ({ scan_type }) => scan_type },
  {
    id: 'status',
    text: 'Status',
    width: 128,
    isSortable: true,
    isEssential: true,
    cell: ({ status }) => <ScanStatus status={status} />,
  },
  {
    id: 'progress',
    text: 'Progress',
    width: 120,
    isSortable: true,
    cell: (scan) => <Progress scan={scan} label={`Scan of ${getNetworkName(networks, scan.network_id)}`} isSmall />,
  },
  {
    id: 'found',
    text: 'Hosts found',
    width: 116,
    isSortable: true,
    isRight: true,
    isEssential: true,
    cell: ({ found_hosts, total_hosts }) => (
      <span className={css.figure} title={`${formatOfTotal(found_hosts, total_hosts)} addresses`}>
        <b>{formatCount(found_hosts)}</b> <span className={css.ofAll}>/ {formatCount(total_hosts)}</span>
      </span>
    ),
  },
  {
    id: 'rate',
    text: 'Per second',
    width: 88,
    isSortable: true,
    isRight: true,
    cell: ({ hosts_per_second }) => (hosts_per_second > 0 ? formatCount(Math.round(hosts_per_second)) : ''),
  },
  {
    id: 'created',
    text: 'Started',
    width: 110,
    isSortable: true,
    isNewestFirst: true,
    cell: ({ started_at, created_at }) =>
      started_at === null ? (
        <span className="muted" title="queued">
          <TimeAgo at={created_at} />
        </span>
      ) : (
        <TimeAgo at={started_at} />
      ),
  },
  {
    id: 'duration',
    text: 'Took',
    width: 84,
    isSortable: true,
    isRight: true,
    cell: (scan) => <span className={isActive(scan) ? 'muted' : undefined}>{formatDuration(scan, nowMs)}</span>,
  },
  { id: 'by', text: 'By', width: 80, cell: (scan) => <Who scan={scan} /> },
  {
    id: 'scanner',
    text: 'Scanner',
    width: 130,
    isSortable: true,
    cell: (scan) => <Taker scan={scan} label={networks.get(scan.network_id)?.scanner} />,
  },
  {
    id: 'error',
    text: 'Reason',
    width: 140,
    cell: ({ error_message }) => <span title={error_message}>{error_message}</span>,
  },
  {
    id: 'tools',
    text: 'Actions',
    isHeadHidden: true,
    width: 72,
    isRight: true,
    cell: (scan) => (
      <ScanTools
        scan={scan}
        network={getNetworkName(networks, scan.network_id)}
        onCancel={onCancel}
        onDelete={onDelete}
      />
    ),
  },
]

export const SCAN_DEFAULT_COLUMNS = [
  ...['network', 'type', 'status', 'progress', 'found', 'rate', 'created', 'duration', 'by', 'error', 'tools'],
]
/** While there are scanners. */
export const WITH_SCANNER = SCAN_DEFAULT_COLUMNS.toSpliced(-2, 0, 'scanner')
