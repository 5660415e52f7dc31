/** How credentials are read, written, searched and sorted, and which fields belong to which type. */

import { toSortKey } from '../../../src/net/name-order.ts'
import { contracts } from '../api/contracts.ts'
import { createCrud } from '../resource/crud.ts'
import type { FieldSpec, Resource, Values } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { SecretField } from './secret-field.tsx'
import type { Credential, CredentialType } from './types.ts'

export const TYPE_NAMES: Readonly<Record<CredentialType, string>> = {
  ssh_password: 'SSH password',
  ssh_key: 'SSH key',
  snmp_v2c: 'SNMP v2c',
  snmp_v3: 'SNMP v3',
}

const AUTH = ['none', 'MD5', 'SHA', 'SHA224', 'SHA256', 'SHA384', 'SHA512'] as const
const PRIV = ['none', 'DES', 'AES', 'AES192', 'AES256'] as const
const toOptions = (words: readonly string[]) => words.map((word) => [word, word === 'none' ? 'None' : word] as const)

const isType =
  (...types: readonly CredentialType[]) =>
  ({ type }: Values): boolean =>
    types.some((one) => one === type)

const isProtected =
  (protocol: 'auth_protocol' | 'priv_protocol') =>
  (values: Values): boolean =>
    values.type === 'snmp_v3' && values[protocol] !== 'none' && values[protocol] !== ''

type Secret = {
  readonly name: string
  readonly label: string
  readonly shown: (values: Values) => boolean
  readonly isLong?: boolean
  readonly hint?: string
  /** The server does not reveal whether this secret is stored. */
  readonly isOptional?: boolean
}

/** Tells whether the form sets another target than the stored one, by the rule of the server. */
const isMoved = (stored: Credential, { device_id = '', network_id = '' }: Values): boolean => {
  const isOtherDevice = device_id !== '' && device_id !== stored.device_id
  const isOtherNetwork = network_id !== '' && network_id !== stored.network_id
  const isWider = stored.device_id !== null && device_id === '' && network_id !== ''
  return isOtherDevice || isOtherNetwork || isWider
}

/** @param stored the credential before the edit */
const buildSecretField = (
  { name, label, shown, isLong, hint, isOptional }: Secret,
  stored: Credential | undefined,
): FieldSpec => ({
  name,
  label,
  isSecret: true,
  isShown: shown,
  render: ({ value, onChange, error, values }) => (
    <SecretField
      label={label}
      value={value}
      onChange={onChange}
      error={error}
      isLong={isLong}
      hint={isOptional && stored ? 'If empty, the stored one is kept.' : hint}
      isNeededAgain={stored?.has_secret === true && isMoved(stored, values)}
      // A credential of another type has none of these secrets stored.
      isStored={
        !isOptional &&
        stored?.has_secret === true &&
        shown({ ...stored, device_id: '', network_id: '', has_secret: '' })
      }
    />
  ),
  read: () => '',
  // Leading and trailing blanks are part of a secret.
  send: (text) => text,
})

const SECRETS: readonly Secret[] = [
  { name: 'password', label: 'Password', shown: isType('ssh_password') },
  {
    name: 'private_key',
    label: 'Private key',
    shown: isType('ssh_key'),
    isLong: true,
    hint: 'The content of its file, with the first and the last line.',
  },
  {
    name: 'passphrase',
    label: 'Passphrase',
    shown: isType('ssh_key'),
    hint: 'If the key has one.',
    isOptional: true,
  },
  { name: 'community', label: 'Community', shown: isType('snmp_v2c') },
]

const V3_SECRETS = {
  auth: { name: 'auth_password', label: 'Authentication password', shown: isProtected('auth_protocol') },
  priv: { name: 'priv_password', label: 'Privacy password', shown: isProtected('priv_protocol') },
} as const

const buildFields = (stored: Credential | undefined): readonly FieldSpec[] => [
  { name: 'name', label: 'Name', isRequired: true },
  {
    name: 'type',
    label: 'Type',
    kind: 'select',
    options: Object.entries(TYPE_NAMES),
    hint: 'Another type deletes the stored secrets.',
  },
  { name: 'username', label: 'User name', isRequired: true, isShown: isType('ssh_password', 'ssh_key', 'snmp_v3') },
  ...SECRETS.map((secret) => buildSecretField(secret, stored)),
  {
    name: 'auth_protocol',
    label: 'Authentication',
    kind: 'select',
    options: toOptions(AUTH),
    isShown: isType('snmp_v3'),
  },
  buildSecretField(V3_SECRETS.auth, stored),
  { name: 'priv_protocol', label: 'Privacy', kind: 'select', options: toOptions(PRIV), isShown: isType('snmp_v3') },
  buildSecretField(V3_SECRETS.priv, stored),
  {
    name: 'network_id',
    label: 'Network',
    kind: 'reference',
    to: 'networks',
    hint: 'Tried at every host of the network; with a device, at the addresses of the device only.',
  },
  {
    name: 'device_id',
    label: 'Device',
    kind: 'reference',
    to: 'devices',
    none: 'Any device',
    hint: 'A part of its name or address',
  },
  { name: 'description', label: 'Description', kind: 'area' },
]

export const buildCredentialResource = (stored: Credential | undefined): Resource<Credential> => ({
  noun: 'credential',
  fields: buildFields(stored),
  getName: ({ name }) => name,
  ...createCrud(contracts.credentials),
  changes: ['credentials'],
})

export const credentialSpec: TableSpec<Credential> = {
  id: ({ id }) => id,
  text: ({ name, username, description, type }) => [name, username, description, TYPE_NAMES[type]].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    type: ({ type }) => TYPE_NAMES[type],
    username: ({ username }) => toSortKey(username),
    updated: ({ updated_at }) => updated_at,
  },
  fields: {
    type: ({ type }, value) => type.startsWith(value),
    secret: ({ has_secret }, value) => (has_secret ? 'stored' : 'none') === value,
  },
  facets: { type: ({ type }) => [type], secret: ({ has_secret }) => [has_secret ? 'stored' : 'none'] },
}
