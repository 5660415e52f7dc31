/** The columns of networks, in the tree and in the flat list. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import type { Network } from '../api/contracts.ts'
import { ConflictMark } from '../conflicts/active-mark.tsx'
import { buildOwnColumns } from '../resource/columns.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { formatAddressCount, formatCount, isBeyondCounting } from '../ui/format.ts'
import { Meter } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { VlanNames } from '../vlans/names.ts'
import { VlanText } from '../vlans/vlan-text.tsx'
import { buildNetworkFields } from './fields.ts'
import css from './networks.module.css'
import { formatRange, formatRangeSize, type Gap, isInGap, type TreeRow } from './tree.ts'

const Used = ({ network }: { readonly network: Network }) => {
  const { utilization } = network
  if (!utilization) return null
  const { used_ips, reserved_ips, total_ips } = utilization
  return (
    <span className="mono" title={reserved_ips > 0 ? `${formatCount(reserved_ips)} reserved` : undefined}>
      {formatCount(used_ips)}
      {reserved_ips > 0 && ` + ${formatCount(reserved_ips)}`} / {formatAddressCount(network.subnet, total_ips)}
    </span>
  )
}

/** In percent an IPv6 network is never anything but empty. */
const Use = ({ network }: { readonly network: Network }) => {
  const { utilization, name, subnet } = network
  if (!utilization || isBeyondCounting(subnet)) return null
  return <Meter value={utilization.utilization} label={`${name} in use`} />
}

/** Returns the number of networks directly in a network, and the part of it that they take. @example '3 · 38 %' */
const formatSubnets = ({ utilization }: Network): string => {
  const { children = 0, allocated = 0 } = utilization ?? {}
  return children === 0 ? '' : `${formatCount(children)} · ${Math.round(allocated)} %`
}

const ORDER = ['subnet', 'name', 'vlan_id', 'datacenter_id', 'utilization']

/** The utilization as numbers. */
const USED: Column<Network> = {
  id: 'used',
  text: 'Used / total',
  width: 170,
  isRight: true,
  cell: (network) => <Used network={network} />,
}

const SUBNETS: Column<Network> = {
  id: 'subnets',
  text: 'Subnets',
  width: 90,
  cell: (network) => <span className="muted num">{formatSubnets(network)}</span>,
}

/** Further columns, of custom fields. */
export type NetworkColumns = readonly Column<Network>[] | undefined

/** @param vlans the names of VLANs, if there are any */
export const buildNetworkColumns = (
  names: ReadonlyMap<string, string>,
  vlans?: VlanNames,
  custom: NetworkColumns = [],
): readonly Column<Network>[] => [
  ...buildOwnColumns(buildNetworkFields(names, vlans), ORDER, {
    ...(vlans && { vlan_id: (network: Network) => <VlanText network={network} vlans={vlans} /> }),
    subnet: (network) => <SubnetLink network={network} />,
    utilization: (network) => <Use network={network} />,
  }).toSpliced(ORDER.length, 0, USED, SUBNETS),
  ...custom,
]

type TreeTools = {
  readonly onToggle: (row: TreeRow, isExpanded: boolean) => void
  /** Opens the dialog that takes a subnet of a gap. */
  readonly onUse: ((gap: Gap) => void) | undefined
  /** The subnet that a dialog would take. */
  readonly marked: string | undefined
}

const INDENT_PX = 18

const SubnetLink = ({ network: { id, subnet, space_id } }: { readonly network: Network }) => (
  <>
    <RowLink to="networks" id={id} className="mono">
      {subnet}
    </RowLink>
    <SpaceBadge space_id={space_id} />
    <ConflictMark id={id} />
  </>
)

const SubnetCell = ({ row, onToggle, onUse, marked }: TreeTools & { readonly row: TreeRow }) => {
  const indent = <span style={{ width: (row.level - 1) * INDENT_PX }} />
  if (row.kind === 'gap') {
    const isMarked = isInGap(row.range, marked)
    return (
      <span className={css.subnet}>
        {indent}
        <span className={css.gap} data-marked={isMarked || undefined}>
          <span className="mono truncate">{formatRange(row.range)}</span>{' '}
          <span>
            free<span className={css.size}>, {formatRangeSize(row.range)}</span>
            {isMarked && `, next ${marked}`}
          </span>{' '}
          {onUse && (
            <button type="button" tabIndex={-1} onClick={() => onUse(row)}>
              Use…
            </button>
          )}
        </span>
      </span>
    )
  }
  const { isExpanded, children } = row
  const name = row.kind === 'space' ? row.name : row.network.subnet
  const Icon = isExpanded ? ChevronDown : ChevronRight
  return (
    <span className={css.subnet}>
      {indent}
      {isExpanded === undefined ? (
        <span className={css.leaf} />
      ) : (
        <button
          type="button"
          className={css.fold}
          tabIndex={-1}
          aria-label={`${isExpanded ? 'Fold' : 'Unfold'} ${name}`}
          onClick={() => onToggle(row, !isExpanded)}
        >
          <Icon size={15} aria-hidden="true" />
        </button>
      )}
      {row.kind === 'space' ? <b>{name}</b> : <SubnetLink network={row.network} />}
      {row.kind === 'space' && <span className={css.children}>{children}</span>}
    </span>
  )
}

/** Returns the same columns over the rows of the tree; a gap has only its range. */
export const buildTreeColumns = (columns: readonly Column<Network>[], tools: TreeTools): readonly Column<TreeRow>[] =>
  columns.map((column) => ({
    ...column,
    isSortable: false,
    toText: undefined,
    width: column.id === 'subnet' ? column.width + 50 : column.width,
    cell: (row) => {
      if (column.id === 'subnet') return <SubnetCell row={row} {...tools} />
      return row.kind === 'network' ? column.cell(row.network) : null
    },
  }))

export const NETWORK_DEFAULT_COLUMNS = ['subnet', 'name', 'vlan', 'datacenter', 'utilization', 'used', 'subnets']
/** While there are scanners. */
export const WITH_SCANNER = [...NETWORK_DEFAULT_COLUMNS, 'scanner']
