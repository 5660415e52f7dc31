/** How schedules of scans are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts, type Network } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { FieldSpec, Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import { SCAN_TYPES } from '../labels.ts'
import type { Rule, ScanType } from '../shapes.ts'
import { TypeChoice } from './type-choice.tsx'

const parseScanType = (text: string): ScanType => SCAN_TYPES.find(([type]) => type === text)?.[0] ?? 'quick'

const FIELDS: readonly FieldSpec[] = [
  {
    name: 'network_id',
    label: 'Network',
    isRequired: true,
    kind: 'reference',
    to: 'networks',
    placeholder: 'A part of its name, its subnet, or an address',
  },
  {
    name: 'scan_type',
    label: 'Type',
    render: ({ value, onChange }) => <TypeChoice value={parseScanType(value)} onChange={onChange} />,
  },
  {
    name: 'interval_hours',
    label: 'Interval in hours',
    kind: 'number',
    hint: '1 to 8760, from the end of one scan to the next. 24 is every day, 168 every week.',
  },
  {
    name: 'enabled',
    label: 'Enabled',
    kind: 'flag',
    send: (text) => text !== 'false',
  },
  {
    name: 'listen',
    label: 'Listen between scans',
    kind: 'flag',
    initial: 'false',
    hint: 'Devices appear a moment after they join. The scanner of the network, or this server, listens on its link to it.',
    send: (text) => text === 'true',
  },
  {
    name: 'exclude_ips',
    label: 'Exclude',
    kind: 'area',
    hint: 'Addresses, ranges like 10.0.0.1-10.0.0.9 and CIDRs, with commas between them.',
  },
]

export const NEW_RULE = { scan_type: 'quick', interval_hours: '24', enabled: 'true' }

export type Names = ReadonlyMap<string, Network>

export const formatRuleName = (networks: Names, { network_id }: Pick<Rule, 'network_id'>): string =>
  `the schedule of ${networks.get(network_id)?.name ?? network_id}`

export const buildRuleResource = (networks: Names): Resource<Rule> => ({
  noun: 'schedule',
  fields: FIELDS,
  getName: (rule) => formatRuleName(networks, rule),
  ...createCrud(contracts.discoveryRules),
  changes: ['discovery-rules'],
})

const formatListens = ({ listen }: Rule): string => (listen ? 'yes' : 'no')

export const buildRuleSpec = (networks: Names): TableSpec<Rule> => {
  const network = ({ network_id }: Rule): string => {
    const known = networks.get(network_id)
    return known ? `${known.name} ${known.subnet}` : network_id
  }
  const enabled = (rule: Rule): string => (rule.enabled ? 'yes' : 'no')
  return {
    id: ({ id }) => id,
    text: (rule) => [network(rule), rule.scan_type, rule.exclude_ips].join('\n'),
    sorts: {
      network: (rule) => toSortKey(network(rule)),
      type: ({ scan_type }) => scan_type,
      every: ({ interval_hours }) => interval_hours,
      last: ({ last_run_at }) => last_run_at ?? '',
      // Schedules that never run sort last.
      next: ({ next_run_at }) => next_run_at ?? '~',
      enabled,
      listen: formatListens,
    },
    fields: {
      network: (rule, value) => network(rule).toLowerCase().includes(value),
      type: ({ scan_type }, value) => scan_type.startsWith(value),
      enabled: (rule, value) => enabled(rule).startsWith(value),
      listen: (rule, value) => formatListens(rule).startsWith(value),
    },
    facets: {
      network: ({ network_id }) => [networks.get(network_id)?.name ?? ''],
      type: ({ scan_type }) => [scan_type],
      enabled: (rule) => [enabled(rule)],
      listen: (rule) => [formatListens(rule)],
    },
  }
}
