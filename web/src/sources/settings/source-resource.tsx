/** How sources are read, written, searched and sorted. The fields of a form follow from the kind of the source. */
import { toSortKey } from '../../../../src/net/name-order.ts'
import { isSameOrigin } from '../../../../src/net/origin.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import { MORE } from '../../resource/fields.ts'
import type { FieldSpec, Resource, Values } from '../../resource/resource.ts'
import type { Space } from '../../spaces/fields.ts'
import { buildSpaceControl } from '../../spaces/known-control.ts'
import type { TableSpec } from '../../table/engine.ts'
import { countOpen, STATUS_TEXTS, URL_EXAMPLES } from '../labels.ts'
import { SOURCE_KEYS, type Source, type SourceKind } from '../queries.ts'
import { buildOptionField, buildSecretField, flattenOptions, LINES, nestInput } from './kind-fields.tsx'
import { PlacesField, parsePlaces, readPlaces } from './places-field.tsx'

const READS = 'What it takes'
const PLACES = 'Where it goes'
const RHYTHM = 'When it is read'
const GONE = 'What is gone there'

const toFlag = (initial: boolean): Pick<FieldSpec, 'kind' | 'initial' | 'read' | 'send'> => ({
  ...{ kind: 'flag', initial: String(initial) },
  read: (value) => String(value === true),
  send: (text) => text === 'true',
})

/** The server names the error of a text that is no number. */
const toNumber = (text: string): unknown => {
  if (text.trim() === '') return null
  return Number.isNaN(Number(text)) ? text : Number(text)
}

const NUMBER: Pick<FieldSpec, 'kind' | 'send'> = { kind: 'number', send: toNumber }

/** Stored secrets belong to one target. Another scheme, host or port needs them again. */
const isMoved = (stored: Source | undefined, { url = '' }: Values): boolean =>
  stored !== undefined && url.trim() !== stored.url && !isSameOrigin(stored.url, url.trim())

/** @example readFacts({ cpu: 'Virtual CPUs' }) // 'cpu: Virtual CPUs' */
const readFacts = (value: unknown): string =>
  Object.entries((value ?? {}) as Readonly<Record<string, string>>)
    .map(([fact, name]) => `${fact}: ${name}`)
    .join('\n')

const parseFacts = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [fact = '', ...name] = line.split(':')
      return fact.trim() === '' ? [] : [[fact.trim(), name.join(':').trim()] as const]
    }),
  )

const buildUrlField = (kind: SourceKind): FieldSpec => ({
  ...{ name: 'url', label: 'URL', isMono: true },
  placeholder: kind.default_url || (URL_EXAMPLES[kind.kind] ?? ''),
  hint:
    kind.default_url === ''
      ? 'Without one, this server fetches nothing, and snapshots are pushed.'
      : `Only for other endpoints than ${kind.default_url}`,
  isShown: () => !kind.is_pushed_only,
})

const listConnection = (kind: SourceKind, stored: Source | undefined): FieldSpec[] => [
  buildUrlField(kind),
  ...kind.secrets.map((secret) => buildSecretField(secret, { stored, isMoved: (values) => isMoved(stored, values) })),
  ...kind.options.filter(({ required }) => required).map(buildOptionField),
  {
    ...{ name: 'allow_private', label: 'Allow private addresses', ...toFlag(false) },
    hint: 'Such as 10.0.0.0/8 and 192.168.0.0/16. Else they are refused.',
    isShown: () => !kind.is_pushed_only,
  },
]

const listRhythm = (): FieldSpec[] => [
  {
    ...{ name: 'mode', label: 'Differences', kind: 'select', section: RHYTHM, initial: 'review' },
    options: [
      ['review', 'are shown, and a person applies them'],
      ['auto', 'are applied by each run'],
    ],
  },
  {
    ...{ name: 'interval_minutes', label: 'Minutes between runs', initial: '60', section: RHYTHM, isHalf: true },
    ...NUMBER,
    hint: '5 to 10080; 0: by hand only',
  },
  {
    ...{ name: 'timeout_seconds', label: 'Timeout in seconds', initial: '600', section: RHYTHM, isHalf: true },
    ...NUMBER,
    hint: '10 to 3600, for all requests of a run',
  },
  { ...{ name: 'enabled', label: 'Enabled', section: RHYTHM }, ...toFlag(true), hint: 'It is read' },
]

const listFilters = (kind: SourceKind): FieldSpec[] => [
  ...kind.options.filter(({ required }) => !required).map(buildOptionField),
  {
    ...{ name: 'include', label: 'Include only', isMono: true, ...LINES },
    hint: `One pattern on each line, by name, tag:, place: or type: (${kind.types.slice(0, 4).join(', ')}); * is any text. Empty takes all.`,
  },
  { ...{ name: 'exclude', label: 'Leave out', isMono: true, ...LINES }, hint: 'Patterns of the same form' },
]

const listTargets = (spaces: readonly Space[]): FieldSpec[] => [
  {
    ...{ name: 'datacenter_id', label: 'Datacenter', kind: 'reference', to: 'datacenters' },
    hint: 'Of objects that say none',
  },
  { ...{ name: 'space_id', label: 'Address space', hint: 'Of objects that say none' }, ...buildSpaceControl(spaces) },
  {
    ...{ name: 'places', label: 'By place', read: readPlaces, send: parsePlaces },
    render: (input) => <PlacesField {...input} hasSpaces={spaces.length > 0} />,
  },
  { ...{ name: 'tags', label: 'Tags', kind: 'tags' }, hint: 'Added to its devices, with commas between them' },
  {
    ...{
      name: 'custom',
      label: 'Facts in custom fields',
      kind: 'area',
      isMono: true,
      read: readFacts,
      send: parseFacts,
    },
    hint: 'One on each line, as cpu: the name of a custom field of devices',
  },
]

const listGone = (kind: SourceKind): FieldSpec[] => [
  {
    ...{ name: 'when_gone', label: 'A device that is gone', kind: 'select', initial: kind.when_gone },
    options: [
      ['decommission', 'is decommissioned'],
      ['delete', 'is deleted'],
      ['keep', 'is only shown'],
    ],
  },
  {
    ...{ name: 'gone_after_hours', label: 'After hours', initial: String(kind.gone_after_hours), isHalf: true },
    ...NUMBER,
    hint: '0 to 8760; 0: at once',
  },
  {
    ...{ name: 'max_gone_percent', label: 'Percent gone, at most', isHalf: true },
    ...NUMBER,
    hint: 'If more are missing, nothing is applied',
  },
]

const CERTIFICATE: readonly FieldSpec[] = [
  {
    ...{ name: 'tls_fingerprint', label: 'Fingerprint of its certificate', isMono: true },
    hint: 'SHA-256. With it, exactly this certificate is trusted.',
  },
  {
    ...{ name: 'tls_ca', label: 'Certificate authorities', kind: 'area', isMono: true },
    hint: 'As PEM, beside those of the system',
  },
]

const IDENTITY: readonly FieldSpec[] = [
  {
    ...{ name: 'ref', label: 'Name in references', isMono: true },
    hint: 'Its objects are known by it, as <name>:<id there>. It cannot change after the first run.',
    send: (text) => text.trim() || undefined,
  },
  { name: 'description', label: 'Description', kind: 'area' },
]

const withSection = (section: string, fields: readonly FieldSpec[]): FieldSpec[] =>
  fields.map((field) => ({ ...field, section }))

type Parts = {
  readonly kind: SourceKind
  /** Undefined for a new source. Its form has the seldom fields in the last section. */
  readonly stored: Source | undefined
  readonly spaces: readonly Space[]
}

const buildFields = ({ kind, stored, spaces }: Parts): readonly FieldSpec[] => {
  const name: FieldSpec = { name: 'name', label: 'Name', isRequired: true }
  const first = [name, ...listConnection(kind, stored)]
  const certificate = kind.is_pushed_only ? [] : CERTIFICATE
  if (!stored)
    return [
      ...first,
      ...withSection(MORE, [
        ...listFilters(kind),
        ...listTargets(spaces),
        ...listRhythm(),
        ...listGone(kind),
        ...certificate,
        ...IDENTITY,
      ]),
    ]
  return [
    ...first,
    ...listRhythm(),
    ...withSection(READS, listFilters(kind)),
    ...withSection(PLACES, listTargets(spaces)),
    ...withSection(GONE, listGone(kind)),
    ...withSection(MORE, [...certificate, ...IDENTITY]),
  ]
}

const CRUD = createCrud(contracts.sources)

/** A source without the fields of its kind. Its form is on its page. */
export const SOURCE_RESOURCE: Resource<Source> = {
  noun: 'source',
  fields: [{ name: 'name', label: 'Name' }],
  getName: ({ name }) => name,
  ...CRUD,
  changes: [...SOURCE_KEYS, 'me'],
}

export const buildSourceResource = (parts: Parts): Resource<Source> => ({
  ...SOURCE_RESOURCE,
  fields: buildFields(parts),
  get: async (id) => {
    const { value, etag } = await CRUD.get(id)
    return { value: flattenOptions(value), etag }
  },
  create: (input) => CRUD.create({ ...nestInput(input), kind: parts.kind.kind }),
  // Without the ETag of the form: each run changes the source. Only changed fields are sent.
  update: (id, input) => CRUD.update(id, nestInput(input, parts.stored?.options), '*'),
})

/** @param titles of the kinds */
export const buildSourceSpec = (titles: ReadonlyMap<string, string>): TableSpec<Source> => {
  const title = ({ kind }: Source): string => titles.get(kind) ?? kind
  return {
    id: ({ id }) => id,
    text: (source) =>
      [source.name, source.url, source.description, source.product, title(source), source.status_message].join('\n'),
    sorts: {
      name: ({ name }) => toSortKey(name),
      kind: (source) => toSortKey(title(source)),
      status: ({ status }) => ['failed', 'held', 'waiting', 'new', 'ok'].indexOf(status),
      objects: ({ counts }) => -counts.objects,
      open: (source) => -countOpen(source),
      success: ({ last_success_at }) => (last_success_at === null ? 0 : -Date.parse(last_success_at)),
      next: ({ next_run_at }) => (next_run_at === null ? Number.POSITIVE_INFINITY : Date.parse(next_run_at)),
    },
    fields: {
      status: ({ status }, value) => status.startsWith(value) || STATUS_TEXTS[status].startsWith(value),
      kind: (source, value) => source.kind.startsWith(value) || title(source).toLowerCase().startsWith(value),
      mode: ({ mode }, value) => mode.startsWith(value),
    },
    facets: { status: ({ status }) => [status], kind: ({ kind }) => [kind], mode: ({ mode }) => [mode] },
  }
}
