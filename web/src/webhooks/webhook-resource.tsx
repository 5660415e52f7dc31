/** How webhooks are read, written, searched and sorted. */

import { toSortKey } from '../../../src/net/name-order.ts'
import { isSameOrigin } from '../../../src/net/origin.ts'
import { contracts } from '../api/contracts.ts'
import { createCrud } from '../resource/crud.ts'
import type { FieldSpec, Resource, Values } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { EventsField, parseEvents } from './events-field.tsx'
import { formatRows, toRows, toSentHeaders } from './headers.ts'
import { HeadersField } from './headers-field.tsx'
import type { Webhook } from './queries.ts'
import { toSentSecret, WebhookSecret } from './secret-field.tsx'

/** Stored secrets belong to one target. Another scheme, host or port needs them again. */
const isMoved = (stored: Webhook | undefined, { url = '' }: Values): boolean =>
  stored !== undefined && !isSameOrigin(stored.url, url.trim())

const buildSecretField = (stored: Webhook | undefined): FieldSpec => ({
  name: 'secret',
  label: 'Secret',
  isSecret: true,
  render: (input) => (
    <WebhookSecret
      {...input}
      isStored={stored?.has_secret === true}
      isNeededAgain={stored?.has_secret === true && isMoved(stored, input.values)}
    />
  ),
  read: () => '',
  send: toSentSecret,
})

const SENT = 'Each event is sent there as a POST of JSON.'

/** Says whether the server permits private addresses. Undefined until that is known. */
const formatUrlHint = (allowsPrivate: boolean | undefined): string => {
  if (allowsPrivate === undefined) return SENT
  return `${SENT} Addresses of this machine ${allowsPrivate ? '' : 'and of private networks '}are refused.`
}

const buildFields = (stored: Webhook | undefined, allowsPrivate: boolean | undefined): readonly FieldSpec[] => [
  { name: 'name', label: 'Name', isRequired: true },
  {
    name: 'url',
    label: 'URL',
    isMono: true,
    isRequired: true,
    hint: formatUrlHint(allowsPrivate),
  },
  {
    name: 'events',
    label: 'Events',
    isRequired: true,
    render: ({ value, onChange, error }) => <EventsField value={value} onChange={onChange} error={error} />,
    read: (value) => (Array.isArray(value) ? value.join(',') : ''),
    send: parseEvents,
  },
  {
    name: 'enabled',
    label: 'Enabled',
    kind: 'flag',
    hint: 'It receives events',
    send: (text) => text !== 'false',
  },
  buildSecretField(stored),
  {
    name: 'headers',
    label: 'Headers',
    // Header values may contain a token.
    isSecret: true,
    render: ({ values, ...input }) => <HeadersField {...input} isNeededAgain={isMoved(stored, values)} />,
    read: (value) => formatRows(toRows(value)),
    send: toSentHeaders,
  },
  { name: 'timeout_seconds', label: 'Timeout in seconds', kind: 'number', hint: '1 to 60, for one attempt' },
  {
    name: 'retry_count',
    label: 'Retries',
    kind: 'number',
    hint: '0 to 10: after 1, 5 and 15 minutes, an hour, then every 6 hours',
  },
  { name: 'description', label: 'Description', kind: 'area' },
]

export const NEW_WEBHOOK = { enabled: 'true', timeout_seconds: '10', retry_count: '3' }

/** @param stored the webhook before the edit */
export const buildWebhookResource = (
  stored: Webhook | undefined,
  allowsPrivate: boolean | undefined,
): Resource<Webhook> => ({
  noun: 'webhook',
  fields: buildFields(stored, allowsPrivate),
  getName: ({ name }) => name,
  ...createCrud(contracts.webhooks),
  changes: ['webhooks', 'webhook', 'dashboard'],
})

/** Returns the state of a webhook. */
export const getState = ({ enabled, disabled_reason }: Webhook): 'enabled' | 'off' | 'disabled' =>
  enabled ? 'enabled' : disabled_reason === '' ? 'off' : 'disabled'

export const webhookSpec: TableSpec<Webhook> = {
  id: ({ id }) => id,
  text: ({ name, url, description, events }) => [name, url, description, ...events].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    url: ({ url }) => toSortKey(url),
    enabled: getState,
    updated: ({ updated_at }) => -Date.parse(updated_at),
  },
  fields: {
    event: ({ events }, value) => events.some((event) => event.startsWith(value)),
    state: (webhook, value) => getState(webhook).startsWith(value),
  },
  facets: { event: ({ events }) => events, state: (webhook) => [getState(webhook)] },
}
