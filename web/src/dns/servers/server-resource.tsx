/** How DNS servers are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { SecretField } from '../../access/secret-field.tsx'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { FieldSpec, Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import type { Server } from '../queries.ts'
import { StoredTest } from './server-test.tsx'

const ALGORITHMS: readonly Server['tsig_algorithm'][] = ['hmac-sha256', 'hmac-sha512', 'hmac-sha384', 'hmac-sha1']

/** The server names the error of a text that is no number. */
export const toSentNumber = (text: string): unknown => {
  if (text.trim() === '') return null
  return Number.isNaN(Number(text)) ? text : Number(text)
}

const buildFields = (stored: Server | undefined): readonly FieldSpec[] => [
  { name: 'name', label: 'Name', isRequired: true },
  {
    name: 'host',
    label: 'Host',
    isMono: true,
    isRequired: true,
    hint: 'An address or a name. Addresses of this machine and of private networks must be in DNS_SERVERS.',
  },
  { name: 'port', label: 'Port', kind: 'number', initial: '53', isHalf: true, send: toSentNumber },
  {
    name: 'timeout_seconds',
    label: 'Timeout in seconds',
    kind: 'number',
    initial: '5',
    isHalf: true,
    send: toSentNumber,
  },
  {
    name: 'tsig_name',
    label: 'TSIG key',
    isMono: true,
    hint: 'The name of the key that signs requests. Without one they are not signed.',
  },
  {
    name: 'tsig_algorithm',
    label: 'Algorithm',
    kind: 'select',
    initial: 'hmac-sha256',
    options: ALGORITHMS.map((one) => [one, one] as const),
    isShown: ({ tsig_name = '' }) => tsig_name.trim() !== '',
  },
  {
    name: 'tsig_secret',
    label: 'Secret',
    isSecret: true,
    isShown: ({ tsig_name = '' }) => tsig_name.trim() !== '',
    render: ({ value, onChange, error }) => (
      <SecretField
        label="Secret"
        hint="In base64, as tsig-keygen and keymgr print it"
        isStored={stored?.has_secret === true}
        isNeededAgain={false}
        {...{ value, onChange, error }}
      />
    ),
    read: () => '',
  },
  { name: 'description', label: 'Description', kind: 'area' },
]

/** @param stored the server before the edit */
export const buildServerResource = (stored: Server | undefined): Resource<Server> => ({
  noun: 'server',
  fields: buildFields(stored),
  getName: ({ name }) => name,
  ...createCrud(contracts.dnsProviders),
  changes: ['dns-providers', 'dns-zones', 'dns-zone'],
  below: (id) => <StoredTest id={id} />,
})

const formatAddress = ({ host, port }: Server): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

export { formatAddress as serverAddress }

export const serverSpec: TableSpec<Server> = {
  id: ({ id }) => id,
  text: ({ name, host, tsig_name, description }) => [name, host, tsig_name, description].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    address: formatAddress,
    key: ({ tsig_name }) => tsig_name,
    updated: ({ updated_at }) => -Date.parse(updated_at),
  },
  fields: { host: ({ host }, value) => host.toLowerCase().startsWith(value) },
  facets: { host: ({ host }) => [host] },
}
