/** How webhooks are read, written, searched and sorted. */

import { toSortKey } from '../../../src/net/name-order.ts'
import { isSameOrigin } from '../../../src/net/origin.ts'
import { formatList, parseList } from '../access/list-text.ts'
import { contracts } from '../api/contracts.ts'
import { createCrud } from '../resource/crud.ts'
import type { FieldSpec, Resource, Values } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { FilterField, formatFilter, parseFilter } from './channels/filter-field.tsx'
import { FormatField } from './channels/format-field.tsx'
import { toFormat } from './channels/formats.ts'
import { ReportsField } from './channels/reports-field.tsx'
import { UrlField } from './channels/url-field.tsx'
import { EventsField, parseEvents } from './events-field.tsx'
import { formatRows, toRows, toSentHeaders } from './headers.ts'
import { HeadersField } from './headers-field.tsx'
import type { Webhook } from './queries.ts'
import { toSentSecret, WebhookSecret } from './secret-field.tsx'

/** Stored secrets belong to one target. Another scheme, host or port needs them again. */
const isMoved = (stored: Webhook | undefined, { url = '' }: Values): boolean =>
  stored !== undefined && !isSameOrigin(stored.url, url.trim())

const SENDING = 'How it is sent'

const buildSecretField = (stored: Webhook | undefined): FieldSpec => ({
  name: 'secret',
  label: 'Secret',
  section: SENDING,
  isShown: isRequest,
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

const RHYTHM = 'When messages go'

const isChannel = ({ format }: Values): boolean => toFormat(format) !== 'generic'
const isDigest = (values: Values): boolean => isChannel(values) && (values.digest ?? '') !== ''
const isGrouped = (values: Values): boolean => isChannel(values) && !isDigest(values)
const isRequest = ({ format }: Values): boolean => toFormat(format) !== 'email'

/** The fields that only messages have. */
const RHYTHM_FIELDS: readonly FieldSpec[] = [
  {
    ...{ name: 'digest', label: 'Digest', kind: 'select', section: RHYTHM, isShown: isChannel },
    options: [
      ['', 'None: messages go as events occur'],
      ['hourly', 'Hourly'],
      ['daily', 'Daily'],
      ['weekly', 'Weekly, on Monday'],
    ],
  },
  {
    ...{ name: 'digest_at', label: 'Digest at', section: RHYTHM, isShown: isDigest, isMono: true },
    ...{ placeholder: '08:00', hint: 'HH:MM; an hourly one takes the minutes' },
  },
  {
    ...{ name: 'reports', label: 'Reports', section: RHYTHM },
    // Shown without a digest too while some are chosen, so that they can be removed.
    isShown: (values) => isDigest(values) || (isChannel(values) && parseList(values.reports ?? '').length > 0),
    render: ({ value, onChange, error }) => <ReportsField value={value} onChange={onChange} error={error} />,
    ...{ read: formatList, send: parseList },
  },
  {
    ...{ name: 'group_seconds', label: 'Group for seconds', kind: 'number', section: RHYTHM, isHalf: true },
    ...{ isShown: isGrouped, hint: 'Later events go into the same message: 0 to 3600' },
  },
  {
    ...{ name: 'max_per_hour', label: 'Messages an hour', kind: 'number', section: RHYTHM, isHalf: true },
    ...{ isShown: isGrouped, hint: 'At most; further events wait: 1 to 1000' },
  },
  {
    ...{ name: 'quiet_from', label: 'Quiet from', section: RHYTHM, isHalf: true, isMono: true },
    ...{ isShown: isChannel, placeholder: '22:00', hint: 'Nothing is sent until the other time' },
  },
  {
    ...{ name: 'quiet_to', label: 'Quiet to', section: RHYTHM, isHalf: true, isMono: true },
    ...{ isShown: isChannel, placeholder: '06:30' },
  },
  {
    ...{ name: 'timezone', label: 'Time zone', section: RHYTHM, isMono: true, isShown: isChannel },
    hint: 'Of these times, such as Europe/Berlin',
  },
]

const buildFields = (stored: Webhook | undefined, allowsPrivate: boolean | undefined): readonly FieldSpec[] => [
  {
    name: 'format',
    label: 'Where to',
    render: ({ value, onChange, error }) => <FormatField value={toFormat(value)} onChange={onChange} error={error} />,
  },
  { name: 'name', label: 'Name', isRequired: true },
  {
    name: 'url',
    label: 'URL',
    isRequired: true,
    // The URL of a chat service is a secret.
    isSecret: true,
    render: ({ value, onChange, error, values }) => (
      <UrlField {...{ stored, allowsPrivate, value, onChange, error }} format={values.format} />
    ),
    // An update with the stored text keeps it.
    send: (text) => text.trim(),
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
    name: 'filter',
    label: 'Filter',
    section: 'Only of objects',
    render: ({ value, onChange, errors }) => <FilterField value={value} onChange={onChange} errors={errors} />,
    read: formatFilter,
    send: parseFilter,
  },
  ...RHYTHM_FIELDS,
  {
    name: 'enabled',
    label: 'Enabled',
    section: SENDING,
    kind: 'flag',
    hint: 'It receives events',
    send: (text) => text !== 'false',
  },
  buildSecretField(stored),
  {
    name: 'headers',
    label: 'Headers',
    section: SENDING,
    isShown: isRequest,
    // Header values may contain a token.
    isSecret: true,
    render: ({ values, ...input }) => <HeadersField {...input} isNeededAgain={isMoved(stored, values)} />,
    read: (value) => formatRows(toRows(value)),
    send: toSentHeaders,
  },
  {
    ...{ name: 'timeout_seconds', label: 'Timeout in seconds', kind: 'number', section: SENDING },
    hint: '1 to 60, for one attempt',
  },
  {
    name: 'retry_count',
    label: 'Retries',
    kind: 'number',
    section: SENDING,
    hint: '0 to 10: after 1, 5 and 15 minutes, an hour, then every 6 hours',
  },
  { name: 'description', label: 'Description', kind: 'area', section: SENDING },
]

/** The time zone of the user, which is that of the quiet hours as a rule. */
const getTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const NEW_WEBHOOK = {
  ...{ format: 'generic', enabled: 'true', timeout_seconds: '10', retry_count: '3' },
  ...{ group_seconds: '10', max_per_hour: '20', digest: '', digest_at: '08:00', timezone: getTimeZone() },
}

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
    format: ({ format }) => format,
    enabled: getState,
    updated: ({ updated_at }) => -Date.parse(updated_at),
  },
  fields: {
    event: ({ events }, value) => events.some((event) => event.startsWith(value)),
    state: (webhook, value) => getState(webhook).startsWith(value),
    format: ({ format }, value) => format.startsWith(value),
  },
  facets: {
    event: ({ events }) => events,
    state: (webhook) => [getState(webhook)],
    format: ({ format }) => [format],
  },
}
