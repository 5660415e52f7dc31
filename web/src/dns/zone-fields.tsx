/** The fields of a zone. */
import { parseStatuses, StatusesField } from '../feeds/statuses-field.tsx'
import type { FieldSpec } from '../resource/resource.ts'
import type { Space } from '../spaces/fields.ts'
import { buildSpaceControl } from '../spaces/known-control.ts'
import { toSentNumber } from './servers/server-resource.tsx'

const buildFlag = (yes: string, no: string) =>
  ({
    kind: 'select',
    initial: 'false',
    options: [
      ['false', no],
      ['true', yes],
    ],
    send: (text: string) => text === 'true',
  }) as const

const buildNumber = (initial: string) => ({ kind: 'number', initial, isHalf: true, send: toSentNumber }) as const

const filterFields = (spaces: readonly Space[]): readonly FieldSpec[] => [
  {
    name: 'tags',
    label: 'Tags',
    kind: 'tags',
    hint: 'With commas between them. Only the names of devices that have all of them.',
  },
  { name: 'datacenter_id', label: 'Datacenter', isHalf: true, kind: 'reference', to: 'datacenters', none: 'Any' },
  { name: 'network_id', label: 'Network', isHalf: true, kind: 'reference', to: 'networks', none: 'Any' },
  { name: 'space_id', label: 'Address space', ...buildSpaceControl(spaces) },
  {
    name: 'statuses',
    label: 'States',
    initial: 'active,maintenance',
    render: (input) => <StatusesField {...input} />,
    read: (value) => (Array.isArray(value) ? value.join(',') : ''),
    send: parseStatuses,
  },
]

const fileFields: readonly FieldSpec[] = [
  {
    name: 'nameservers',
    label: 'Name servers of the file',
    kind: 'tags',
    isMono: true,
    hint: 'With commas between them, like ns1.example.org. The first is the primary one.',
  },
  { name: 'admin_email', label: 'Mailbox of the file', isMono: true, hint: 'Of the SOA, like hostmaster@example.org' },
]

/** @param spaces offered if there are any */
export const buildZoneFields = (spaces: readonly Space[]): readonly FieldSpec[] => [
  {
    name: 'name',
    label: 'Name',
    isMono: true,
    isFixed: true,
    hint: 'Like example.org. The name of a reverse zone follows from its subnet. It cannot be changed later.',
  },
  {
    name: 'subnet',
    label: 'Subnet',
    isMono: true,
    isFixed: true,
    hint: 'Of a reverse zone, like 192.0.2.0/24',
    isShown: ({ subnet }, isNew) => isNew || subnet !== '',
  },
  {
    name: 'provider_id',
    label: 'Server',
    kind: 'reference',
    to: 'dns-providers',
    none: 'None: the zone is only a file',
  },
  {
    name: 'mode',
    label: 'Mode',
    kind: 'select',
    initial: 'managed',
    options: [
      ['managed', 'Managed: Plat writes it'],
      ['watched', 'Watched: compared, never written'],
    ],
    // Nothing can be compared until a server is chosen.
    isShown: ({ provider_id, mode }) => provider_id !== '' || mode !== 'managed',
  },
  {
    name: 'is_default',
    label: 'Host names without a dot',
    ...buildFlag('They get the name of this zone', 'They are not in this zone'),
  },
  ...filterFields(spaces),
  { name: 'ttl', label: 'TTL in seconds', ...buildNumber('3600') },
  { name: 'negative_ttl', label: 'Negative TTL of the file', ...buildNumber('300') },
  ...fileFields,
  {
    name: 'check_interval_seconds',
    label: 'Seconds between checks',
    ...buildNumber('300'),
    isShown: ({ provider_id }) => provider_id !== '',
  },
  {
    name: 'max_delete_percent',
    label: 'Held above % of deletes',
    ...buildNumber('30'),
    isShown: ({ provider_id }) => provider_id !== '',
  },
  {
    name: 'repair',
    label: 'Drift',
    ...buildFlag('Missing and changed RRsets are written again', 'It is shown, and settled by hand'),
    isShown: ({ provider_id }) => provider_id !== '',
  },
  { name: 'description', label: 'Description', kind: 'area' },
]
