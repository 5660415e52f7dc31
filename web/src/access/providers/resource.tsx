/** How identity providers are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { ControlInput, FieldSpec, Resource } from '../../resource/resource.ts'
import { FieldInput } from '../../resource/resource-form.tsx'
import type { TableSpec } from '../../table/engine.ts'
import { Button } from '../../ui/button.tsx'
import { SecretField } from '../secret-field.tsx'
import type { Provider } from '../types.ts'
import { ProviderBelow } from './below.tsx'
import { IssuerField } from './issuer-field.tsx'
import { MappingsField, parseMappings, readMappings } from './mappings-field.tsx'
import { Addresses } from './setup.tsx'

const buildFlag = (name: string, label: string, hint: string, initial: boolean): FieldSpec => ({
  ...{ name, label, hint, kind: 'flag', initial: String(initial) },
  read: String,
  send: (text) => text === 'true',
})

/** The server names the error of a text that is no number. */
const toSentNumber = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim() || null)

const ADVANCED_NAME = 'advanced'

/** The button that shows the fields below it. */
const ADVANCED: FieldSpec = {
  name: ADVANCED_NAME,
  label: 'Advanced',
  render: ({ value, onChange }) => (
    <div>
      <Button aria-expanded={value !== ''} onClick={() => onChange(value === '' ? 'open' : '')}>
        Advanced
      </Button>
    </div>
  ),
  read: () => '',
  send: () => undefined,
}

/** A closed field is sent as well: a preset may have set it. A wrong one is shown. */
const toAdvanced = (field: FieldSpec): FieldSpec => ({
  ...field,
  render: (input) =>
    input.values[ADVANCED_NAME] === 'open' || input.error !== undefined || isWrongIssuer(field, input) ? (
      <FieldInput field={field} {...input} />
    ) : null,
})

/** The setting that an http issuer needs. */
const isWrongIssuer = ({ name }: FieldSpec, { errors }: ControlInput): boolean =>
  name === 'allow_http' && errors.issuer !== undefined

const ADVANCED_FIELDS: readonly FieldSpec[] = [
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
  },
  {
    name: 'groups_claim',
    label: 'Claim of the groups',
    initial: 'groups',
    isMono: true,
    hint: 'Dots descend. Empty reads none.',
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
    hint: 'Also of passkeys, without a password',
    send: toSentNumber,
  },
  {
    name: 'credentials_max_idle_days',
    label: 'Keys sleep after, days',
    kind: 'number',
    initial: '90',
    hint: 'Without a sign-in. 0: never',
    send: toSentNumber,
  },
  buildFlag('allow_http', 'Allow http', 'For a provider in a trusted network', false),
]

const buildFields = (stored: Provider | undefined): readonly FieldSpec[] => [
  {
    name: 'addresses',
    label: 'Redirect URI',
    isShown: (_, isNew) => isNew,
    render: () => <Addresses />,
    send: () => undefined,
  },
  { name: 'name', label: 'Name', isRequired: true, hint: 'On the button of the sign-in page' },
  { name: 'issuer', label: 'Issuer', isRequired: true, render: (input) => <IssuerField {...input} /> },
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
  {
    name: 'group_mappings',
    label: 'Group mappings',
    render: (input) => <MappingsField {...input} />,
    read: readMappings,
    send: parseMappings,
  },
  ADVANCED,
  ...ADVANCED_FIELDS.map(toAdvanced),
]

/** @param stored the provider before the edit */
export const buildProviderResource = (stored: Provider | undefined): Resource<Provider> => ({
  noun: 'identity provider',
  fields: buildFields(stored),
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
