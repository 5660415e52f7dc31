/** The fields of a feed. A format shows only the fields that it uses. */
import { CATALOGUE } from '../../../src/exchange/feeds/catalogue.ts'
import { ChoiceField } from '../resource/form/choice-field.tsx'
import { buildInput } from '../resource/form-values.ts'
import type { FieldSpec, Input, Values } from '../resource/resource.ts'
import type { Space } from '../spaces/fields.ts'
import { buildSpaceControl } from '../spaces/known-control.ts'
import type { Feed, PreviewDraft } from './queries.ts'
import { parseStatuses, StatusesField } from './statuses-field.tsx'
import { EXAMPLE, TemplateField } from './template-field.tsx'

export const MEDIA_TYPES = [
  ...(['text/plain', 'text/csv', 'application/json', 'application/yaml'] as const),
  ...(['application/toml', 'application/xml'] as const),
] satisfies readonly Feed['media_type'][]

/** The media type of a template that names none. */
const USUAL_TYPE = 'text/plain'

export type FeedParts = {
  /** The format of the stored feed. */
  readonly format?: Feed['format'] | undefined
  readonly spaces?: readonly Space[] | undefined
}

type Control = Partial<
  Pick<
    FieldSpec,
    'kind' | 'to' | 'none' | 'hint' | 'options' | 'render' | 'read' | 'send' | 'initial' | 'isHalf' | 'isShown'
  >
>
type Special = readonly [name: string, label: string, control: Control]

/** Returns the fields that only some formats use. */
const buildSpecialFields = ({ format, spaces = [] }: FeedParts): readonly Special[] => [
  ['zone_id', 'DNS zone', { kind: 'reference', to: 'dns-zones', none: 'Choose one' }],
  ['template', 'Template', { initial: EXAMPLE, kind: 'area', render: (input) => <TemplateField {...input} /> }],
  [
    'media_type',
    'Media type of the content',
    {
      ...{ kind: 'select', initial: USUAL_TYPE, options: MEDIA_TYPES.map((one) => [one, one] as const) },
      // Other formats have their own media type. As a template, the feed begins with the usual one.
      read: (value) => (format === 'template' ? String(value) : USUAL_TYPE),
    },
  ],
  ['tags', 'Tags', { kind: 'tags', hint: 'With commas between them. Devices that have all of them.' }],
  ['datacenter_id', 'Datacenter', { isHalf: true, kind: 'reference', to: 'datacenters', none: 'Any' }],
  ['network_id', 'Network', { isHalf: true, kind: 'reference', to: 'networks', none: 'Any' }],
  ['space_id', 'Address space', buildSpaceControl(spaces)],
  [
    'statuses',
    'States',
    {
      initial: 'active,maintenance',
      render: (input) => <StatusesField {...input} />,
      read: (value) => (Array.isArray(value) ? value.join(',') : ''),
      send: parseStatuses,
    },
  ],
  ['address_label', 'Label of the address', { isHalf: true, hint: 'Such as primary, ssh or bmc' }],
  [
    'family',
    'Family of the address',
    {
      ...{ isHalf: true, kind: 'select' },
      options: [
        ['', 'IPv4 and IPv6'],
        ['ipv4', 'IPv4'],
        ['ipv6', 'IPv6'],
      ],
    },
  ],
  [
    'port',
    'Port',
    {
      kind: 'number',
      hint: 'Of addresses without a port. Without both, an address is left out.',
      // The server names the error of a text that is no number.
      send: (text) => (text.trim() === '' ? null : Number.isNaN(Number(text)) ? text : Number(text)),
    },
  ],
]

const INFOS: ReadonlyMap<unknown, (typeof CATALOGUE)[Feed['format']]> = new Map(Object.entries(CATALOGUE))
const getInfo = (format: unknown) => INFOS.get(format)

export const buildFields = (parts: FeedParts): readonly FieldSpec[] => [
  { name: 'name', label: 'Name', isRequired: true },
  {
    name: 'id',
    label: 'Name in the URL',
    isMono: true,
    hint: 'Letters, digits, dot, underscore and hyphen. Random if empty. It cannot be changed later.',
    isShown: (_, isNew) => isNew,
    send: (text) => text.trim() || undefined,
  },
  {
    name: 'format',
    label: 'Format',
    initial: 'prometheus',
    render: ({ value, onChange, error }) => (
      <ChoiceField
        label="Format"
        hint={getInfo(value)?.description}
        choices={Object.entries(CATALOGUE).map(([name, { title }]) => [name, title] as const)}
        {...{ value, onChange, error }}
      />
    ),
  },
  ...buildSpecialFields(parts).map(([name, label, control]) => ({
    ...{ name, label },
    ...control,
    isShown: (values: Values, isNew: boolean) =>
      (getInfo(values.format)?.fields.includes(name) ?? false) && (control.isShown?.(values, isNew) ?? true),
  })),
  { name: 'description', label: 'Description', kind: 'area' },
]

/** Empties the fields that the new format of a feed does not use: the server refuses them. */
export const clearUnusedFields = ({ format }: Input): Input => {
  const info = getInfo(format)
  const empty = {
    tags: [],
    datacenter_id: null,
    network_id: null,
    space_id: null,
    address_label: '',
    family: '',
    port: null,
    zone_id: null,
    template: '',
  }
  return info ? Object.fromEntries(Object.entries(empty).filter(([name]) => !info.fields.includes(name))) : {}
}

/** Returns the draft to preview. Undefined while there is nothing to show: without a template, or a zone. */
export const buildPreviewDraft = (fields: readonly FieldSpec[], values: Values): PreviewDraft | undefined => {
  if (values.format === 'template' && values.template?.trim() === '') return undefined
  if (values.format === 'zone' && values.zone_id === '') return undefined
  const { name: _, id: __, description: ___, ...draft } = buildInput({ fields }, values)
  // The server validates the values.
  return draft as PreviewDraft
}
