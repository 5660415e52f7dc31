/** How identity providers are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { FieldSpec, Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import { SecretField } from '../secret-field.tsx'
import type { Group, Provider } from '../types.ts'
import { ProviderBelow } from './below.tsx'
import { MappingsField, parseMappings, readMappings } from './mappings-field.tsx'

const YES_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

const buildFlag = (name: string, label: string, hint: string, initial: boolean): FieldSpec => ({
  ...{ name, label, hint, kind: 'select', options: YES_NO, initial: String(initial) },
  read: String,
  send: (text) => text === 'true',
})

/** The server names the error of a text that is no number. */
const toSentNumber = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim() || null)

const buildFields = (stored: Provider | undefined, groups: readonly Group[]): readonly FieldSpec[] => [
  { name: 'name', label: 'Name', isRequired: true, hint: 'On the button of the sign-in page' },
  {
    name: 'issuer',
    label: 'Issuer',
    isMono: true,
    isRequired: true,
    hint: 'The address by which the provider names itself. It cannot change once a user has signed in.',
  },
  { name: 'client_id', label: 'Client ID', isMono: true, isRequired: true },
  {
    name: 'client_secret',
    label: 'Client secret',
    isSecret: true,
    render: ({ value, onChange, error }) => (
      <SecretField
        label="Client secret"
        hint="Without one the client is public, and protected by PKCE alone"
        isStored={stored?.has_secret === true}
        isNeededAgain={false}
        {...{ value, onChange, error }}
      />
    ),
    read: () => '',
  },
  buildFlag('enabled', 'Enabled', 'Whether users may sign in by it', true),
  buildFlag('create_users', 'Create users', 'For identities that are unknown here', true),
  buildFlag(
    'link_by_email',
    'Link by e-mail',
    'To the user with the verified address, unless that user manages people. Password, sessions and keys of the user end',
    false,
  ),
  {
    name: 'allowed_domains',
    label: 'Allowed domains',
    kind: 'tags',
    hint: 'Of verified e-mail addresses. All of them where empty',
  },
  { name: 'scopes', label: 'Scopes', kind: 'tags', initial: 'openid, profile, email', isMono: true },
  {
    name: 'username_claim',
    label: 'Claim of the user name',
    initial: 'preferred_username',
    isMono: true,
    isHalf: true,
  },
  {
    name: 'groups_claim',
    label: 'Claim of the groups',
    initial: 'groups',
    isMono: true,
    isHalf: true,
    hint: 'Dots descend. Empty reads none.',
  },
  {
    name: 'group_mappings',
    label: 'Group mappings',
    render: (input) => <MappingsField {...input} groups={groups} />,
    read: readMappings,
    send: parseMappings,
  },
  {
    name: 'required_acr',
    label: 'Required acr',
    isMono: true,
    hint: 'The authentication context that a sign-in must have',
  },
  {
    name: 'max_session_hours',
    label: 'Longest session, hours',
    kind: 'number',
    initial: '12',
    isHalf: true,
    hint: 'Also of passkeys, without a password',
    send: toSentNumber,
  },
  {
    name: 'credentials_max_idle_days',
    label: 'Keys sleep after, days',
    kind: 'number',
    initial: '90',
    isHalf: true,
    hint: 'Without a sign-in. 0: never',
    send: toSentNumber,
  },
  buildFlag('allow_http', 'Allow http', 'For a provider in a trusted network', false),
]

/** @param stored the provider before the edit */
export const buildProviderResource = (stored: Provider | undefined, groups: readonly Group[]): Resource<Provider> => ({
  noun: 'provider',
  fields: buildFields(stored, groups),
  getName: ({ name }) => name,
  ...createCrud(contracts.ssoProviders),
  changes: ['sso-providers', 'sign-in options', 'groups', 'group', 'me'],
  below: (id) => <ProviderBelow id={id} />,
})

export const providerSpec: TableSpec<Provider> = {
  id: ({ id }) => id,
  text: ({ name, issuer, client_id }) => [name, issuer, client_id].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    issuer: ({ issuer }) => issuer,
    updated: ({ updated_at }) => -Date.parse(updated_at),
  },
  fields: { enabled: ({ enabled }, value) => (enabled ? 'yes' : 'no').startsWith(value) },
  facets: { enabled: ({ enabled }) => [enabled ? 'yes' : 'no'] },
}
